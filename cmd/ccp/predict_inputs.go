//go:build !lean

package main

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/cmd/inputs"
	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
	"github.com/spf13/cobra"
)

// told is a warning, about the first of count predictions.
type told struct {
	first, text string
	count       int
}

// String names the first and says how many there are.
func (w told) String() string {
	if w.count > 1 {
		return fmt.Sprintf("%s: %s (%d in all)", w.first, w.text, w.count)
	}
	return w.first + ": " + w.text
}

// warn puts the notes before the warnings of the predictions, and adds both to all, each text once.
func warn(all []told, in classify.Samples, predictions []models.Prediction) []told {
	for i := range predictions {
		p := &predictions[i]
		if in.Notes != nil {
			p.Warnings = slices.Concat(in.Notes[i], p.Warnings)
		}
		name := in.Names[i]
		if in.Windows != nil {
			name += " from " + in.Written[i].Text(in.Windows[i].Start)
		}
		for _, text := range p.Warnings {
			at := slices.IndexFunc(all, func(w told) bool { return w.text == text })
			if at < 0 && len(all) < mostTold {
				at, all = len(all), append(all, told{first: name, text: text})
			}
			if at >= 0 {
				all[at].count++
			}
		}
	}
	return all
}

// mostTold bounds the warnings that are compared: those about values have figures of their own, so that each is another
// text.
const mostTold = 1000

// parts calls do with one part of the samples after another, until there is an error.
type parts func(do func(classify.Samples) error) error

// readInputs reads features in a numpy file, or makes signals of recordings or, if cut has windows, of their windows.
// It returns the parts, and how many signals they have. Recordings that skip is told of are left out.
func (p *predictCommand) readInputs(cmd *cobra.Command, m models.Metadata, paths []string,
	skip classify.Skip) (parts, int, error) {
	whole := func(s classify.Samples, err error) (parts, int, error) {
		return func(do func(classify.Samples) error) error { return do(s) }, len(s.Signals), err
	}
	windows := p.cut.Window.Length > 0
	extension := strings.ToLower(filepath.Ext(paths[0]))
	if m.Form == nil && len(paths) == 1 && !windows && (extension == ".npz" || extension == ".npy") {
		return whole(classify.ReadSignals(paths[0], m))
	}
	var leave func(name string, err error)
	if skip != nil {
		leave = func(name string, err error) { skip(&classify.RecordingError{Name: name, Err: err}) }
	}
	found, lines, err := inputs.Readable(cmd.Context(), paths, m.Form, !windows, p.early, leave)
	if err != nil {
		return nil, 0, err
	}
	if p.figure.path != "" && len(found) > 1 {
		return nil, 0, usage(cmd, fmt.Errorf("--figure draws one recording; here are %d, such as %s and %s", len(found),
			found[0].Name,
			found[1].Name))
	}
	tell(cmd, "note", lines)
	if windows {
		return cutAll(cmd, m, found, p.cut, skip)
	}
	if p.early {
		return whole(classify.SoFar(m.Form, found, skip))
	}
	return whole(classify.Whole(m.Form, found, skip))
}

// windowsAtOnce bounds the signals in memory: windows that overlap have many times the values of their recording.
const windowsAtOnce = 1024

// cutAll cuts recordings into windows. The signals are made part by part.
func cutAll(cmd *cobra.Command, m models.Metadata, found []recording.Recording, cut recording.Cut,
	skip classify.Skip) (parts, int, error) {
	windows, about, count := make([][]recording.Window, len(found)), make([][]string, len(found)), 0
	for i, r := range found {
		ordered, own, notes, err := m.Form.Windows(r, cut, math.MaxInt)
		if wrong := (&classify.RecordingError{Index: i, Name: r.Name, Err: err}); err != nil && skip == nil {
			return nil, 0, wrong
		} else if err != nil {
			skip(wrong)
			continue
		}
		if note, _ := m.Form.OtherRate(ordered.Rate()); note != "" {
			notes = append(notes, note)
		}
		found[i], windows[i], about[i], count = ordered, own, notes, count+len(own)
	}
	return func(do func(classify.Samples) error) error {
		for i, r := range found {
			left, reason := len(windows[i]), error(nil)
			for some := range slices.Chunk(windows[i], windowsAtOnce) {
				var s classify.Samples
				unusable, err := s.Cut(cmd.Context().Err, m.Form, i, r, some)
				if err == nil && len(s.Signals) > 0 {
					s.Notes[0], about[i] = slices.Concat(about[i], s.Notes[0]), nil // the first window has those about all
					err = do(s)
				}
				if err != nil {
					return err
				}
				left, reason = left-len(s.Signals), cmp.Or(reason, unusable)
			}
			switch wrong := (&classify.RecordingError{Index: i, Name: r.Name, Err: reason}); {
			case left == 0:
			case left == len(windows[i]) && skip == nil:
				return wrong
			case left == len(windows[i]):
				skip(wrong)
			default:
				line := fmt.Sprintf("%s: %s left out, the first: %v", r.Name, text.Count(left, "window"), reason)
				tell(cmd, "note", []string{line})
			}
		}
		return nil
	}, count, nil
}
