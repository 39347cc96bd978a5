package turns

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// Contender is one side of a comparison.
type Contender struct {
	Name    string
	Measure func() (Figures, error)
}

// Command returns a function that runs a command and reads its last line of output, Figures as JSON. env is added to
// the environment.
func Command(env []string, command ...string) func() (Figures, error) {
	return func() (f Figures, err error) {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Env, cmd.Stderr = append(os.Environ(), env...), os.Stderr
		output, err := cmd.Output()
		if err != nil {
			return f, fmt.Errorf("%s: %w", command[0], err)
		}
		lines := strings.Split(strings.TrimSpace(string(output)), "\n")
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &f); err != nil {
			return f, fmt.Errorf("%s: its last line of output is not JSON: %w", command[0], err)
		}
		return f, nil
	}
}

// Table is a CSV of comparisons.
type Table struct {
	rows         *csv.Writer
	device, cpus string
}

// NewTable begins a table. All contenders compute on device, pinned to the processors cpus, "" for all.
func NewTable(w io.Writer, device, cpus string) *Table {
	t := &Table{csv.NewWriter(w), device, cpus}
	t.write("work", "settings", "implementation", "median_ms", "ours_over_theirs", "cpu_ms", "cpu_ours_over_theirs",
		"peak_rss_mb", "rounds", "cpus", "device", "platform", "versions")
	return t
}

// Compare measures the contenders in turn for a number of rounds and writes a row of medians for each. Ratios are the
// first contender's time, ours, over each contender's. A contender that fails has no row; the error names it, and the
// others are measured.
func (t *Table) Compare(work, settings string, rounds int, contenders []Contender) error {
	measured, failed := make([][]Figures, len(contenders)), make([]error, len(contenders))
	for range rounds {
		for i, c := range contenders {
			if failed[i] != nil {
				continue
			}
			f, err := c.Measure()
			if err != nil {
				failed[i] = fmt.Errorf("%s, %s: %w", work, c.Name, err)
				fmt.Fprintln(os.Stderr, failed[i])
				continue
			}
			measured[i] = append(measured[i], f)
			fmt.Fprintf(os.Stderr, "%-28s %-15s %9.2f ms %9.2f ms of processor %6.0f MB\n",
				work, c.Name, f.MedianMS, f.CPUMS, f.PeakRSSMB)
		}
	}
	var ours, oursCPU float64
	for i, c := range contenders {
		if failed[i] != nil {
			continue
		}
		var times, cpu, memory []float64
		for _, f := range measured[i] {
			times, cpu, memory = append(times, f.MedianMS), append(cpu, f.CPUMS), append(memory, f.PeakRSSMB)
		}
		ms, cpuMS := median(times), median(cpu)
		if i == 0 {
			ours, oursCPU = ms, cpuMS
		}
		t.write(work, settings, c.Name, fixed(ms, 3), ratio(ours, ms), fixed(cpuMS, 3), ratio(oursCPU, cpuMS), fixed(median(memory), 0),
			strconv.Itoa(rounds), t.cpus, t.device, runtime.GOOS+"/"+runtime.GOARCH, measured[i][0].Versions)
	}
	return errors.Join(append(failed, t.rows.Error())...)
}

// write writes a row at once, in case a later one fails. Compare returns its error.
func (t *Table) write(cells ...string) {
	_ = t.rows.Write(cells)
	t.rows.Flush()
}

// ratio formats a ratio. It is empty if ours failed.
func ratio(ours, theirs float64) string {
	if ours == 0 || theirs == 0 {
		return ""
	}
	return fixed(ours/theirs, 3)
}

func fixed(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }
