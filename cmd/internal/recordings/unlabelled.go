package recordings

// This file reads recordings to classify as an import read those of the training, and keeps the settings of an import
// for that.

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets/recording"
)

// ReadUnlabelled reads recordings to classify, as the import that made a form read its own. It returns them with what a
// person should know about the files. Errors name the file and, in a table, the line and the column.
func ReadUnlabelled(ctx context.Context, inputs []string, form *recording.Form) (all []recording.Recording,
	notes []string, err error) {
	return ReadReadable(ctx, inputs, form, nil)
}

// ReadReadable is ReadUnlabelled, but it leaves out files that cannot be read, and recordings whose lines make none,
// and calls skip with the name of each and the reason. If skip is nil, that is an error.
func ReadReadable(ctx context.Context, inputs []string, form *recording.Form,
	skip func(name string, err error)) (all []recording.Recording,
	notes []string, err error) {
	r, err := readAlike(ctx, inputs, form, skip)
	if err != nil {
		return nil, nil, err
	}
	for i, name := range distinctNames(r.samples) {
		all = append(all, r.samples[i].Recording)
		all[i].Name = name
	}
	return all, r.noteTexts(), nil
}

// readAlike reads recordings as those of the training were read: by the settings that the import kept in the form, or,
// where the training's file was made by hand, by the names of its sensors.
func readAlike(ctx context.Context, inputs []string, form *recording.Form,
	skip func(name string, err error)) (*reading, error) {
	r, err := readingAlike(ctx, form, skip)
	if err != nil {
		return nil, err
	}
	_, sources, err := sourcesOf(inputs, false)
	if err != nil {
		return nil, err
	}
	r.noteAside(sources)
	return r, r.readAll(sources, inputs[0])
}

// readingAlike returns what reads recordings as those of the training were read.
func readingAlike(ctx context.Context, form *recording.Form, skip func(name string, err error)) (*reading, error) {
	h := hints{known: true, byHand: form.Reading == nil && form.Channels == 1}
	if form.Reading != nil {
		if err := json.Unmarshal(form.Reading, &h.Table); err != nil {
			return nil, fmt.Errorf("the settings of the import cannot be read: %w; import and train again", err)
		}
	}
	if h.byHand {
		h.Take, h.Layout = form.Sensors, recordingLayout
		if form.Longest == 1 {
			h.Layout = samplesLayout
		}
	}
	c := chosen{like: form, fills: form.Zeros || form.Fill != nil, second: form.Second}
	if len(h.Take) == form.Width() { // else the first file makes the columns
		c.names, c.sensors, c.channels = h.Take, form.Sensors, form.Channels
		for i := range h.Take {
			c.of = append(c.of, form.Sensors[i/form.Channels])
		}
	}
	d := newDialect(h.Decimal, true)
	d.apart = form.Reading != nil && h.Decimal == "" // made by 0.1.0
	j := &job{ctx: ctx, markers: map[string]int{}, dialect: d, skip: skip, trained: true}
	return j.reader(h, c), nil
}

// settingsForAlike says how to read new recordings, whose class and group nobody needs.
func (r *reading) settingsForAlike() Table {
	leave := append(slices.Clone(r.Leave), r.labelName)
	if !strings.Contains(r.groupBy, "(") { // else an expression that finds the group in names, and no column
		leave = append(leave, r.groupBy)
	}
	leave = slices.DeleteFunc(leave, func(name string) bool { return name == "" })
	return Table{Layout: r.chosen.layout, Columns: r.Columns, Time: r.Time, Take: r.chosen.names, Leave: leave,
		Units: r.chosen.units, Sheet: r.Sheet, Lists: r.Lists, Dates: r.days.first(), Clock: r.Clock,
		Decimal: r.decimal.name()}
}

// distinctNames returns the names of the samples. If two samples share a name, or one has none, each has the end of its
// where instead: the file with one folder, or with as many as it takes until all differ.
func distinctNames(samples []*sample) []string {
	names := make([]string, len(samples))
	for i, x := range samples {
		names[i] = x.Name
	}
	for count := 2; !areDistinct(names); count++ {
		isWhole := true
		for i, x := range samples {
			folders := strings.Split(filepath.ToSlash(x.where), "/")
			names[i] = strings.Join(folders[max(0, len(folders)-count):], "/")
			isWhole = isWhole && count >= len(folders)
		}
		if isWhole { // nothing more tells them apart
			return names
		}
	}
	return names
}

// areDistinct reports that names are all there, and differ.
func areDistinct(names []string) bool {
	seen := map[string]bool{"": true}
	for _, name := range names {
		if seen[name] {
			return false
		}
		seen[name] = true
	}
	return true
}
