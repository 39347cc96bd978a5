//go:build !lean

package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/recordings"
	"github.com/clusterpool/ccp/cmd/internal/watch"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// evalStreams are the flags of `ccp eval` for streams whose classes are known.
type evalStreams struct {
	annotation recordings.Annotation
	options    watch.Options
	tolerance  recording.Span
}

// flags adds the flags.
func (e *evalStreams) flags(f *pflag.FlagSet) {
	f.StringVar(&e.annotation.Label, "label", "", "`COLUMN` of classes, to test along time on the stream of --data")
	f.StringVar(&e.annotation.Labels, "labels", "", "`FILE` of intervals with classes in its place: start,end,label")
	f.StringVar(&e.annotation.Rest, "rest", "",
		"`NAME` of the class of what has none in a stream (default: as in the training's import)")
	parsedVar(f, &e.tolerance, "tolerance", parseTolerance,
		"`DURATION`, or time points, on each side, inclusive, within which an event must be told to begin (default: a window)")
	streamFlags(f, &e.options)
}

// parseTolerance reads a duration, or a number of time points, that may be 0.
func parseTolerance(text string) (tolerance recording.Span, err error) {
	if text == "0" || text == "0s" {
		return recording.Span{Timepoints: true}, nil
	}
	return recording.ParseSpan(text)
}

// streamFiles returns the files that --data names, joined by commas. A file may have a comma in its name.
func streamFiles(data string) []string {
	if _, err := os.Stat(data); err == nil {
		return []string{data}
	}
	return strings.Split(data, ",")
}

// toleranceOf returns the tolerance in seconds or, of a training without times, in time points: that asked for, or else
// a window.
func (e *evalStreams) toleranceOf(cmd *cobra.Command, form *recording.Form) (float64, error) {
	follower, err := form.Follow(watch.CutOf(form, e.options.Cut))
	switch {
	case err != nil:
		return 0, err
	case !cmd.Flags().Changed("tolerance"):
		return follower.Seconds(), nil
	case !e.tolerance.Timepoints && form.Rate == 0:
		return 0, usage(cmd, fmt.Errorf("--tolerance %s: the training's recordings have no times, so that this may be any "+
			"number of time points; give it as a number of these, such as 10", e.tolerance))
	case !e.tolerance.Timepoints:
		return e.tolerance.Length, nil
	}
	return e.tolerance.Length / cmp.Or(form.Rate, 1) / cmp.Or(form.Second, 1), nil
}

// unasked refuses flags of streams where no stream is tested, so that none is ignored.
func (e *evalStreams) unasked(cmd *cobra.Command) error {
	for _, flag := range []string{"rest", "tolerance", "window", "step", "lag", "lasts"} {
		if cmd.Flags().Changed(flag) {
			return usage(cmd, fmt.Errorf("--%s is of a stream; say where its classes are with --label or --labels, or leave it "+
				"out", flag))
		}
	}
	return nil
}

// ofTable adds to the error of a table that is no data set how it is tested as a stream.
func (e *evalStreams) ofTable(data string, err error) error {
	info, missing := os.Stat(streamFiles(data)[0])
	if err == nil || missing != nil || info.IsDir() || datasets.IsFile(data) {
		return err
	}
	return fmt.Errorf("%w; as a stream it is tested with --label COLUMN or --labels FILE, which have its classes", err)
}

// asked reports that a stream is to be tested on.
func (e *evalStreams) asked() bool { return e.annotation.Label != "" || e.annotation.Labels != "" }

// streamsJSON is what `ccp eval --json` prints of streams.
type streamsJSON struct {
	Command string `json:"command"`
	Data    string `json:"data"`
	recording.Cut
	watch.Judged
	ToleranceSeconds float64 `json:"tolerance"` // of a training without times, in time points
}

// Unit returns that of delays and of the tolerance.
func (r streamsJSON) Unit() string {
	if r.Hours == nil {
		return "time points"
	}
	return "s"
}

// FalseAlarms returns how many there are.
func (r streamsJSON) FalseAlarms() (all int) {
	for _, class := range r.PerClass {
		all += class.False
	}
	return all
}

// run watches the stream of a file, and prints how right its classes are told.
func (e *evalStreams) run(s *shared, cmd *cobra.Command, dir, data string) error {
	for _, flag := range []string{"split", "coverage", "mirrored", "early"} {
		if cmd.Flags().Changed(flag) {
			return usage(cmd, fmt.Errorf("--%s is of samples, and --label and --labels test on a stream along time; leave one "+
				"of them out", flag))
		}
	}
	if data == "" {
		return usage(cmd, errors.New("--label and --labels are of a stream; name its file with --data"))
	}
	m, _, err := models.ReadMetadata(dir)
	if err != nil {
		return err
	}
	if m.Form == nil {
		return usage(cmd, errors.New("--label and --labels are of a stream, and the training data was no recordings"))
	}
	if e.annotation.Rest != "" && suggest.Class(e.annotation.Rest, m.ClassNames) < 0 {
		return usage(cmd, fmt.Errorf("--rest %s: it is none of the training's classes, which are %s%s; without --rest, what "+
			"has no class does not count", e.annotation.Rest, suggest.Few(m.ClassNames),
			suggest.Meant(e.annotation.Rest, m.ClassNames)))
	}
	streams, notes, err := recordings.ReadAnnotated(cmd.Context(), streamFiles(data), m.Form, e.annotation)
	if err != nil {
		return err
	}
	tell(cmd, "note", notes)
	classifier, err := s.load(cmd, dir, 1)
	if err != nil {
		return err
	}
	tolerance, err := e.toleranceOf(cmd, classifier.Form)
	if err != nil {
		return err
	}
	said := map[string][]string{}
	judged, err := watch.Judge(cmd.Context(), classifier, e.options, streams, tolerance, func(line string) {
		name, odd, isWarning := strings.Cut(line, ": warning: ")
		if isWarning {
			said["warning"] = append(said["warning"], name+": "+odd)
		} else {
			said["note"] = append(said["note"], line)
		}
	})
	for _, kind := range []string{"note", "warning"} {
		tell(cmd, kind, said[kind])
	}
	if err != nil {
		return err
	}
	cut := watch.CutOf(classifier.Form, e.options.Cut)
	cut.Step = cmp.Or(cut.Step, cut.Window)
	result := streamsJSON{"eval", data, cut, judged, tolerance}
	return s.print(cmd, result, render("eval-streams", result))
}
