//go:build !lean

package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/clusterpool/ccp/cmd/internal/recordings"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// importJSON is what `ccp data import --json` prints.
type importJSON struct {
	*recordings.Result
	Bytes   int64  `json:"bytes"`   // of the file
	Command string `json:"command"` // to train on it; "" where no test can be held out

	// Windowed says that windows were cut.
	Windowed bool `json:"-"`
}

// importCommand is `ccp data import` with the values of its flags.
type importCommand struct {
	*shared
	options recordings.Options
	out     target
	scale   bool
}

// newDataImport returns `ccp data import`, which makes a data set of recordings in files.
func newDataImport(s *shared) *cobra.Command {
	c := &importCommand{shared: s}
	cmd := command("data import", "")
	cmd.Args = atLeastOne("INPUT is needed: a folder, .ts files or a .csv")
	var groups flagGroups
	c.usualFlags(groups.add("Most used"))
	c.furtherFlags(groups.add("Further"))
	groups.addTo(cmd)
	cmd.RunE = c.run
	return cmd
}

// usualFlags are those of most imports: where classes, groups and tests come from, and windows.
func (c *importCommand) usualFlags(f *pflag.FlagSet) {
	c.out.flags(f, "`FILE` to write (default: the input's name and .npz)", "the file if it exists")
	f.StringVar(&c.options.Label, "label", "", "`COLUMN` of a table with each sample's class (default: label)")
	f.StringVar(&c.options.Labels, "labels", "", "`FILE` with each sample's class, in place of a column: sample,label; or of intervals, to cut windows of: "+
		"start,end,label, or Audacity's or ELAN's export")
	f.StringVar(&c.options.Group, "group", "",
		"`COLUMN` of a long CSV with each sample's group, such as its subject; or a "+
			"regular expression whose brackets hold the group in the recording's name: '^([a-z]+)_'")
	f.StringVar(&c.options.Test, "test", "",
		"`PATTERN` of the names of the recordings to test on: 'ben_*' (default: a fifth, "+
			"drawn when the file is read)")
	cutFlags(f, &c.options.Cut)
	f.StringVar(&c.options.Rest, "rest", "", "`NAME` of the class of what has none in a stream, instead of leaving it out")
	parsedVar(f, &c.options.Ahead, "ahead", recording.ParseSpan,
		"early warning: a window's class is the event that begins within this `DURATION` of its end, or \"no event\" (--rest names it otherwise)")
	parsedVar(f, &c.options.After, "after", recording.ParseSpan,
		"`DURATION` after an event in which windows are left out, with --ahead (default: as long as --ahead)")
}

// furtherFlags are for files whose headings do not say what they hold, and for what is known of their sensors.
func (c *importCommand) furtherFlags(f *pflag.FlagSet) {
	f.StringVar(&c.options.Time, "time", "",
		"`COLUMN` of times in each recording (default: time, timestamp, date, t and the like)")
	f.StringVar(&c.options.Links, "links", "", "`FILE` of pairs of sensors that belong together: hip,head")
	f.BoolVar(&c.options.Directed, "directed", false,
		"--links lead from their first sensor to their second, as water in a "+
			"river: transforms then tell which way something moves")
	f.StringSliceVar(&c.options.Columns, "columns", nil, "`NAMES` of a table's columns: of samples; samples,times; or "+
		"samples,times,sensors,values, which may be several (default: sample,time,sensor,value)")
	choiceVar(f, &c.options.Layout, "layout", "",
		"`WHAT` a table holds in each line, where its headings do not say: recording "+
			"or timepoints (a time point of the file's recording, or of a sample), readings (of a sensor) or samples",
		"recording", "timepoints", "readings", "samples")
	choiceVar(f, &c.options.Lists, "lists", "",
		"`WHAT` lists in each other hold in each row of a Parquet file of samples: time-first (a list "+
			"for each time point), time-last (the innermost are time points) or sensors (none is time)", "time-first",
		"time-last", "sensors")
	f.StringVar(&c.options.Sheet, "sheet", "",
		"`NAME` of the sheet to read of .xlsx workbooks (default: the first that is shown)")
	choiceVar(f, &c.options.Dates, "dates", "",
		"`WHAT` comes first in dates such as 01/02/2024, where no date tells: day or month",
		"day", "month")
	choiceVar(f, &c.options.Decimal, "decimal", "",
		"`MARK` before decimals, where no number tells whether 1.234 has decimals or thousands: "+
			"point or comma", "point", "comma")
	f.StringSliceVar(&c.options.Take, "take", nil,
		"`NAMES` of the sensors or columns to take, in this order (default: all)")
	f.StringSliceVar(&c.options.Leave, "leave", nil, "`NAMES` of sensors or columns to leave out")
	choiceVar(f, &c.options.Missing, "missing", "",
		"`WHAT` a sensor without any value in a sample is: error, zero, or fill, "+
			"what its neighbours and its mean let expect (default: fill if samples have one time point, else error)",
		"error", "zero", "fill")
	f.Float64SliceVar(&c.options.Gaps, "gap", nil, "`VALUES` that stand for missing ones, such as -9999")
	f.Lookup("gap").DefValue = "" // which the help leaves out
	f.BoolVar(&c.scale, "scale", false, "centre each sensor by itself and divide it by its deviation, over the samples "+
		"trained on; --scale=false takes all sensors alike (default: by itself if they differ much)")
	f.StringVar(&c.options.Origin, "origin", "", "`SENSOR` whose first value is taken from all, channel by channel")
	f.StringVar(&c.options.Positions, "positions", "", "`FILE` of positions of sensors, to join near ones: sensor,x,y or "+
		"sensor,x,y,z, or columns latitude and longitude in degrees")
	numberVar(f, &c.options.Neighbours, "knn", 4, 1, math.MaxInt32,
		"`K` nearest sensors that each is joined to, with --positions")
	f.StringVar(&c.options.Parts, "parts", "", "`FILE` of the sensors' parts of a body, the trunk first, for models of "+
		"skeletons: hip,trunk")
	numberVar(f, &c.options.Bodies, "bodies", 1, 0, math.MaxInt32,
		"`N` bodies whose x, y and z are the first channels, with --parts; 0 where they are no positions in space")
}

// run imports the inputs into one file and prints what was read.
func (c *importCommand) run(cmd *cobra.Command, inputs []string) error {
	if c.out.path == "" {
		c.out.path = recordings.Name(inputs)
	}
	err := cmp.Or(c.check(cmd), checkCut(cmd, c.options.Cut))
	if err == nil {
		err = c.out.free()
	}
	if err != nil {
		return err
	}
	before := debug.SetGCPercent(garbage)
	defer debug.SetGCPercent(before)
	status := newStatusLine(cmd.ErrOrStderr())
	stopped := untilSignal(cmd, status.clear)
	defer stopped()
	began := time.Now()
	if cmd.Flags().Changed("scale") {
		c.options.Scale = &c.scale
	}
	c.options.Progress = func(doing string, done float64) {
		if time.Since(began) > time.Second { // what is quick needs no lines in a log
			status.loading(doing, done)
		}
	}
	result, err := recordings.Import(cmd.Context(), inputs, c.out.path, c.options)
	status.clear()
	if err != nil {
		return err
	}
	info, err := os.Stat(c.out.path)
	if err != nil {
		return err
	}
	printed := importJSON{Result: result, Bytes: info.Size(), Windowed: c.options.Cut.Window.Length > 0}
	if !result.Undrawable {
		printed.Command = trainOn(c.out.path, "")
	}
	return c.print(cmd, printed, folded(render("data-import", printed)))
}

// check refuses flags that contradict each other.
func (c *importCommand) check(cmd *cobra.Command) error {
	switch {
	case !datasets.IsFile(c.out.path):
		return usage(cmd, fmt.Errorf("--out %q: the name must end in .npz", c.out.path))
	case slices.ContainsFunc(c.options.Gaps, func(gap float64) bool { return gap-gap != 0 }): // not finite
		return usage(cmd, fmt.Errorf("--gap %v: give finite numbers; cells without a value and nan are missing without it",
			c.options.Gaps))
	case c.options.Cut.Window.Length == 0 && (c.options.Rest != "" || c.options.Ahead.Length > 0):
		return usage(cmd, fmt.Errorf("--rest and --ahead are of windows in a stream; give --window LENGTH, too"))
	case c.options.After.Length > 0 && c.options.Ahead.Length == 0:
		return usage(cmd, fmt.Errorf("--after is for --ahead DURATION; give both, or leave it out"))
	case c.options.Ahead.Length > 0 && (c.options.Ahead.Timepoints != c.options.Cut.Window.Timepoints ||
		c.options.After.Length > 0 && c.options.After.Timepoints != c.options.Ahead.Timepoints):
		return usage(cmd, fmt.Errorf("--window %s, --ahead %s and --after: give all as durations, or all as time points",
			c.options.Cut.Window, c.options.Ahead))
	case cmd.Flags().Changed("knn") && c.options.Positions == "":
		return usage(cmd, fmt.Errorf("--knn is for --positions FILE; give the positions of the sensors, or leave it out"))
	case cmd.Flags().Changed("bodies") && c.options.Parts == "":
		return usage(cmd, fmt.Errorf("--bodies is for --parts FILE; name the parts of the body, or leave it out"))
	}
	return nil
}

// Kilobytes returns the size of the file, rounded up.
func (r importJSON) Kilobytes() int64 { return (r.Bytes + 999) / 1000 }

// folded breaks the long lines of fields, which begin with two blanks. The values of all fields begin in one column.
func folded(lines string) string {
	const column = 12
	var b strings.Builder
	for line := range strings.Lines(lines) {
		if strings.HasPrefix(line, "  ") {
			line = text.Fold(line[:column], line[column:], pageWidth, column) + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}
