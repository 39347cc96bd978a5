package turns

import (
	"encoding/csv"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Warm-up steps are not timed; the median is of the others.
func TestTime(t *testing.T) {
	calls := 0
	f, err := Time(2, 3, func() error {
		calls++
		if calls <= 2 {
			time.Sleep(20 * time.Millisecond)
		}
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, 5, calls)
	assert.GreaterOrEqual(t, f.WarmupS, 0.04)
	assert.LessOrEqual(t, f.MinMS, f.MedianMS)
	assert.Positive(t, f.PeakRSSMB)
	_, err = Time(0, 0, func() error { return errors.New("no memory") })
	assert.EqualError(t, err, "no memory")
}

// Contenders take turns, each figure is the median over the rounds, and one that fails costs the others nothing.
func TestCompare(t *testing.T) {
	var order string
	contender := func(name string, times ...float64) Contender {
		return Contender{name, func() (Figures, error) {
			order += name
			ms := times[0]
			times = times[1:]
			if ms == 0 {
				return Figures{}, errors.New("out of memory")
			}
			return Figures{MedianMS: ms, CPUMS: 2 * ms, Versions: "v" + name}, nil
		}}
	}
	var text strings.Builder
	table := NewTable(&text, "EPYC", "0-1")
	err := table.Compare("cifar10/train", "batch 64", 3, []Contender{contender("a", 9, 1, 3), contender("b", 6, 5, 100), contender("c", 2, 0)})
	assert.EqualError(t, err, "cifar10/train, c: out of memory")
	assert.Equal(t, "abcabcab", order)
	require.NoError(t, table.Compare("ntu/train", "", 1, []Contender{contender("a", 1)}))
	rows, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 4)
	assert.Equal(t, []string{"cifar10/train", "batch 64", "a", "3.000", "1.000", "6.000", "1.000", "0", "3", "0-1", "EPYC"}, rows[1][:11])
	assert.Equal(t, []string{"b", "6.000", "0.500"}, rows[2][2:5])
	assert.Equal(t, "vb", rows[2][12])
	assert.Equal(t, "ntu/train", rows[3][0])
}

// Where ours fails there is nothing to compare with, but the others' times are kept.
func TestCompareWithoutOurs(t *testing.T) {
	var text strings.Builder
	err := NewTable(&text, "", "").Compare("w", "", 1, []Contender{
		{"ours", func() (Figures, error) { return Figures{}, errors.New("no device") }},
		{"theirs", func() (Figures, error) { return Figures{MedianMS: 2}, nil }},
	})
	assert.ErrorContains(t, err, "no device")
	assert.Contains(t, text.String(), "w,,theirs,2.000,,0.000,,")
}

// The last line of a process' output is read, with its environment; all else is an error that names it.
func TestCommand(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	f, err := Command([]string{"MS=2.5"}, shell, "-c", `echo compiling; echo "{\"median_ms\": $MS, \"versions\": \"$HOME\"}"`)()
	require.NoError(t, err)
	assert.Equal(t, Figures{MedianMS: 2.5, Versions: os.Getenv("HOME")}, f)
	_, err = Command(nil, shell, "-c", "echo compiling")()
	assert.ErrorContains(t, err, "its last line of output is not JSON")
	_, err = Command(nil, shell, "-c", "exit 3")()
	assert.ErrorContains(t, err, "exit status 3")
}
