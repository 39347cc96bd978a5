package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clusterpool/ccp/cmd/inputs"
	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/conformal"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// moves returns the values of a recording, `[timepoints, 3]`: a hip that falls or rises, a head that follows it, and a
// pulse of another scale. Recordings have 9 to 12 time points, and a gap.
func moves(i int) (rows [][3]float64, label string) {
	label = []string{"fall", "rise"}[i%2]
	for timepoint := range 9 + i%4 {
		slope := float64(2*(i%2)-1) * float64(timepoint) / 4
		hip := slope + math.Sin(float64(i*timepoint))/5
		head := 1 + slope + math.Cos(float64(i+timepoint))/5
		if timepoint == 3 {
			head = math.NaN()
		}
		rows = append(rows, [3]float64{hip, head, 60 + 5*math.Sin(float64(i+2*timepoint))})
	}
	return rows, label
}

// dialect writes recordings first to last in a way that people's files have, and returns what to name in a command.
// Without labels they are as a new recording is.
type dialect func(t *testing.T, folder string, first, last int, labels bool) []string

// named returns the name of a recording: the first 16 are to train on, the others to test on.
func named(i int) string { return fmt.Sprintf("%c%02d", "ab"[min(i/16, 1)], i) }

func cell(v float64, missing, comma string) string {
	if math.IsNaN(v) {
		return missing
	}
	return strings.Replace(strconv.FormatFloat(v, 'f', 6, 64), ".", comma, 1)
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// Files in folders of their classes; new ones have no class, other columns and another order.
func inFolders(t *testing.T, folder string, first, last int, labels bool) []string {
	for i := first; i < last; i++ {
		rows, label := moves(i)
		text := "hip,head,pulse\n"
		if !labels {
			label, text = "", "pulse,battery,hip,head\n"
		}
		for _, r := range rows {
			hip, head, pulse := cell(r[0], "", "."), cell(r[1], "", "."), cell(r[2], "", ".")
			if labels {
				text += hip + "," + head + "," + pulse + "\n"
			} else {
				text += pulse + ",77," + hip + "," + head + "\n"
			}
		}
		write(t, filepath.Join(folder, label, named(i)+".csv"), text)
	}
	return []string{folder}
}

// A table with a line a time point, semicolons, decimal commas, units and NA.
func inTimepoints(t *testing.T, folder string, first, last int, labels bool) []string {
	text := "sample;t;hip;head;pulse;label\n;s;m;m;1/min;\n"
	for i := first; i < last; i++ {
		rows, label := moves(i)
		if !labels {
			label = ""
		}
		for timepoint, r := range rows {
			text += fmt.Sprintf("%s;%d,5;%s;%s;%s;%s\n", named(i), timepoint, cell(r[0], "NA", ","), cell(r[1], "NA", ","),
				cell(r[2], "NA", ","), label)
		}
	}
	return []string{write(t, filepath.Join(folder, "timepoints.csv"), text)}
}

// A table with a line a reading, dates, and tabs.
func inReadings(t *testing.T, folder string, first, last int, labels bool) []string {
	text := "sample\ttime\tsensor\tvalue\tlabel\n"
	if !labels {
		text = strings.Replace(text, "\tlabel", "", 1)
	}
	for i := first; i < last; i++ {
		rows, label := moves(i)
		for timepoint, r := range rows {
			for sensor, name := range []string{"hip", "head", "pulse"} {
				when := time.Date(2026, 1, 2, 3, 4, timepoint, 0, time.UTC).Format(time.RFC3339)
				text += fmt.Sprintf("%s\t%s\t%s\t%s", named(i), when, name, cell(r[sensor], "null", "."))
				if labels {
					text += "\t" + label
				}
				text += "\n"
			}
		}
	}
	return []string{write(t, filepath.Join(folder, "readings.tsv"), text)}
}

// probabilities reads what predict wrote: the probabilities of each recording.
func probabilities(t *testing.T, text string) map[string][]float64 {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err, text)
	assert.Equal(t, []string{"name", "class", "probability", "fall", "rise"}, rows[0])
	all := map[string][]float64{}
	for _, row := range rows[1:] {
		name := strings.TrimSuffix(row[0], ".csv")
		for _, text := range row[3:] {
			p, err := strconv.ParseFloat(text, 64)
			require.NoError(t, err)
			all[name] = append(all[name], p)
		}
		assert.InDelta(t, 1, all[name][0]+all[name][1], 1e-6)
		assert.Equal(t, row[2], row[3+map[string]int{"fall": 0, "rise": 1}[row[1]]])
	}
	return all
}

// Recordings that were never imported have the same probabilities as the same recordings within an .npz file, in three
// dialects, with all settings of the import.
func TestPredictRecordings(t *testing.T) {
	for name, dialect := range map[string]dialect{"folders": inFolders, "timepoints": inTimepoints,
		"readings": inReadings} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			at := func(name string) string { return filepath.Join(folder, name) }
			settings := []string{"--scale", "--origin", "hip", "--test", "b*"}
			for out, last := range map[string]int{"known.npz": 20, "both.npz": 28} { // of one scale: b… are tests
				line := append([]string{"data", "import", "--out", at(out)}, settings...)
				succeed(t, append(line, dialect(t, at(out+".files"), 0, last, true)...)...)
			}
			line := []string{"train", "--data", at("known.npz"), "--checkpoint", at("run"), "--set", "frames=8"}
			succeed(t, append(line, tiny...)...)
			line = []string{"predict", "--backend", "go", "--checkpoint", at("run")}
			want := probabilities(t, succeed(t, append(line, at("both.npz"))...))
			require.Len(t, want, 28)

			code, stdout, stderr := execute(t, append(line, dialect(t, at("fresh"), 20, 28, false)...)...)
			require.Zero(t, code, stderr)
			for _, line := range lines(stderr) { // of nothing but the columns
				assert.True(t, !strings.HasPrefix(line, "warning") || strings.HasSuffix(line, "left out (8 in all)") ||
					strings.HasSuffix(line, "they are taken by their names (8 in all)"), line)
			}
			got := probabilities(t, stdout)
			require.Len(t, got, 8)
			for name, p := range got {
				assert.InDeltaSlice(t, want[name], p, 1e-6, name)
			}
		})
	}
}

// user has a network that was trained on recordings in folders, and a new recording.
type user struct {
	folder string
	line   []string // of predict, without its input
	one    string   // the file of the new recording, which has another column and another order
}

func newUser(t *testing.T) user {
	t.Helper()
	u := user{folder: t.TempDir()}
	succeed(t, append([]string{"data", "import", "--out", u.at("mine.npz")},
		inFolders(t, u.at("mine"), 0, 20, true)...)...)
	succeed(t, append([]string{"train", "--data", u.at("mine.npz"), "--checkpoint", u.at("run"), "--set",
		"transforms=none"},
		tiny...)...)
	u.line = []string{"predict", "--backend", "go", "--checkpoint", u.at("run")}
	inFolders(t, u.at("new"), 20, 22, false)
	u.one = u.at("new/b20.csv")
	return u
}

func (u user) at(name string) string { return filepath.Join(u.folder, name) }

// predict adds words to the command line, which succeeds.
func (u user) predict(t *testing.T, words ...string) string {
	t.Helper()
	return succeed(t, append(u.line, words...)...)
}

// eval is the command line of another command on the same checkpoint.
func (u user) eval(words ...string) []string {
	return append([]string{"eval", "--backend", "go", "--checkpoint", u.at("run")}, words...)
}

// fails runs a command line that exits with 1, and returns what it said.
func fails(t *testing.T, line ...string) string {
	t.Helper()
	code, _, stderr := execute(t, line...)
	assert.Equal(t, 1, code)
	return stderr
}

// text returns the lines of the new recording: the headings, and those of its time points.
func (u user) text(t *testing.T) (headings string, timepoints []string) {
	t.Helper()
	raw, err := os.ReadFile(u.one)
	require.NoError(t, err)
	all := lines(string(raw))
	return all[0], all[1:]
}

// series writes an array of zeros as the file's series.
func (u user) series(t *testing.T, name string, shape ...int) string {
	t.Helper()
	values := 1
	for _, n := range shape {
		values *= n
	}
	a := &npz.Array{Shape: shape, Data: make([]float32, values)}
	if strings.HasSuffix(name, ".npz") {
		require.NoError(t, npz.Write(u.at(name), []npz.Named{{Name: "series", Array: a}}))
		return u.at(name)
	}
	var array bytes.Buffer
	require.NoError(t, npz.WriteNPY(&array, a))
	return write(t, u.at(name), array.String())
}

// labelled writes samples `[2, 9, 7]` of zeros under a name, as a data set of two classes.
func (u user) labelled(t *testing.T, name string) string {
	t.Helper()
	path := u.at(name + ".npz")
	require.NoError(t, npz.Write(path, []npz.Named{
		{Name: name, Array: &npz.Array{Shape: []int{2, 9, 7}, Data: make([]float32, 2*9*7)}},
		{Name: "labels", Array: &npz.Array{Shape: []int{2}, Data: []int64{0, 1}}},
		{Name: "edges", Array: &npz.Array{Shape: []int{1, 2}, Data: []int64{0, 1}}},
	}))
	return path
}

// A file tells of its columns, and a table on standard input is predicted as the file is.
func TestPredictFileAndStandardInput(t *testing.T) {
	u := newUser(t)
	code, stdout, stderr := execute(t, append(u.line, u.one)...)
	require.Zero(t, code, stderr)
	assert.Equal(t, "warning: b20.csv: sensor battery was not in the training data; left out\n"+
		"warning: b20.csv: its sensors are in another order than the training data's; they are taken by their names\n",
		stderr)
	want := probabilities(t, stdout)["b20"]

	in, err := os.Open(u.one)
	require.NoError(t, err)
	defer in.Close()
	was := os.Stdin
	os.Stdin = in
	defer func() { os.Stdin = was }()
	assert.Equal(t, want, probabilities(t, u.predict(t, "-"))["-"])
}

// What is wrong with a numpy file is said once: it is missing, no array, or of another shape.
func TestPredictWrongArray(t *testing.T) {
	u := newUser(t)
	const (
		array = "the classifier needs series [samples, 3, timepoints] or a recording [timepoints, 3]"
		named = "the classifier needs [samples, 3, timepoints]"
	)
	for path, want := range map[string]string{
		u.at("not-there-at-all.npy"):        "there is no such file or folder",
		write(t, u.at("junk.npy"), "1,2"):   "not a .npy array: it does not start with \\x93NUMPY; write it with numpy.save",
		u.series(t, "odd.npy", 2, 9, 7):     "the array has shape [2 9 7]; " + array,
		u.series(t, "flat.npy", 9):          "the array has shape [9]; " + array,
		u.series(t, "axes.npy", 2, 3, 9, 2): "the array has shape [2 3 9 2]; " + array,
		u.series(t, "odd.npz", 2, 9, 7):     "series has shape [2 9 7]; " + named,
		u.series(t, "axes.npz", 2, 3, 9, 2): "series has shape [2 3 9 2]; " + named,
	} {
		assert.Equal(t, "ccp: "+path+": "+want+"\n", fails(t, append(u.line, path)...))
	}
}

// eval says the same of another file.
func TestEvalWrongArray(t *testing.T) {
	u := newUser(t)
	for name, want := range map[string]string{
		"series":   "series has shape [2 9 7]; the classifier needs [samples, 3, timepoints]",
		"features": "it holds features, but the classifier was trained on recordings",
	} {
		path := u.labelled(t, name)
		assert.Contains(t, fails(t, u.eval("--data", path)...), path+": "+want)
	}
}

// --out writes once, --json says the same, --top less.
func TestPredictOutputs(t *testing.T) {
	u := newUser(t)
	want := probabilities(t, u.predict(t, u.one))["b20"]
	assert.Empty(t, u.predict(t, u.at("new"), "--out", u.at("out.csv")))
	text, err := os.ReadFile(u.at("out.csv"))
	require.NoError(t, err)
	assert.InDeltaSlice(t, want, probabilities(t, string(text))["b20"], 1e-6, "other batches round otherwise")
	assert.Contains(t, fails(t, append(u.line, u.at("new"), "--out", u.at("out.csv"))...),
		"out.csv exists; --overwrite replaces it")

	var p predictDocument
	decode(t, lines(u.predict(t, "--json", u.one))[0], &p)
	assert.Equal(t, "b20.csv", p.Name)
	assert.InDelta(t, want[0], p.Probabilities["fall"], 1e-6)
	assert.Equal(t, p.Probability, p.Probabilities[p.Class])

	assert.Regexp(t,
		`^name,class,probability,class_2,probability_2\nb20.csv,(fall,[0-9.]+,rise|rise,[0-9.]+,fall),[0-9.e-]+\n$`,
		u.predict(t, "--top", "2", u.one))
	assert.Regexp(t, `^name,class,probability\nb20.csv,(fall|rise),[0-9.]+\n$`, u.predict(t, "--top", "1", u.one))
}

// parts writes the first and the third six time points of the new recording, each as a file of its own.
func (u user) parts(t *testing.T) string {
	t.Helper()
	headings, timepoints := u.text(t)
	for i, from := range []int{0, 2} {
		write(t, filepath.Join(u.at("parts"), fmt.Sprintf("%d.csv", i)),
			headings+"\n"+strings.Join(timepoints[from:from+6], "\n")+"\n")
	}
	return u.at("parts")
}

// long writes the new recording under another name.
func (u user) long(t *testing.T) string {
	t.Helper()
	headings, timepoints := u.text(t)
	return write(t, u.at("long.csv"), headings+"\n"+strings.Join(timepoints, "\n")+"\n")
}

// Windows have the probabilities of their time points as recordings of their own.
func TestPredictWindows(t *testing.T) {
	u := newUser(t)
	long := u.long(t)
	parts := probabilities(t, u.predict(t, u.parts(t)))
	words := []string{"--window", "6", "--step", "2", "--top", "2", "--figure", u.at("time.svg"), long}
	code, stdout, stderr := execute(t, append(u.line, words...)...)
	require.Zero(t, code, stderr)
	assert.Contains(t, stderr, "warning: long.csv from 0: the last 1 of its 9 time points fill no window; left out\n")
	assert.Regexp(t, `^name,start,end,class,probability,filtered,since,class_2,probability_2\n`+
		`long.csv,0,6,.*\nlong.csv,2,8,.*\nlong.csv,0,8,\w+,[0-9.]+,,,.*\n$`, stdout, "the last is of the whole recording")
	drawn, err := os.ReadFile(u.at("time.svg"))
	require.NoError(t, err)
	assert.Contains(t, string(drawn), "long.csv")
	mean := 0.0
	for i, text := range lines(u.predict(t, "--window", "6", "--step", "2", "--json", long)) {
		var p predictDocument
		decode(t, text, &p)
		if i == 2 {
			assert.InDelta(t, mean, p.Probabilities["fall"], 1e-6, "the mean over the windows")
			continue
		}
		mean += p.Probabilities["fall"] / 2
		assert.InDelta(t, parts[strconv.Itoa(i)][0], p.Probabilities["fall"], 1e-6)
		assert.Equal(t, []float64{float64(2 * i), float64(2*i + 6)}, []float64{*p.Start, *p.End})
	}
}

// Options that do not fit each other, or the recording, are refused: with 2 if the command line alone shows it.
func TestPredictWrongOptions(t *testing.T) {
	u := newUser(t)
	long, parts := u.long(t), u.parts(t)
	for want, words := range map[string][]string{
		"--coverage 0.95: ": {"--coverage", "0.95", long},
		`--coverage "1.5" is not a number above 0 and below 1`:         {"--coverage", "1.5", long},
		"--step is of windows; give --window":                          {"--step", "2", long},
		"--figure is of windows; give --window":                        {"--figure", u.at("two.svg"), long},
		"--window 2 and --step 1s: give both as durations, or both as": {"--window", "2", "--step", "1s", long},
		"--figure draws one recording; here are 2, such as 0.csv and":  {"--window", "2", "--figure", u.at("two.svg"), parts},
		`two.gif" ends in none of .png, .svg`:                          {"--window", "2", "--figure", u.at("two.gif"), long},
		"there is no folder":                                           {"--out", u.at("nowhere/two.csv"), long},
		`--window "2x" is neither a duration above 0`:                  {"--window", "2x", long},
		"long.csv: it has no times, so that 2s may be any number":      {"--window", "2s", long},
		"long.csv: its length is 9, less than a window of 100; take":   {"--window", "100", long},
	} {
		code, stdout, stderr := execute(t, append(u.line, words...)...)
		assert.NotZero(t, code)
		assert.True(t, code == 2 || !strings.HasPrefix(want, "--") && words[0] != "--coverage", want)
		assert.Contains(t, stderr, want)
		assert.Empty(t, stdout)
	}
	code, _, _ := execute(t, u.eval("--coverage", "0.95")...)
	assert.Equal(t, 2, code)

	bad := u.at("bad.csv")
	require.NoError(t, os.WriteFile(bad, []byte("time,hip\n0,1\n"), 0o600))
	_, _, stderr := execute(t, append(u.line, long, bad)...)
	assert.Contains(t, stderr, "bad.csv")
	assert.NotContains(t, stderr, "long.csv", "which is not to blame")
}

// eval names the samples that are taken for another class.
func TestEvalNamesMistakes(t *testing.T) {
	u := newUser(t)
	var e evalDocument
	decode(t, succeed(t, u.eval("--split", "train", "--json")...), &e)
	require.Len(t, e.Mistakes, int(math.Round((1-e.Accuracy)*float64(e.Samples))))
	require.NotEmpty(t, e.Mistakes)
	assert.Regexp(t, `^[ab][0-9]{2}\.csv$`, e.Mistakes[0].Name)
	assert.NotEqual(t, e.Mistakes[0].Class, e.Mistakes[0].Predicted)
	assert.Regexp(t, `(?s)confusion: .*\n\nmistaken +is +taken for +probability\n`+e.Mistakes[0].Name+
		` +(fall|rise) +(fall|rise) +0\.\d{3}\n`, succeed(t, u.eval("--split", "train")...))
}

// A file that was imported with other settings is refused, by predict and by eval.
func TestPredictOtherImport(t *testing.T) {
	u := newUser(t)
	other := u.at("other.npz")
	succeed(t, "data", "import", "--out", other, "--origin", "hip", u.at("mine"))
	for _, line := range [][]string{append(u.line, other), u.eval("--data", other)} {
		assert.Contains(t, fails(t, line...),
			`other.npz: the data holds recordings with 1 channels of the sensors hip, head, pulse, origin "hip", `+
				`the training data recordings with 1 channels of the sensors hip, head, pulse, origin ""; name and import them alike`)
	}
}

// Another unit is told of; a sensor that is missing, or has no value, is refused.
func TestPredictOddSensors(t *testing.T) {
	u := newUser(t)
	raw, err := os.ReadFile(u.one)
	require.NoError(t, err)
	large := write(t, u.at("large.csv"), strings.NewReplacer(",0.", ",", ",-0.", ",-", ",1.", ",1").Replace(string(raw)))
	code, stdout, stderr := execute(t, append(u.line, large)...)
	require.Zero(t, code, stderr)
	assert.Regexp(t, `warning: large.csv: sensor "hip" goes from -?[0-9.e+]+ to [0-9.e+]+, `+
		`in the training data from -[0-9.]+ to [0-9.]+, `+
		`and 1 other channels or sensors are as odd; is it in another unit\?`, stderr)
	assert.Len(t, lines(stdout), 2)
	for file, want := range map[string]string{
		write(t, u.at("less.csv"), "hip,Pulse\n1,60\n2,61\n"):       `less.csv, line 1: no column or sensor is named "head"`,
		write(t, u.at("gap.csv"), "hip,head,pulse\n1,,60\n2,,61\n"): `gap.csv: sensor "head" has no value in this sample`,
		write(t, u.at("odd.csv"), "time,hip,head,pulse\n3,1,1,60\n1,1,1,60\n2,x,1,60\n"): "--leave and --columns are " +
			"flags of ccp data import: change the table",
		write(t, u.at("when.csv"), "time,hip,head,pulse\n3,1,1,60\n1,1,1,60\nx,1,1,60\n"): "31.05.2024 12:00\n",
		write(t, u.at("new.edf"), "0"): "new.edf --label none --out new.npz\n",
	} {
		assert.Contains(t, fails(t, append(u.line, file)...), want)
	}
}

// With --skip what cannot be classified is left out, whole and in windows, and told of; the others are predicted as
// without it.
func TestPredictSkips(t *testing.T) {
	u := newUser(t)
	raw, err := os.ReadFile(u.one)
	require.NoError(t, err)
	folder := u.at("some")
	write(t, filepath.Join(folder, "a.csv"), string(raw))
	write(t, filepath.Join(folder, "b.csv"), "hip,head,pulse\n1,,60\n2,,61\n")
	write(t, filepath.Join(folder, "c.csv"), "hip,head,pulse\n"+strings.Repeat("1,-3e38,60\n1,3e38,60\n", 5))
	write(t, filepath.Join(folder, "d.csv"), string(raw))
	assert.Contains(t, fails(t, append(u.line, folder)...), `b.csv: sensor "head" has no value in this sample`)
	for _, words := range [][]string{{}, {"--window", "6"}} {
		want := lines(u.predict(t, append(words, filepath.Join(folder, "a.csv"))...))
		code, stdout, stderr := execute(t, slices.Concat(u.line, words, []string{"--skip", folder})...)
		require.Zero(t, code, stderr)
		got := lines(stdout)
		require.Len(t, got, 2*len(want)-1, stdout)
		assert.Equal(t, want, got[:len(want)])
		assert.Contains(t, stderr, "left out: b.csv: ")
		assert.Contains(t, stderr, "left out: c.csv: ")
	}
	assert.Contains(t, fails(t, append(u.line, "--skip", filepath.Join(folder, "b.csv"))...),
		"no recording can be classified; the first: b.csv: ")
}

// --skip leaves out files that cannot be read, and tables whose lines are wrong, of a folder or of several files.
func TestPredictSkipsUnreadableFiles(t *testing.T) {
	u := newUser(t)
	raw, err := os.ReadFile(u.one)
	require.NoError(t, err)
	folder := u.at("some")
	write(t, filepath.Join(folder, "a.csv"), string(raw))
	for name, content := range map[string]string{"b.csv": "PK\x03\x04 is no text", "c.parquet": "PAR1 is cut off",
		"d.csv": "", "e.csv": "hip,head,pulse\n1,x,3\n",
		"f.csv": "time,hip,head,pulse\n0,1,2,3\n0,3,4,5\n1,2,3,4\n", "g.csv": "hip,pulse\n1,2\n"} {
		write(t, filepath.Join(folder, name), content)
	}
	write(t, filepath.Join(folder, "z.csv"), string(raw))
	fails(t, append(u.line, folder)...)
	want := lines(u.predict(t, filepath.Join(folder, "a.csv")))
	for _, inputs := range [][]string{{folder},
		{filepath.Join(folder, "b.csv"), filepath.Join(folder, "a.csv"), filepath.Join(folder, "d.csv"),
			filepath.Join(folder, "e.csv"), filepath.Join(folder, "z.csv")}} {
		code, stdout, stderr := execute(t, slices.Concat(u.line, []string{"--skip"}, inputs)...)
		require.Zero(t, code, stderr)
		got := lines(stdout)
		require.Len(t, got, 2*len(want)-1, stdout)
		assert.Equal(t, want, got[:len(want)])
		for _, name := range []string{"b.csv", "d.csv", "e.csv"} {
			assert.Contains(t, stderr, "left out: "+name+": ")
		}
	}
	assert.Contains(t, fails(t, append(u.line, "--skip", filepath.Join(folder, "d.csv"))...),
		"no recording can be classified; the first: d.csv: ")
}

// --skip leaves out samples of an .npz that cannot be classified.
func TestPredictSkipsSamplesOfAFile(t *testing.T) {
	u := newUser(t)
	const timepoints = 20
	write := func(name string, bad map[int]float64) string {
		values := make([]float64, 4*3*timepoints)
		for i := range values {
			values[i] = math.Sin(float64(i%(3*timepoints)) / 3)
		}
		for sample, value := range bad {
			for at := range timepoints { // of one sensor
				values[sample*3*timepoints+at] = value
			}
		}
		require.NoError(t, npz.Write(u.at(name), []npz.Named{
			{Name: "series", Array: &npz.Array{Shape: []int{4, 3, timepoints}, Data: values}},
			{Name: "sample_names", Array: &npz.Array{Shape: []int{4}, Data: []string{"a", "b", "c", "d"}}}}))
		return u.at(name)
	}
	want := lines(u.predict(t, write("good.npz", nil)))
	bad := write("bad.npz", map[int]float64{0: math.NaN(), 2: math.Inf(1)})
	fails(t, append(u.line, bad)...)
	code, stdout, stderr := execute(t, append(u.line, "--skip", bad)...)
	require.Zero(t, code, stderr)
	assert.Equal(t, []string{want[0], want[2], want[4]}, lines(stdout))
	assert.Contains(t, stderr, "left out: a: ")
	assert.Contains(t, stderr, "left out: c: ")
}

// A classifier of signals refuses recordings, in predict and in eval.
func TestSignalsAreNoRecordings(t *testing.T) {
	u := user{folder: t.TempDir()}
	inFolders(t, u.at("new"), 20, 21, false)
	ofDigits := trained(t)
	assert.Contains(t, fails(t, "predict", "--backend", "go", "--checkpoint", ofDigits, u.at("new/b20.csv")),
		"b20.csv: the classifier was trained on signals, not on recordings")
	assert.Contains(t, fails(t, "eval", "--backend", "go", "--checkpoint", ofDigits, "--data", u.labelled(t, "series")),
		"series.npz: it holds series, but the classifier was trained on signals")
	gaps := make([]float32, 2*64)
	gaps[70] = float32(math.NaN())
	require.NoError(t, npz.Write(u.at("gaps.npz"),
		[]npz.Named{{Name: "features", Array: &npz.Array{Shape: []int{2, 64}, Data: gaps}},
			{Name: "labels", Array: &npz.Array{Shape: []int{2}, Data: []int64{0, 1}}}}))
	assert.Contains(t, fails(t, "eval", "--backend", "go", "--checkpoint", ofDigits, "--data", u.at("gaps.npz")),
		"gaps.npz: features has gaps (NaN), and the classifier was trained without any")
}

// Two columns of a table never have one name, whatever the classes are called.
func TestColumnsOfPredictions(t *testing.T) {
	rows := classify.Samples{Names: []string{"a"}}.Table(
		[]models.Prediction{{Name: "class", Probability: 0.75, Probabilities: []float64{0.75, 0.25}}},
		[]string{"class", "rise"}, 0, classify.Sets{})
	assert.Equal(t, [][]string{{"name", "class", "probability", "probability of class", "rise"},
		{"a", "class", "0.75", "0.75", "0.25"}}, rows)
	sets := classify.Sets{Coverage: 0.5, By: conformal.New([]float64{0.1, 0.3, 0.8}, []int32{0, 0, 1}, 2)}
	rows = classify.Samples{Names: []string{"a", "b"}}.Table(
		[]models.Prediction{{Name: "set", Probability: 0.75, Probabilities: []float64{0.75, 0.25}},
			{Name: "set", Probability: 0.5, Probabilities: []float64{0.25, 0.25}}}, []string{"set", "rise"}, 1, sets)
	assert.Equal(t, [][]string{{"name", "class", "probability", "set", "p_value"}, {"a", "set", "0.75", "set", "0.75"},
		{"b", "set", "0.5", "", "0.5"}}, rows)
}

// Of one sensor an array [samples, timepoints] has no other reading, so that what is wrong with its values is the
// reason.
func TestArrayOfOneSensor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.npy")
	file, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, npz.WriteNPY(file, &npz.Array{Shape: []int{1, 3}, Data: []float64{1, math.Inf(1), 2}}))
	require.NoError(t, file.Close())
	form := &recording.Form{Sensors: []string{"sensor 0"}, Channels: 1, Longest: 3, Frames: 3}
	_, _, err = inputs.Recordings(t.Context(), []string{path}, form, true)
	require.ErrorContains(t, err, path+": series[0,0,1] is +Inf, which is not a finite float32")
	assert.NotContains(t, err.Error(), "shape")
}
