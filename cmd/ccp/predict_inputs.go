package main

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/recordings"
	"github.com/clusterpool/ccp/cmd/internal/serve"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models"
	"github.com/spf13/cobra"
)

// warn puts the notes before the warnings of the predictions, and returns lines with both. Of windows in a row with the
// same warnings it names the first.
func warn(in serve.Samples, predictions []models.Prediction) (lines []string) {
	for i := range predictions {
		p := &predictions[i]
		if in.Notes != nil {
			p.Warnings = append(in.Notes[i], p.Warnings...)
		}
		if p.Warnings == nil {
			continue
		}
		name := in.Names[i]
		if in.Windows != nil {
			if i > 0 && name == in.Names[i-1] && slices.Equal(p.Warnings, predictions[i-1].Warnings) {
				continue
			}
			name += " from " + recording.TimeText(in.Windows[i].Start)
		}
		lines = append(lines, name+": "+strings.Join(p.Warnings, "; "))
	}
	return lines
}

// parts calls do with one part of the samples after another, until there is an error.
type parts func(do func(serve.Samples) error) error

// readInputs reads features in a numpy file, or makes signals of recordings or, if cut has windows, of their windows. It
// returns the parts, and how many signals they have. If one is set, several recordings are an error.
func readInputs(cmd *cobra.Command, m models.Metadata, inputs []string, cut recording.Cut, one bool) (parts, int, error) {
	whole := func(s serve.Samples, err error) (parts, int, error) {
		return func(do func(serve.Samples) error) error { return do(s) }, len(s.Signals), err
	}
	var asSeries error // why an .npy is no series of the model's: it may be a recording
	extension := strings.ToLower(filepath.Ext(inputs[0]))
	if len(inputs) == 1 && (extension == ".npz" || extension == ".npy" && cut.Window.Length == 0) {
		if cut.Window.Length > 0 {
			return nil, 0, usage(cmd, fmt.Errorf("--window cuts recordings of a table, or of an .npy array [timepoints, sensors, axes]; %s "+
				"holds samples, which are classified whole", inputs[0]))
		}
		names, signals, err := readSignals(inputs[0], m)
		if err == nil || extension == ".npz" || m.Form == nil {
			return whole(serve.Samples{Names: names, Signals: signals}, err)
		}
		asSeries = err
	}
	if m.Form == nil {
		return nil, 0, recording.ErrNoForm
	}
	found, lines, err := recordings.ReadUnlabelled(cmd.Context(), inputs, m.Form)
	if err != nil {
		if strings.Contains(err.Error(), " --") { // written for ccp data import
			err = fmt.Errorf("%w; predict has no such flag, so change the table", err)
		}
		return nil, 0, arrayError(inputs[0], m.Form, asSeries, err)
	}
	if one && len(found) > 1 {
		return nil, 0, usage(cmd, fmt.Errorf("--figure draws one recording; here are %d, such as %s and %s", len(found), found[0].Name,
			found[1].Name))
	}
	tell(cmd, "note", lines)
	if cut.Window.Length > 0 {
		return cutAll(cmd, m, found, cut)
	}
	s, err := serve.Whole(m.Form, found)
	return whole(s, arrayError(inputs[0], m.Form, asSeries, err))
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

// windowsAtOnce bounds the signals in memory: windows that overlap have many times the values of their recording.
const windowsAtOnce = 1024

// cutAll cuts recordings into windows. The signals are made part by part.
func cutAll(cmd *cobra.Command, m models.Metadata, found []recording.Recording, cut recording.Cut) (parts, int, error) {
	windows, count := make([][]recording.Window, len(found)), 0
	for i, r := range found {
		ordered, own, notes, err := m.Form.Windows(r, cut, math.MaxInt)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", r.Name, err)
		}
		for k := range notes {
			notes[k] = r.Name + ": " + notes[k]
		}
		tell(cmd, "note", notes)
		found[i], windows[i], count = ordered, own, count+len(own)
	}
	return func(do func(serve.Samples) error) error {
		for i, r := range found {
			left, reason := len(windows[i]), error(nil)
			for some := range slices.Chunk(windows[i], windowsAtOnce) {
				var s serve.Samples
				unusable, err := s.Cut(cmd.Context().Err, m.Form, r, some)
				if err == nil && len(s.Signals) > 0 {
					err = do(s)
				}
				if err != nil {
					return err
				}
				left, reason = left-len(s.Signals), cmp.Or(reason, unusable)
			}
			if left == len(windows[i]) {
				return reason
			} else if left > 0 {
				tell(cmd, "note", []string{fmt.Sprintf("%d windows are left out, the first: %v", left, reason)})
			}
		}
		return nil
	}, count, nil
}
