//go:build !lean

package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/clusterpool/ccp/cmd/internal/recordings"
	"github.com/clusterpool/ccp/cmd/internal/watch"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// evalStreams are the flags of `ccp eval` for streams whose classes are known.
type evalStreams struct {
	annotation recordings.Annotation
	options    watch.Options
	tolerance  time.Duration
}

// flags adds the flags.
func (e *evalStreams) flags(f *pflag.FlagSet) {
	f.StringVar(&e.annotation.Label, "label", "", "`COLUMN` of classes, to test along time on the stream of --data")
	f.StringVar(&e.annotation.Labels, "labels", "", "`FILE` of intervals with classes in its place: start,end,label")
	f.StringVar(&e.annotation.Rest, "rest", "",
		"`NAME` of the class of what has none in a stream (default: as in the training's import)")
	durationVar(f, &e.tolerance, "tolerance", time.Nanosecond, true,
		"`DURATION` on each side, inclusive, within which an event must be told to begin (default: a window)")
	streamFlags(f, &e.options)
}

// asked reports that a stream is to be tested on.
func (e *evalStreams) asked() bool { return e.annotation.Label != "" || e.annotation.Labels != "" }

// streamsJSON is what `ccp eval --json` prints of streams.
type streamsJSON struct {
	Command string `json:"command"`
	Data    string `json:"data"`
	watch.Judged
	ToleranceSeconds float64 `json:"tolerance"`
}

// run watches the stream of a file, and prints how right its classes are told.
func (e *evalStreams) run(s *shared, cmd *cobra.Command, dir, data string) error {
	for _, flag := range []string{"split", "coverage", "mirrored"} {
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
	streams, notes, err := recordings.ReadAnnotated(cmd.Context(), strings.Split(data, ","), m.Form, e.annotation)
	if err != nil {
		return err
	}
	tell(cmd, "note", notes)
	classifier, err := s.load(cmd, dir, 1)
	if err != nil {
		return err
	}
	follower, err := classifier.Form.Follow(watch.CutOf(classifier.Form, e.options.Cut))
	if err != nil {
		return err
	}
	tolerance := e.tolerance.Seconds()
	if !cmd.Flags().Changed("tolerance") {
		tolerance = follower.Seconds()
	}
	judged, err := watch.Judge(cmd.Context(), classifier, e.options, streams, tolerance,
		func(line string) { fmt.Fprintln(cmd.ErrOrStderr(), "note: "+text.Plain(line)) })
	if err != nil {
		return err
	}
	result := streamsJSON{"eval", data, judged, tolerance}
	return s.print(cmd, result, render("eval-streams", result))
}
