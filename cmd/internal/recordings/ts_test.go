package recordings

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const tsHead = "#about\n\n@problemName Two Moves\n@timeStamps false\n@missing false\n@univariate false\n@dimensions " +
	"2\n@equalLength false\n" +
	"@classLabel true wave fall nod\n@data\n"

// tsFolder writes a problem of two dimensions: 4 + 4 training samples, 2 tests.
func tsFolder(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "TwoMoves")
	put(t, folder, "TwoMoves_TRAIN.ts", tsHead+many(4, "0,1,2:5,6,7:wave", "1,?,3:?,8,NaN:fall"))
	put(t, folder, "TwoMoves_TEST.ts", tsHead+"0,1,2,3,4:5,5,5,5,5:wave\r\n 1,2,3 : 1,1,2 : fall")
	return folder
}

func TestTSFolder(t *testing.T) {
	result, d := imported(t, Options{}, tsFolder(t))
	assert.Equal(t, Timepoints{3, 3, 5, 0}, result.Timepoints)
	assert.Equal(t, "3 to 5 time points, median 3", result.Lengths)
	assert.Equal(t, []Class{{"wave", 5}, {"fall", 5}}, result.Classes)
	messagetest.EachNames(t, result.Notes, "no sample … class nod … left out")
	assert.Equal(t, Filled{Changes: recording.Changes{Interpolated: 12}, Samples: 4, Of: 9*6 + 10}, result.Filled)
	assert.Equal(t, []int{8, 2}, []int{result.Training, result.Test})
	assert.Equal(t, "the files", result.SplitBy)
	assert.Equal(t, []string{"wave", "fall"}, d.ClassNames)
	assert.Equal(t, []string{"dim_0@0", "dim_1@0", "dim_0@1", "dim_1@1", "dim_0@2", "dim_1@2"}, d.NodeNames)
	assert.Equal(t, []int{8, 9}, d.Test)
	assert.Equal(t, []float32{0, 5, 1, 6, 2, 7}, signal(d, 0))
	assert.Equal(t, []float32{1, 8, 2, 8, 3, 8}, signal(d, 1), "interpolated, and held at both ends")
	assert.Equal(t, []float32{1. / 3, 5, 2, 5, 11. / 3, 5}, signal(d, 8), "5 time points at 3")
	assert.Equal(t, 3+2*2, d.Affinity.Edges(), "a link in each frame, both sensors to the next")
	assert.Equal(t, 1.0, d.Affinity.At(0, 1))
	assert.Equal(t, 1.0, d.Affinity.At(1, 3))
	assert.Zero(t, d.Affinity.At(1, 2))
}

// One file says nothing of a test; one dimension is a chain; without @dimensions the first line says how many there
// are.
func TestTSFile(t *testing.T) {
	path := put(t, t.TempDir(), "Beat.ts", "%# cut down: \"two\" classes\n%\n@problemName Beat\n@classLabel true\n@data\n"+
		many(10, "1,2,3,4:b", "4,3,2,1:a"))
	result, d := imported(t, Options{}, path)
	assert.Equal(t, []string{"a", "b"}, d.ClassNames)
	assert.Equal(t, "", result.SplitBy)
	assert.Equal(t, []int{4, 1}, d.Grid)
	assert.Equal(t, 3+2, d.Affinity.Edges())
	assert.Equal(t, "Beat.npz", Name([]string{path}))

	folder := tsFolder(t)
	pair := []string{filepath.Join(folder, "TwoMoves_TEST.ts"), filepath.Join(folder, "TwoMoves_TRAIN.ts")}
	_, d = importedAt(t, 2, Options{}, pair...)
	assert.Len(t, d.Test, 2, "the names tell, not the order")
	assert.Equal(t, []float32{1. / 3, 16. / 3, 5. / 3, 20. / 3}, signal(d, 0))
	assert.Equal(t, "TwoMoves.npz", Name(pair))
	assert.Equal(t, "TwoMoves.npz", Name([]string{folder + "/"}))
}

// Padding at the ends is no gap, and long series are cut down to 128 frames.
func TestTSLengths(t *testing.T) {
	row := strings.TrimSuffix(strings.Repeat("1,2,", 100), ",")
	path := put(t, t.TempDir(), "Long.ts", "@classLabel true a b\n@data\n"+many(10, row+",?,?:a", row+":b"))
	result, _ := imported(t, Options{}, path)
	messagetest.Names(t, result.Lengths, "200 time points")
	assert.Zero(t, result.Filled.Samples)
}

func TestTSErrors(t *testing.T) {
	good := "@dimensions 2\n@classLabel true a b\n@data\n"
	for _, c := range []struct{ text, want string }{
		{"", "a.ts … no @data line"},
		{"1,2,3\n", `a.ts, line 1 … "1,2,3" … before @data`},
		{good + "%1,2:3,4:a\n", "a.ts … no sample … cut off"},
		{"@data\n", "a.ts, line 1 … no @classLabel line … before @data"},
		{"@dimensions many\n", `a.ts, line 1 … @dimensions … "many" … whole number`},
		{"@targetLabel true\n", "a.ts, line 1 … @targetLabel true … predict"},
		{"@classLabel false\n", `a.ts, line 1 … @classLabel … "false" … without classes`},
		{"@classLabel true a b a\n@data\n1:a\n", `a.ts, line 1 … @classLabel … class "a" … twice`},
		{good, "a.ts … no sample … cut off"},
		{good + "1,2:a\n", "a.ts, line 4 … 2 fields … 3 … 2 dimensions"},
		{good + "1,2:3,4:c\n", `a.ts, line 4 … class "c" … @classLabel (a b)`},
		{good + "1,2:3:a\n", "a.ts, line 4 … dimension 1 … 1 values … dimension 0 … 2"},
		{good + "1,2:3,x:a\n", `a.ts, line 4 … dimension 1, value 1 … "x" … number … ?`},
		{good + "1,2:3,1e99:a\n", `dimension 1, value 1 … "1e99" … number`},
		{"@classLabel true\n@data\n1,2:\n",
			"a.ts, line 3 … nothing … last colon … class"},
		{good + "1,2:?,?:a\n1,2:1,2:b\n", `a.ts, line 4 … "dim_1" … no value … --missing fill … --missing zero`},
		{good + "?,?:?,?:a\n1,2:1,2:b\n", "a.ts, line 4 … no sensor … remove the sample"},
	} {
		messagetest.Names(t, refused(t, Options{}, put(t, t.TempDir(), "a.ts", c.text)), c.want)
	}

	folder := t.TempDir()
	a := put(t, folder, "a_TRAIN.ts", good+"1,2:3,4:a\n")
	b := put(t, folder, "a_TEST.ts", "@dimensions 1\n@classLabel true a b\n@data\n1,2:a\n")
	messagetest.Names(t, refused(t, Options{}, folder), "a_TEST.ts … 1 dimensions … "+a+" … 2")
	put(t, folder, "a_TEST.ts", "@dimensions 2\n@classLabel true a c\n@data\n1,2:1,2:a\n")
	messagetest.Names(t, refused(t, Options{}, a, b), `class "c" … `+a+` (a b)`)
	c := put(t, folder, "c.ts", good)
	messagetest.Names(t, refused(t, Options{}, a, c), "2 .ts files … "+a+", … NAME_TRAIN.ts and NAME_TEST.ts")
	messagetest.Names(t, refused(t, Options{}, a, b, c), "3 .ts files … "+a+", …")
	messagetest.Names(t, refused(t, Options{}, folder), "3 .ts files … "+b+", … NAME_TRAIN.ts")
	messagetest.Names(t, refused(t, Options{Test: "a*"}, a), "--test … folders or long … ts")
	for option, table := range map[string]Table{"time": {Time: "t"}, "dates": {Dates: "day"},
		"layout": {Layout: samplesLayout}} {
		messagetest.Names(t, refused(t, Options{Table: table}, a), "--"+option+" … form of tables … ts")
		array := writeNPY(t, folder, "u/r.npy", []int{3, 2}, make([]float64, 6))
		messagetest.Names(t, refused(t, Options{Table: table}, array), "--"+option+" … form of tables … long")
	}
	messagetest.Names(t, refused(t, Options{}, filepath.Join(folder, "none.ts")), "none.ts … no such file")
	messagetest.Names(t, refused(t, Options{}, put(t, folder, "a.doc", "")), "a.doc … neither … .csv")
}

// Values with their times are read whole: dates have colons, sensors times of their own, numbers signs and exponents.
// (aeon 1.6.0 takes what looks like digits.digits out of such a line.)
func TestTSTimeStamps(t *testing.T) {
	head := "@timeStamps true\n@dimensions 2\n@classLabel true a b\n@data\n"
	path := put(t, t.TempDir(), "a.ts",
		head+"(0,-1),(1,2e-1),(3,5):(0,7),(2,-8.5),(3,9):a\n(0,1),(1,2):(0,3), ( 1 , ? ):b\n")
	s, err := read(t, []string{path}, Options{})
	require.NoError(t, err)
	assert.Equal(t, []float64{0, 1, 2, 3}, s.samples[0].Times)
	got := fmt.Sprint(s.samples[0].Values, s.samples[1].Times, s.samples[1].Values)
	assert.Equal(t, "[-1 7 0.2 NaN NaN -8.5 5 9] [0 1] [1 3 2 NaN]", got)
	path = put(t, t.TempDir(), "a.ts",
		head+many(4, "(2013-02-05 00:00:00,1),(2013-02-05 00:00:00.5,2):(2013-02-05 00:00:00,3),(2013-02-05 00:00:00.5,4):a",
			"(2013-02-05 10:00:00,1),(2013-02-05 10:00:00.5,2):(2013-02-05 10:00:00,3),(2013-02-05 10:00:00.5,4):b"))
	result, d := imported(t, Options{}, path)
	messagetest.Names(t, result.Lengths, "2 time points … 0.5")
	assert.Equal(t, 1.0, d.Form.Second, "dates are in seconds")
	for line, want := range map[string]string{
		"1,2:3,4:a":                       `line 5 … dimension 0 … "1,2" … (0.5,1.2)`,
		"(0,1),(1,2:(0,1):a":              "2 fields … 3",
		"(0,1),(0,2):(0,1):a":             "dimension 0 … two values … time 0; … one",
		"(noon,1):(0,1):a":                `"noon" … not a time`,
		"(0,1),(2013-02-05,2):(0,1):a":    "times … another form",
		"(01/02/2013,1):(01/02/2013,1):a": "a day … a month … year first",
		"(0,x):(0,1):a":                   `dimension 0, value 0 … "x" … number`,
		"?:?:a":                           "no sensor … remove the sample",
		"(0,1):a":                         "2 fields … 3",
	} {
		messagetest.Names(t, refused(t, Options{}, put(t, t.TempDir(), "a.ts", head+line+"\n")), want, line)
	}
}

// aeon ends the lines of new recordings, which have no class, by a colon.
func TestTSWithoutClasses(t *testing.T) {
	_, d := imported(t, Options{}, tsFolder(t))
	head := "@timestamps false\n@univariate false\n@dimension 2\n@targetlabel false\n@data\n"
	for _, text := range []string{head + "1,2,3:4,5,6:\n", head + "1,2,3:4,5,6\n",
		"@classLabel true wave fall\n@data\n1,2,3:4,5,6:wave\n"} {
		all, _, err := ReadUnlabelled(t.Context(), []string{put(t, t.TempDir(), "a.ts", text)}, d.Form)
		require.NoError(t, err)
		assert.Equal(t, []float64{1, 4, 2, 5, 3, 6}, all[0].Values)
	}
}

// Classes keep their letters, whatever other readers make of them: A and a are two, and dominant is not domiNaNt.
func TestTSKeepsLabels(t *testing.T) {
	path := put(t, t.TempDir(), "a.ts", "@classLabel true A a dominant ?\n@data\n"+many(4, "1,2:A", "1,3:a",
		"2,4:dominant"))
	result, d := imported(t, Options{}, path)
	assert.Equal(t, []string{"A", "a", "dominant"}, d.ClassNames)
	assert.Contains(t, strings.Join(result.Notes, "\n"), `class "A" and "a"`)
}

// Names of classes may have blanks, as aeon writes them: the samples tell which words belong together.
func TestTSClassesWithBlanks(t *testing.T) {
	folder := t.TempDir()
	train := put(t, folder, "Moves_TRAIN.ts", "@classLabel true going up going down sit\n@data\n"+
		many(4, "1,2:going up", "2,4:sit", "3,4:going down"))
	test := put(t, folder, "Moves_TEST.ts", "@classLabel true going up going down sit\n@data\n"+
		many(2, "1,2:sit", "1,3:going down"))
	for _, order := range [][]string{{train, test}, {test, train}} {
		_, d := imported(t, Options{}, order...)
		assert.Equal(t, []string{"going up", "going down", "sit"}, d.ClassNames)
	}
	messagetest.Names(t, refused(t, Options{},
		put(t, folder, "a.ts", "@classLabel true going up sit\n@data\n1,2:going down\n1,2:sit\n")),
		`a.ts, line 3 … class "going down" … @classLabel (going up sit)`)
}

// A folder as aeon ships it holds series of one length beside the problem of its name.
func TestTSFolderWithAnotherProblem(t *testing.T) {
	folder := tsFolder(t)
	put(t, folder, "TwoMoves_eq_TRAIN.ts", tsHead+many(4, "0,1,2:5,6,7:wave", "1,?,3:?,8,NaN:fall"))
	put(t, folder, "TwoMoves_eq_TEST.ts", tsHead+"0,1,2:5,5,5:wave\n")
	result, _ := imported(t, Options{}, folder)
	assert.Equal(t, []int{8, 2}, []int{result.Training, result.Test})
	messagetest.Names(t, strings.Join(result.Notes, "\n"),
		"TwoMoves_TRAIN.ts and TwoMoves_TEST.ts … TwoMoves_eq_TEST.ts, TwoMoves_eq_TRAIN.ts … left out")
}

func TestTSMissingZero(t *testing.T) {
	path := put(t, t.TempDir(), "a.ts", "@classLabel true a b\n@data\n"+many(10, "1,2:?,?:a", "1,2:3,4:b"))
	result, d := imported(t, Options{Missing: "zero"}, path)
	assert.Equal(t, Filled{Changes: recording.Changes{Zeros: 20}, Samples: 10, Of: 80}, result.Filled)
	assert.Equal(t, []float32{1, 0, 2, 0}, signal(d, 0))
}

// TestRealTS converts the problems of the UEA archive that lie in the folder of the data sets.
func TestRealTS(t *testing.T) {
	folder := os.Getenv("CCP_DATA")
	problems, err := filepath.Glob(filepath.Join(folder, "uea", "*", "*_TRAIN.ts"))
	require.NoError(t, err)
	if folder == "" || len(problems) == 0 {
		t.Skip("CCP_DATA names no folder with uea/NAME/NAME_TRAIN.ts")
	}
	for _, path := range problems {
		problem := filepath.Dir(path)
		t.Run(filepath.Base(problem), func(t *testing.T) {
			result, d := imported(t, Options{}, problem)
			assert.Equal(t, result.Test, len(d.Test))
			assert.Equal(t, result.Training, len(d.Train)+len(d.Validation))
			assert.Equal(t, 1, d.Affinity.Stats().Components)
			for _, mean := range d.Mean {
				assert.False(t, math.IsNaN(float64(mean)))
			}
		})
	}
}
