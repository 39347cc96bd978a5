package recordings

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/messagetest"
)

// states writes a file in which the state changes every so many lines.
func states(t *testing.T, sample bool, lines ...int) string {
	t.Helper()
	var b strings.Builder
	if sample {
		b.WriteString("sample,")
	}
	b.WriteString("time,ax,state\n")
	at := 0
	for k, n := range lines {
		for range n {
			if sample {
				b.WriteString("p1,")
			}
			fmt.Fprintf(&b, "%.1f,%d,%s\n", float64(at)/10, at*at%97, []string{"stand", "walk"}[k%2])
			at++
		}
	}
	return put(t, t.TempDir(), "states.csv", b.String())
}

// Where the class changes within a recording, windows are cut of the stretches of one class: none has two. Without
// windows the error says so.
func TestWindowsOfStretchesOfOneClass(t *testing.T) {
	cut := Options{Label: "state", Cut: recording.Cut{Window: recording.Span{Length: 3}}}
	for name, sample := range map[string]bool{"one file": false, "a column of samples": true} {
		path := states(t, sample, 100, 95, 100, 10, 100)
		result, d := imported(t, cut, path)
		assert.Equal(t, []Class{{"stand", 9}, {"walk", 3}}, result.Classes, name)
		assert.Len(t, result.Groups, 4, name)
		messagetest.OneNames(t, result.Notes, "1 of 5 recordings … left out … 1 … less … window of 3s", name)
		for i, series := range d.Series {
			assert.Len(t, series, 30, "%s: %d", name, i)
		}
		messagetest.Names(t, refused(t, Options{Label: "state"}, path), "--window … stretches of one class")
	}
	// recordings of one class each have one stretch
	folder := t.TempDir()
	for i := range 4 {
		lines := headed(90, func(at int) string { return fmt.Sprintf("%.1f,%d", float64(at)/10, at*at%97) })
		name := fmt.Sprintf("%s/%d.csv", []string{"stand", "walk"}[i%2], i)
		put(t, folder, name, "time,ax\n"+many(1, lines...))
	}
	result, _ := imported(t, Options{Cut: cut.Cut}, folder)
	assert.Equal(t, []Class{{"stand", 6}, {"walk", 6}}, result.Classes)
	assert.NotContains(t, strings.Join(result.Notes, "\n"), "stretches")
}
