package recordings

// This file holds what the reading of all files shares: progress, and the notes of what a person should know.

import (
	"bufio"
	"context"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/suggest"
)

// job is what the reading of all files shares.
type job struct {
	axis     *recording.Axis // that the headings of a table are; nil for none
	ctx      context.Context
	progress func(doing string, done float64) // may be nil
	skip     func(name string, err error)     // is told of files and recordings that are left out; nil: they are errors
	notes    []note                           // what a person should know
	markers  map[string]int                   // what stood for missing values, beside the usual words
	sheet    string                           // of workbooks; "" for the first
	dialect  *dialect                         // of the numbers in texts
	buffer   *bufio.Reader                    // of the file being read
	opening  batch                            // its first lines
	table    splitter                         // the last table, whose room the next one has
	trained  bool                             // files are read as those of a training, by its settings
}

// report reports progress. It returns an error when the context has ended.
func (j *job) report(doing string, done float64) error {
	if j.ctx.Err() != nil {
		return context.Cause(j.ctx)
	}
	if j.progress != nil {
		j.progress(doing, done)
	}
	return nil
}

// note is what a person should know. Of what is so of several recordings or files, the text names the first.
type note struct {
	about, text string
	count       int
	of          string // what is counted, of how many; "" where the text says it
}

// note keeps what a person should know, once.
func (j *job) note(format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	j.noteOf(text, text)
}

// noteOf keeps what a person should know about several recordings or files: the text of the first, and how many there
// are. Notes of one kind have the same about.
func (j *job) noteOf(about, text string) { j.noteAmong(about, text, "") }

// noteAmong is as noteOf, for texts with counts of their own: it says of what they are so, such as 24 stretches.
func (j *job) noteAmong(about, text, of string) {
	at := slices.IndexFunc(j.notes, func(n note) bool { return n.about == about })
	if at < 0 {
		at = len(j.notes)
		j.notes = append(j.notes, note{about: about, text: text, of: of})
	}
	j.notes[at].count++
}

// noteTexts returns the texts of the notes. A note that is so of several recordings or files says of how many.
func (j *job) noteTexts() (all []string) {
	for _, n := range j.notes {
		switch {
		case n.count <= 1 || n.about == n.text:
		case n.of != "":
			n.text += fmt.Sprintf(" (so in %d of %s)", n.count, n.of)
		default:
			n.text += fmt.Sprintf(" (%d in all)", n.count)
		}
		all = append(all, n.text)
	}
	return all
}

// few lists some of many names.
var few = suggest.Few
