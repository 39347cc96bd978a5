// Package inputs reads recordings from files as `ccp predict` does, for other programs that classify what people have on their disks.
package inputs

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/recordings"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/npz"
)

// Recordings reads recordings to classify by a checkpoint whose recordings have a form: a folder, tables, or one .npz or .npy file. They
// are read as those of the training were. With series, an .npy array may be series [samples, sensors, timepoints], else it is one
// recording. Each recording has a name, which is the file's if it is the file's only one, and in Recording.Notes what a person should
// know of it. The notes are about the files. The error names the file and, in a table, the line and the column.
func Recordings(ctx context.Context, paths []string, form *recording.Form, series bool) (all []recording.Recording, notes []string, err error) {
	if form == nil {
		return nil, nil, recording.ErrNoForm
	}
	extension := strings.ToLower(filepath.Ext(paths[0]))
	var asSeries error // why an .npy is no series of the training's: it may be a recording
	if len(paths) == 1 && (extension == ".npz" || extension == ".npy" && series) {
		all, notes, err := readSeries(paths[0], form)
		if err == nil || extension == ".npz" {
			return all, notes, err
		}
		asSeries = err
	}
	all, notes, err = recordings.ReadUnlabelled(ctx, paths, form)
	if err != nil && strings.Contains(err.Error(), " --") { // written for ccp data import
		err = fmt.Errorf("%w; predict has no such flag, so change the table", err)
	}
	if asSeries != nil && err == nil {
		_, _, err = form.Series(all[0]) // an array of another shape is no recording either
	}
	return all, notes, arrayError(paths[0], form, asSeries, err)
}

// readSeries reads the series of a numpy file, with what a person should know of its other arrays. Samples without a name are
// numbered.
func readSeries(path string, form *recording.Form) (all []recording.Recording, notes []string, err error) {
	raw, err := datasets.ReadSeries(path, form)
	if err != nil {
		return nil, nil, err
	}
	for i, series := range raw.Series {
		one := recording.Recording{Name: strconv.Itoa(i), Series: series}
		if raw.SampleNames != nil {
			one.Name = raw.SampleNames[i]
		}
		if raw.SampleNotes != nil {
			one.Notes = raw.SampleNotes[i]
		}
		all = append(all, one)
	}
	return all, raw.Warnings, nil
}

// arrayError says why an .npy array cannot be classified as series or as a recording: by its shape, if that fits neither.
func arrayError(path string, form *recording.Form, asSeries, asRecording error) error {
	if asRecording == nil || asSeries == nil {
		return asRecording
	}
	a, err := npz.ReadNPYFile(path)
	if err != nil {
		return err
	}
	if form.Width() == 1 && len(a.Shape) == 2 && a.Shape[1] != 1 { // [samples, timepoints] of one sensor
		return fmt.Errorf("%s: %w", path, asSeries)
	}
	n, axes := len(form.Sensors), fmt.Sprintf(", %d", form.Channels)
	want := [][]int{{0, n, 0, form.Channels}, {0, n, form.Channels}}
	if form.Channels == 1 {
		want, axes = append(want, []int{0, n, 0}, []int{0, n}), ""
	}
	if !slices.ContainsFunc(want, func(want []int) bool {
		return slices.EqualFunc(a.Shape, want, func(n, want int) bool { return n == want || want == 0 })
	}) {
		return fmt.Errorf("%s: the array has shape %v; the classifier needs series [samples, %d, timepoints%s] or a recording [timepoints, %d%s]",
			path, a.Shape, n, axes, n, axes)
	}
	return fmt.Errorf("%s: as series [samples, sensors, timepoints]: %w; as a recording [timepoints, sensors, axes]: %w",
		path, asSeries, asRecording)
}
