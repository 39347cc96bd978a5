package training

import (
	"errors"
	"slices"
	"strings"
)

// stations are what GoMLX puts before the text of an error that leaves its training loop or the building of a graph.
var stations = []string{"Loop.RunSteps(", "failed to execute train/eval step",
	"failed during graph construction/compilation", " panicked: "}

// plain returns the error that a graph-building function panicked with, or that the training loop met, without GoMLX's
// account of its way out.
func plain(err error) error {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		if !slices.ContainsFunc(stations, func(station string) bool { return strings.Contains(inner.Error(), station) }) {
			return inner
		}
	}
	return err
}
