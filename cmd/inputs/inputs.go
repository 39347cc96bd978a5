// Package inputs reads recordings from files as `ccp predict` does, for other programs that classify what people have
// on their disks.
package inputs

import (
	"context"
	"errors"
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

// Recordings reads recordings to classify by a checkpoint whose recordings have a form: a folder, tables, or one .npz
// or .npy file. They are read as those of the training were. With series, an .npy array may be series [samples,
// sensors, timepoints]. Without, recordings are to be cut into windows: an .npy array is one recording, and those of an
// .npz come as they were measured. Each recording has a name, which is the file's if it is the file's
// only one, and in Recording.Notes what a person should know of it. The notes are about the files. The error names the
// file and, in a table, the line and the column.
func Recordings(ctx context.Context, paths []string, form *recording.Form, series bool) (all []recording.Recording,
	notes []string, err error) {
	return Readable(ctx, paths, form, series, false, nil)
}

// Readable is Recordings, but it leaves out the files and recordings that cannot be read, and calls skip with the name
// of each and the reason. If skip is nil, that is an error. With soFar, recordings are those whose class is told before
// their end, for recording.Form.SoFar.
func Readable(ctx context.Context, paths []string, form *recording.Form, series, soFar bool,
	skip func(name string, err error)) (
	all []recording.Recording, notes []string, err error) {
	if form == nil {
		return nil, nil, recording.ErrNoForm
	}
	extension := strings.ToLower(filepath.Ext(paths[0]))
	if len(paths) == 1 && extension == ".npz" && !series {
		return datasets.ReadMeasured(paths[0], form, skip)
	}
	var asSeries error // why an .npy is no series of the training's: it may be a recording
	if len(paths) == 1 && (extension == ".npz" || extension == ".npy" && series) {
		all, notes, err := readSeries(paths[0], form, soFar, skip)
		if err == nil || extension == ".npz" {
			return all, notes, err
		}
		asSeries = err
	}
	var leave func(name string, err error)
	if skip != nil && asSeries == nil {
		leave = func(name string, err error) { skip(name, withoutFlags(err)) }
	}
	all, notes, err = recordings.ReadReadable(ctx, paths, form, leave)
	err = withoutFlags(err)
	if asSeries != nil && err == nil && soFar {
		_, _, _, err = form.SoFar(all[0])
	} else if asSeries != nil && err == nil {
		_, _, err = form.Series(all[0]) // an array of another shape is no recording either
	}
	return all, notes, arrayError(paths[0], form, asSeries, err)
}

// withoutFlags adds to an error that was written for ccp data import whose flags it advises.
func withoutFlags(err error) error {
	var recorder *recordings.RecorderError
	if errors.As(err, &recorder) {
		return errors.New(recorder.ToPredict())
	}
	return recordings.Elsewhere(err)
}

// readSeries reads the series of a numpy file, with what a person should know of its other arrays. Samples without a
// name are numbered.
func readSeries(path string, form *recording.Form, soFar bool,
	skip func(name string, err error)) (all []recording.Recording, notes []string, err error) {
	why := map[int]error{}
	var leave func(sample int, err error)
	if skip != nil {
		leave = func(sample int, err error) { why[sample] = err }
	}
	raw, err := datasets.ReadSeries(path, form, soFar, leave)
	if err != nil {
		return nil, nil, err
	}
	for i, series := range raw.Series {
		one := recording.Recording{Name: strconv.Itoa(i), Series: series}
		if raw.Unread != nil {
			one.Unread = raw.Unread[i]
		}
		if raw.SampleNames != nil {
			one.Name = raw.SampleNames[i]
		}
		if wrong := why[i]; wrong != nil {
			skip(one.Name, wrong)
			continue
		}
		if raw.SampleNotes != nil {
			one.Notes = raw.SampleNotes[i]
		}
		all = append(all, one)
	}
	return all, raw.Warnings, nil
}

// arrayError says why an .npy array cannot be classified as series or as a recording: by its shape, if that fits
// neither.
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
		return fmt.Errorf("%s: the array has shape %v; the classifier needs series [samples, %d, timepoints%s] or a "+
			"recording [timepoints, %d%s]",
			path, a.Shape, n, axes, n, axes)
	}
	return fmt.Errorf("%s: as series [samples, sensors, timepoints]: %w; as a recording [timepoints, sensors, axes]: %w",
		path, asSeries, asRecording)
}
