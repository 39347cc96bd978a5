package recordings

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// recordedAt writes recordings of two classes with 40 lines at some times.
func recordedAt(t *testing.T, heading string, at func(line int) string) string {
	folder := t.TempDir()
	for recording := range 4 {
		var b strings.Builder
		b.WriteString(heading + ",v\n")
		for line := range 40 {
			fmt.Fprintf(&b, "%s,%d\n", at(line), (line*line+recording)%7)
		}
		put(t, folder, fmt.Sprintf("%c/r%d.csv", 'a'+recording%2, recording), b.String())
	}
	return folder
}

// Where many lines have the time of another one, the message says why, and what to do.
func TestTooFewTimes(t *testing.T) {
	for name, c := range map[string]struct {
		at   func(line int) string
		want string
	}{
		"a rate finer than the digits": {func(line int) string { return fmt.Sprintf("%.2f", float64(line)/400) },
			"29 of its 40 … steps of 0.01 … more digits … --leave"},
		"seconds of a date": {func(line int) string { return fmt.Sprintf("2024-05-01 12:00:%02d", line/10) },
			"36 of its 40 … steps of 1 … more digits"},
		"float32": {func(line int) string { return fmt.Sprint(float64(float32(1.7e9 + 20*float64(line)))) },
			"float32 … 128 apart … float64"},
		"float32 of a short recording": {
			func(line int) string { return fmt.Sprint(float64(float32(1.7e9 + float64(line)/100))) },
			"39 of its 40 … float32 … 128 apart"},
		"one time": {func(int) string { return "5" }, "39 of its 40 … --leave"},
		"one line twice": {func(line int) string { return fmt.Sprint(max(line, 1)) },
			"line 2 … already; keep one"},
	} {
		t.Run(name, func(t *testing.T) {
			messagetest.Names(t, refused(t, Options{}, recordedAt(t, "time", c.at)), c.want)
		})
	}
}

// A logarithmic axis is none of even steps, in the times of a recording or in the headings of a table.
func TestLogarithmicAxes(t *testing.T) {
	tenths := func(line int) float64 { return math.Pow(10, float64(line)/10) }
	folder := recordedAt(t, "time", func(line int) string { return fmt.Sprintf("%.4g", tenths(line)) })
	messagetest.Names(t, refused(t, Options{}, folder), "even factors … logarithms … leave")

	for name, heading := range map[string]func(i int) string{
		"plain":         func(i int) string { return fmt.Sprintf("%.4f", tenths(i)) },
		"with a unit":   func(i int) string { return fmt.Sprintf("%.3g Hz", 31.5*tenths(i)) },
		"thirds of one": func(i int) string { return fmt.Sprintf("f%.3g", 31.5*math.Pow(2, float64(i)/3)) },
	} {
		lines := []string{strings.Join(headed(24, heading), ",") + ",label"}
		for sample := range 8 {
			cells := headed(24, func(i int) string { return fmt.Sprint((sample*i*i + i) % 11) })
			lines = append(lines, strings.Join(cells, ",")+[]string{",a", ",b"}[sample%2])
		}
		path := put(t, t.TempDir(), "table.csv", strings.Join(lines, "\n")+"\n")
		t.Run(name, func(t *testing.T) {
			messagetest.Names(t, refused(t, Options{}, path), "even factors … the logarithm … --take")
		})
	}
}
