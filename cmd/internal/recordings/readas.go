package recordings

import (
	"strings"

	"github.com/clusterpool/ccp/internal/text"
)

// as says what the table was taken for.
func (t *table) as() readAs {
	layout, _ := layoutNamed(t.layout)
	words := layout.words
	if t.layout == samplesLayout {
		words += ", " + text.Count(len(t.at[0]), "time point")
	}
	before, after := t.in.as()
	if named := t.named(); named != nil {
		after += "; column " + strings.Join(named, ", ")
	}
	if t.time >= 0 {
		if t.kind != numbers {
			t.unit = "seconds"
		}
		after += strings.TrimSuffix("; column "+t.headings[t.time]+" as time in "+t.unit, " in ")
	}
	return readAs{words + "; " + before, after, t.in.pointed, t.in.commaed, noMark}
}

// named says of the columns that hold no values, apart from the time, what they are taken for, unless their headings
// say the same.
func (t *table) named() (all []string) {
	for _, use := range []struct {
		column         int
		heading, taken string
	}{{t.sample, "sample", "sample"}, {t.sensor, "sensor", "sensor"}, {t.uses.label, "label", "class"},
		{t.uses.group, "group", "group"},
		{t.uses.unit, "unit", "unit"}, {t.date, "date", "date"}} {
		if use.column >= 0 && !strings.EqualFold(t.headings[use.column], use.heading) {
			all = append(all, t.headings[use.column]+" as "+use.taken)
		}
	}
	return all
}

// readAs says how a file was read: what comes before and after what is said of its numbers, whether these have points
// and commas, and which of them is before decimals.
type readAs struct {
	before, after    string
	pointed, commaed bool
	decimal          mark
}

// String says it in words.
func (a readAs) String() string {
	numbers := ""
	switch {
	case a.decimal == comma && a.commaed && a.pointed:
		numbers = ", decimal commas, thousands by points"
	case a.decimal == comma && a.commaed:
		numbers = ", decimal commas"
	case a.decimal == comma && a.pointed:
		numbers = ", thousands by points"
	case a.decimal == point && a.commaed:
		numbers = ", thousands by commas"
	}
	return strings.Replace(a.before+numbers+a.after, "; , ", "; ", 1)
}
