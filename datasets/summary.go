package datasets

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// shownChannels is the largest number of channels in a summary.
const shownChannels = 8

// Summary describes the data set in lines for people. It has the sizes, the samples of each class in each split, the
// graph, the means and deviations, the notes, the provenance and the warnings.
func (d *Dataset) Summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d samples, %d nodes, %d %s, %d classes\n\n",
		d.Name, d.Signals.Len(), d.Nodes, d.Channels, plural(d.Channels, "channel"), d.Classes())

	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	heading, total := "class\t", "all\t"
	var counts [][]int
	for _, split := range d.splits() {
		heading += split.name + "\t"
		total += fmt.Sprintf("%d\t", len(split.indices))
		counts = append(counts, d.classCounts(split.indices))
	}
	fmt.Fprintln(table, heading)
	for class := range d.Classes() {
		row := d.className(class) + "\t"
		for _, count := range counts {
			row += fmt.Sprintf("%d\t", count[class])
		}
		fmt.Fprintln(table, row)
	}
	fmt.Fprintln(table, total)
	table.Flush() // a strings.Builder does not fail

	fmt.Fprintf(&b, "\ngraph\n%s\n", indent(d.Affinity.Stats().String()))
	if d.Parts != nil {
		fmt.Fprintf(&b, "body\n  frames      %d of %d joints\n", d.Grid[0], d.Grid[1])
		for part, joints := range d.Parts {
			fmt.Fprintf(&b, "  part %d      joints %s\n", part, strings.Trim(fmt.Sprint(joints), "[]"))
		}
		fmt.Fprintf(&b, "  bodies      %d, whose x, y and z are the first channels\n", d.Bodies)
	}
	fmt.Fprintf(&b, "channel mean / deviation\n")
	for channel := range min(d.Channels, shownChannels) {
		fmt.Fprintf(&b, "  %d  %.6g / %.6g\n", channel, d.Mean[channel], d.Std[channel])
	}
	if d.Channels > shownChannels {
		fmt.Fprintf(&b, "  and %d more\n", d.Channels-shownChannels)
	}
	if len(d.Notes) > 0 {
		fmt.Fprintf(&b, "\npreparation\n%s\n", indent(strings.Join(d.Notes, "\n")))
	}
	fmt.Fprintf(&b, "\nsource\n%s\n", indent(d.Provenance))
	if len(d.Warnings) > 0 {
		fmt.Fprintf(&b, "\n%s\n%s\n", plural(len(d.Warnings), "warning"), indent(strings.Join(d.Warnings, "\n")))
	}
	return b.String()
}

// indent sets each line in by two spaces and drops a last newline.
func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

// plural returns a noun for a count.
func plural(count int, noun string) string {
	if count == 1 {
		return noun
	}
	return noun + "s"
}
