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

// Command measures by a process of its own, whose last line of output is Figures as JSON. env is added to the environment.
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

// Table is the CSV of comparisons.
type Table struct {
	rows         *csv.Writer
	device, cpus string
}

// NewTable begins a table. device is what all contenders compute on, cpus the processors that they are pinned to, "" for all.
func NewTable(w io.Writer, device, cpus string) *Table {
	t := &Table{csv.NewWriter(w), device, cpus}
	t.write("work", "settings", "implementation", "median_ms", "ours_over_theirs", "cpu_ms", "cpu_ours_over_theirs", "peak_rss_mb", "rounds", "cpus", "device", "platform", "versions")
	return t
}

// Compare measures the contenders in turn for a number of rounds and writes a row of medians for each. The ratios are those of
// the first contender, which is ours, to each. A contender that fails has no row, and is named in the error; the others are measured.
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
			fmt.Fprintf(os.Stderr, "%-28s %-15s %9.2f ms %9.2f ms of processor %6.0f MB\n", work, c.Name, f.MedianMS, f.CPUMS, f.PeakRSSMB)
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

// write writes a row at once, in case what comes later fails. An error is kept for Compare.
func (t *Table) write(cells ...string) {
	_ = t.rows.Write(cells)
	t.rows.Flush()
}

// ratio is empty where ours failed.
func ratio(ours, theirs float64) string {
	if ours == 0 || theirs == 0 {
		return ""
	}
	return fixed(ours/theirs, 3)
}

func fixed(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }
