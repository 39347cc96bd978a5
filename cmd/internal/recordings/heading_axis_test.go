package recordings

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// headed returns so many headings.
func headed(n int, heading func(i int) string) (all []string) {
	for i := range n {
		all = append(all, heading(i))
	}
	return all
}

// Headings that are even steps of an axis are the time points of one series. Names of sensors, counted columns and
// numbers behind a name are none.
func TestHeadingsThatAreAnAxis(t *testing.T) {
	for name, c := range map[string]struct {
		headings []string
		is       bool
		missing  int
	}{
		"wavelengths": {headed(40, func(i int) string { return fmt.Sprint(400 + 2*i) }), true, 0},
		"falling wavenumbers with a unit": {headed(40, func(i int) string {
			return fmt.Sprintf("%d cm-1", 4000-4*i)
		}), true, 0},
		"R's headings": {headed(40, func(i int) string { return fmt.Sprint("X", 4000-i) }), true, 0},
		"decimals": {headed(40, func(i int) string {
			return fmt.Sprintf("%.1f", 350.5+0.5*float64(i))
		}), true, 0},
		"nanometres": {headed(40, func(i int) string { return fmt.Sprintf("%dnm", 350+5*i) }), true, 0},
		"years":      {headed(21, func(i int) string { return fmt.Sprint(2000 + i) }), true, 0},
		"one is missing": {headed(40, func(i int) string {
			return fmt.Sprint(400 + 2*i + i/20*2)
		}), true, 1},
		"few":                {headed(12, func(i int) string { return fmt.Sprint(400 + 2*i) }), false, 0},
		"counted from 0":     {headed(40, func(i int) string { return fmt.Sprint(i) }), false, 0},
		"counted from 1":     {headed(40, func(i int) string { return fmt.Sprint("f", i+1) }), false, 0},
		"numbers of probes":  {headed(40, func(i int) string { return fmt.Sprint("probe", 101+i) }), false, 0},
		"uneven":             {headed(40, func(i int) string { return fmt.Sprint(400 + i*i) }), false, 0},
		"names":              {headed(40, func(i int) string { return strings.Repeat("a", i+1) }), false, 0},
		"marked time points": {headed(40, func(i int) string { return fmt.Sprintf("hip.x@%d", 2*i) }), false, 0},
		"another one between": {append(headed(40, func(i int) string {
			return fmt.Sprint(400 + 2*i)
		}), "age"), false, 0},
	} {
		axis, is := axisOf(c.headings)
		assert.Equal(t, c.is, is, name)
		if is {
			assert.Equal(t, c.missing, axis.missing, name)
		}
	}
}

// A table of spectra is read as series, says so, and is read alike when it is classified.
func TestSpectraAreSeries(t *testing.T) {
	table := func(labels bool) string {
		var b strings.Builder
		b.WriteString(strings.Join(headed(30, func(i int) string { return fmt.Sprint(400 + 2*i) }), ","))
		if labels {
			b.WriteString(",label")
		}
		for sample := range 8 {
			cells := headed(30, func(i int) string { return fmt.Sprint((sample*i*i + 3*i) % 17) })
			b.WriteString("\n" + strings.Join(cells, ","))
			if labels {
				b.WriteString("," + []string{"u", "v"}[sample%2])
			}
		}
		return b.String() + "\n"
	}
	path := put(t, t.TempDir(), "spectra.csv", table(true))
	result, d := imported(t, Options{}, path)
	assert.Equal(t, []string{"value"}, result.Sensors)
	assert.Equal(t, 30, result.Timepoints.Longest)
	messagetest.OneNames(t, result.Notes, "400 to 458 … axis … --take")
	alike(t, Options{}, d, put(t, t.TempDir(), "new.csv", table(false)))

	take := headed(30, func(i int) string { return fmt.Sprint(400 + 2*i) })
	result, _ = imported(t, Options{Table: Table{Take: take}}, path)
	require.Len(t, result.Sensors, 30, "sensors, if a person says so")
}

// A column that names the samples makes no other thing of an axis. A few columns beside it are told of, as a table that
// has them is none of series.
func TestColumnsBesideAnAxis(t *testing.T) {
	table := func(beside string) string {
		var b strings.Builder
		points := headed(30, func(i int) string { return fmt.Sprintf("%d nm", 400+5*i) })
		b.WriteString(beside + "," + strings.Join(points, ",") + ",label\n")
		for sample := range 8 {
			fmt.Fprintf(&b, "%d", 7+sample*sample)
			for i := range 30 {
				fmt.Fprintf(&b, ",%d", (i*i+sample)%13)
			}
			fmt.Fprintf(&b, ",%c\n", 'a'+sample%2)
		}
		return b.String()
	}
	folder := t.TempDir()
	result, d := imported(t, Options{}, put(t, folder, "named.csv", table("sample")))
	messagetest.OneNames(t, result.Notes, "400 nm … 545 nm … axis")
	assert.Equal(t, 30, result.Timepoints.Longest)
	assert.Equal(t, []string{"value at 400 nm", "value at 405 nm"}, d.NodeNames[:2], "as explain names them")
	result, _ = imported(t, Options{}, put(t, folder, "beside.csv", table("moisture")))
	messagetest.OneNames(t, result.Notes, `axis … not moisture … --leave "moisture"`)
	leave := Options{Table: Table{Leave: []string{"moisture"}}}
	result, _ = imported(t, leave, put(t, folder, "left.csv", table("moisture")))
	assert.Equal(t, 30, result.Timepoints.Longest)
}
