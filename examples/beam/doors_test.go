package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// clocked returns a recording as a table: time points so far apart, of which the heading is told, then hip and head.
func clocked(i, count int, step float64, heading string) string {
	text := heading + ",hip,head\n"
	for m := range count {
		at := float64(m) * step
		text += fmt.Sprintf("%g,%g,%g\n", at, math.Sin(at*float64(1+i%2)+float64(i)), math.Cos(at)+float64(i%3))
	}
	return strings.TrimPrefix(text, ",")
}

// A pipeline says of each file what ccp predict says of it alone: the same class, probabilities and warnings, or the
// same refusal. Files of one name are told apart by their paths.
func TestEachFileAsPredict(t *testing.T) {
	t.Setenv("GOMLX_BACKEND", "go")
	folder := t.TempDir()
	ccp := programIn(t, folder)
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	for i := range 24 {
		file(fmt.Sprintf("known/%c/%d.csv", "ab"[i%2], i), clocked(i, 40, 0.25, "clock"))
	}
	ccp("data", "import", "known", "--time", "clock", "--out", "known.npz")
	ccp("train", "--data", "known.npz", "--checkpoint", "run", "--fast")
	whole := clocked(3, 40, 0.25, "clock")
	rows := strings.Split(strings.TrimSpace(whole), "\n")
	turned, german := "", ""
	for _, row := range rows {
		cells := strings.Split(row, ",")
		turned += fmt.Sprintf("%s,%s,%s\n", cells[2], cells[0], cells[1])
		german += strings.ReplaceAll(strings.ReplaceAll(row, ",", ";"), ".", ",") + "\n"
	}
	files := []string{
		file("new/slow/0.csv", clocked(5, 20, 0.5, "clock")), file("new/fast/0.csv", whole),
		file("new/heading.csv", clocked(4, 20, 0.5, "stopwatch")), // refused: its times would be taken for none
		file("new/unit.csv", clocked(4, 40, 250, "clock")),
		file("new/turned.csv", turned), file("new/semicolons.csv", german),
		file("new/gaps.csv", strings.Join(append(rows[:5:5], append([]string{"1,,"}, rows[6:]...)...), "\n")),
		file("new/extra.csv", strings.ReplaceAll(strings.Replace(whole, "clock", "battery,clock", 1), "\n0", "\n77,0")),
		file("new/missing.csv", "clock,hip\n0,1\n0.25,2\n0.5,3\n"),
		file("new/large.csv", strings.ReplaceAll(whole, ".", "")),
		file("new/short.csv", clocked(4, 9, 0.25, "clock")), file("new/one.csv", clocked(4, 1, 0.25, "clock")),
		file("new/samples.tsv", "sample\tclock\thip\thead\nx\t0\t1\t2\nx\t0.25\t2\t3\ny\t0\t3\t3\ny\t0.25\t1\t1\n"),
	}
	out := filepath.Join(folder, "out")
	refused, err := run(t.Context(), "prism", filepath.Join(folder, "run"), out, 2, files)
	must(t, err)
	got := map[string][]string{}
	for _, pattern := range []string{"predictions-*", "refused-*"} {
		all, err := csv.NewReader(strings.NewReader(strings.Join(sorted(t, filepath.Join(out, pattern)), ""))).ReadAll()
		must(t, err)
		for _, row := range all {
			got[row[0]] = append(got[row[0]], strings.Join(row[1:], "|"))
		}
	}
	for _, path := range files {
		want, ok := alone(t, folder, path)
		text := strings.Join(got[path], "\n")
		if !ok {
			refused--
			_, reason, _ := strings.Cut(text, "|")
			reason = strings.TrimPrefix(reason, path)
			if reason == "" || !strings.Contains(want, reason) {
				t.Errorf("%s: %q; ccp predict: %s", path, text, want)
			}
		} else if text != want {
			t.Errorf("%s: %q; ccp predict: %q", path, text, want)
		}
	}
	if refused != 0 {
		t.Errorf("%d more were refused than ccp predict refuses", refused)
	}
}

// alone returns what ccp predict says of a file, in the form of the pipeline's lines but with | between the cells, or
// its error. What predict notes of the file, on the standard error, stands with each recording, as the pipeline has it.
func alone(t *testing.T, folder, path string) (said string, ok bool) {
	t.Helper()
	cmd := exec.Command(os.Getenv("CCP_PROGRAM"), "predict", "--json", "--checkpoint", "run", path)
	var errs bytes.Buffer
	cmd.Dir, cmd.Stderr = folder, &errs
	output, err := cmd.Output()
	if err != nil {
		return errs.String(), false
	}
	var lines, notes []string
	for line := range strings.Lines(errs.String()) {
		note, found := strings.CutPrefix(strings.TrimSpace(line), "note: ")
		if found {
			notes = append(notes, note)
		}
	}
	for line := range strings.Lines(string(output)) {
		var p struct {
			Name, Class   string
			Probability   float64
			Probabilities map[string]float64
			Warnings      []string
		}
		must(t, json.Unmarshal([]byte(line), &p))
		cells := []string{p.Name, p.Class}
		for _, share := range []float64{p.Probability, p.Probabilities["a"], p.Probabilities["b"]} {
			cells = append(cells, strconv.FormatFloat(share, 'g', 7, 64))
		}
		lines = append(lines, strings.Join(append(cells, strings.Join(slices.Concat(notes, p.Warnings), "; ")), "|"))
	}
	return strings.Join(lines, "\n"), true
}
