package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/gomlx/compute"
)

// The documents that --json prints, as they are documented.
type (
	scoreDocument struct {
		Loss     float64 `json:"loss"`
		Accuracy float64 `json:"accuracy"`
	}
	trainDocument struct {
		Command          string        `json:"command"`
		Data             string        `json:"data"`
		Model            string        `json:"model"`
		Backend          string        `json:"backend"`
		Seed             int64         `json:"seed"`
		Parameters       int           `json:"parameters"`
		Epochs           int           `json:"epochs"`
		Steps            int           `json:"steps"`
		BestEpoch        int           `json:"best_epoch"`
		Train            scoreDocument `json:"train"`
		Validation       scoreDocument `json:"validation"`
		Test             scoreDocument `json:"test"`
		Objective        []float64     `json:"objective"`
		Seconds          float64       `json:"seconds"`
		Prepare          float64       `json:"prepare_seconds"`
		PredictedBy      string        `json:"predicted_by"`
		Compile          float64       `json:"compile_seconds"`
		Checkpoint       string        `json:"checkpoint"`
		MajorityBaseline float64       `json:"majority-class baseline"`
		TestSamples      int           `json:"test_samples"`
		TestClasses      []struct {
			Samples int `json:"samples"`
			Right   int `json:"right"`
		} `json:"test_classes"`
		Findings []any `json:"findings,omitempty"`
	}
	evalDocument struct {
		PredictedBy string  `json:"predicted_by"`
		TrainedOn   *int    `json:"trained_on"`
		ChosenBy    *int    `json:"chosen_by"`
		Outside     int     `json:"outside"`
		Temperature float64 `json:"temperature"`
		HeldOut     int     `json:"held_out"`
		Sets        *struct {
			Coverage float64   `json:"coverage"`
			Samples  int       `json:"samples"`
			Held     int       `json:"held"`
			None     int       `json:"none"`
			Several  int       `json:"several"`
			Classes  int       `json:"classes"`
			HeldOut  int       `json:"held_out"`
			Groups   int       `json:"groups,omitempty"`
			Chance   []float64 `json:"chance,omitempty"`
			Remarks  []string  `json:"remarks,omitempty"`
		} `json:"sets,omitempty"`
		Command  string `json:"command"`
		Data     string `json:"data"`
		Split    string `json:"split"`
		Mistakes []struct {
			Name        string  `json:"name"`
			Class       string  `json:"class"`
			Predicted   string  `json:"predicted"`
			Probability float64 `json:"probability"`
		} `json:"mistakes,omitempty"`
		Samples     int                 `json:"samples"`
		Accuracy    float64             `json:"accuracy"`
		Reliability reliabilityDocument `json:"reliability"`
		Balanced    float64             `json:"balanced_accuracy"`
		Majority    float64             `json:"majority_baseline"`
		AUROC       *float64            `json:"auroc"`
		Precision   *float64            `json:"average_precision"`
		Brier       float64             `json:"brier"`
		Loss        float64             `json:"loss"`
		PerClass    []struct {
			Name      string  `json:"class"`
			Samples   int     `json:"samples"`
			Precision float64 `json:"precision"`
			Recall    float64 `json:"recall"`
			F1        float64 `json:"f1"`
		} `json:"per_class"`
		Confusion [][]int `json:"confusion"`
	}
	reliabilityDocument struct {
		Error float64 `json:"error"`
		Loss  float64 `json:"loss"`
		Bins  []struct {
			Samples    int     `json:"samples"`
			Confidence float64 `json:"confidence"`
			Accuracy   float64 `json:"accuracy"`
		} `json:"bins"`
	}
	predictDocument struct {
		Name          string             `json:"name"`
		Start         *float64           `json:"start,omitempty"`
		End           *float64           `json:"end,omitempty"`
		Class         string             `json:"class"`
		Probability   float64            `json:"probability"`
		Probabilities map[string]float64 `json:"probabilities"`
		Set           []string           `json:"set,omitzero"`
		PValue        *float64           `json:"p_value,omitempty"`
		PValues       map[string]float64 `json:"p_values,omitempty"`
		Filtered      *struct {
			Class       string   `json:"class"`
			Probability float64  `json:"probability"`
			Since       *float64 `json:"since,omitempty"`
		} `json:"filtered,omitempty"`
		Warnings []string `json:"warnings,omitempty"`
	}
)

const digitsFile = "../../examples/digits.npy"

func TestTrain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "the run") // a name to be quoted
	line := append([]string{"train", "--checkpoint", dir, "--seed", "7"}, tiny...)
	code, stdout, stderr := execute(t, line...)
	require.Zero(t, code, stderr)
	doubt, stderr, _ := strings.Cut(stderr, "\n")
	assert.Regexp(t, `^warning: samples that stand together in the file are alike: .* held out \d+%`, doubt)
	assert.Equal(t, "data   digits: 1,258 training, 180 validation, 359 test samples in 10 classes\n"+
		"graph  64 nodes, 210 edges, 1 channel\nmodel  ccp 4x8/4,1x8/4, fc 8, on go\ntrain  19 steps of 64 samples "+
		"in 1 epoch, rate 0.001 cosine, best weights\n", stderr[:strings.Index(stderr, "epoch 1/1")])
	assert.Regexp(t, `^epoch 1/1  loss \d\.\d{4}  acc 0\.\d{3}  val 0\.\d{4}  C \d\.\d\d \d\.\d\d  \d+\.\ds  best$`, lines(stderr)[4])
	assert.NotContains(t, stderr, "\r", "no bar off a terminal")
	require.Len(t, lines(stdout), 4)
	assert.Regexp(t, `^test accuracy \d+\.\d\d%, loss \d\.\d{4}; validation accuracy \d+\.\d\d%, after the last of 1 epoch$`, lines(stdout)[0])
	assert.Regexp(t, `^778 parameters, 19 steps in \d+\.\ds of training after \d+\.\ds of compiling, on go$`, lines(stdout)[1])
	assert.Equal(t, "predicted by the network", lines(stdout)[2])
	assert.Equal(t, "checkpoint in "+dir+"; try: "+self()+" eval --checkpoint '"+dir+"'", lines(stdout)[3])

	code, stdout, stderr = execute(t, append(line, "--json")...)
	require.Zero(t, code, stderr)
	assert.Equal(t, "this run had ended before and nothing was trained now; --overwrite trains it anew\n", stderr)
	var ended trainDocument
	decode(t, stdout, &ended)

	code, stdout, stderr = execute(t, append(line, "--json", "--overwrite")...)
	require.Zero(t, code, stderr)
	var again trainDocument
	decode(t, lines(stdout)[len(lines(stdout))-1], &again)
	assert.Equal(t, 1, strings.Count(stdout, "{\"command\""), stdout)
	assert.Positive(t, again.Seconds)
	assert.Positive(t, again.Compile)
	again.Seconds, again.Prepare, again.Compile = ended.Seconds, ended.Prepare, ended.Compile
	assert.Equal(t, ended, again, "the same seed gives the same result")
	assert.Len(t, again.Objective, 2)
	assert.Equal(t, trainDocument{Command: "train", Data: "digits", Model: "ccp", Backend: "go", Seed: 7,
		Parameters: 778, Epochs: 1, Steps: 19, BestEpoch: 1,
		Train: again.Train, Validation: again.Validation, Test: again.Test, Objective: again.Objective,
		Findings: again.Findings,
		Seconds:  again.Seconds, Prepare: again.Prepare, Compile: again.Compile, Checkpoint: dir,
		PredictedBy:      "the network",
		MajorityBaseline: 37. / 359, TestSamples: 359, TestClasses: again.TestClasses}, again)
	samples, right := 0, 0
	for _, class := range again.TestClasses {
		samples, right = samples+class.Samples, right+class.Right
	}
	assert.Len(t, again.TestClasses, 10)
	assert.Equal(t, 359, samples, "of each class")
	assert.InDelta(t, again.Test.Accuracy, float64(right)/359, 1e-9)
}

func TestTrainGuardsADirectory(t *testing.T) {
	dir := trained(t)
	code, _, stderr := execute(t, append(append([]string{"train", "--checkpoint", dir}, tiny...), "--lr", "0.5")...)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, dir+" holds a run with other settings (learning_rate was 0.001, is 0.5)")
	succeed(t, append(append([]string{"train", "--checkpoint", dir}, tiny...), "--lr", "0.5", "--overwrite")...)

	precious := filepath.Join(t.TempDir(), "thesis.tex")
	require.NoError(t, os.WriteFile(precious, nil, 0o644))
	succeed(t, append([]string{"train", "--checkpoint", filepath.Dir(precious), "--overwrite"}, tiny...)...)
	succeed(t, append([]string{"train", "--checkpoint", filepath.Dir(precious), "--overwrite"}, tiny...)...)
	assert.FileExists(t, precious, "--overwrite deletes nothing but a run")
}

func TestTrainNamesTheDataFolder(t *testing.T) {
	line := append([]string{"train", "--checkpoint", filepath.Join(t.TempDir(), "run"), "--data-dir", "x y"}, tiny...)
	assert.True(t, strings.HasSuffix(succeed(t, line...), "/run --data-dir 'x y'\n"), "eval needs it too")
}

func TestEval(t *testing.T) {
	dir := trained(t)
	for _, split := range []struct {
		name    string
		samples int
	}{{"train", 1258}, {"validation", 180}, {"test", 359}} {
		var e evalDocument
		decode(t, succeed(t, "eval", "--backend", "go", "--checkpoint", dir, "--split", split.name, "--json"), &e)
		assert.Equal(t, []any{"eval", "digits", split.name, split.samples}, []any{e.Command, e.Data, e.Split, e.Samples})
		require.Len(t, e.Confusion, 10)
		sorted := 0
		for _, b := range e.Reliability.Bins {
			sorted += b.Samples
		}
		assert.Equal(t, split.samples, sorted)
		assert.Equal(t, 180, e.HeldOut)
		if split.name == "validation" { // by which the temperature was found
			assert.Less(t, e.Reliability.Loss, e.Loss)
		}
		hits, all := 0, 0
		for k, row := range e.Confusion {
			require.Len(t, row, 10)
			hits += row[k]
			samples := 0
			for _, n := range row {
				samples += n
			}
			assert.Equal(t, samples, e.PerClass[k].Samples)
			all += samples
		}
		assert.Equal(t, split.samples, all)
		assert.InDelta(t, float64(hits)/float64(all), e.Accuracy, 1e-12)
		assert.Positive(t, e.Loss)
	}
	var e evalDocument
	decode(t, succeed(t, "eval", "--backend", "go", "--checkpoint", dir, "--split", "validation", "--coverage", "0.9",
		"--json"), &e)
	assert.Equal(t, 180, e.Sets.HeldOut)
	require.Len(t, e.Sets.Chance, 2)
	assert.Less(t, e.Sets.Chance[0], 0.9)
	assert.Greater(t, e.Sets.Chance[1], 0.9)
	assert.Equal(t, 163, e.Sets.Held, "0.9 of 181, upwards: these samples have the scores themselves")
	decode(t, succeed(t, "eval", "--backend", "go", "--checkpoint", dir, "--coverage", "0.1", "--json"), &e)
	assert.InDelta(t, 0.1, float64(e.Sets.Held)/359, 0.15)
	assert.GreaterOrEqual(t, e.Sets.Classes, e.Sets.Samples+e.Sets.Several-e.Sets.None)
	none := 0
	for _, text := range lines(succeed(t, "predict", "--backend", "go", "--checkpoint", dir, "--coverage", "0.1", "--json",
		digitsFile)) {
		var p predictDocument
		decode(t, text, &p)
		require.Len(t, p.PValues, 10)
		for class, value := range p.PValues {
			assert.Equal(t, value > 0.9, slices.Contains(p.Set, class))
			assert.LessOrEqual(t, value, *p.PValue)
		}
		assert.Equal(t, p.PValues[p.Class], *p.PValue, "of the most probable class")
		if len(p.Set) == 0 {
			none++
		}
	}
	assert.True(t, none > 0 && none < 10, "%d of ten digits have no class", none)
	table := succeed(t, "predict", "--backend", "go", "--checkpoint", dir, "--coverage", "0.1", digitsFile)
	assert.Contains(t, table, "name,class,probability,set,p_value,0,1,")
	code, _, stderr := execute(t, "eval", "--backend", "go", "--checkpoint", dir, "--mirrored")
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "digits: its samples have no mirror images; leave it out")
	text := succeed(t, "eval", "--backend", "go", "--checkpoint", dir, "--coverage", "0.1")
	assert.Regexp(t, `^digits, test split: accuracy \d+\.\d\d% of 359 samples, loss \d\.\d{4}\nmajority-class `+
		`baseline [\d.]+%; balanced accuracy [\d.]+%, `+
		`AUROC [\d.]+%, average precision [\d.]+%, Brier score [\d.]+\npredicted by the network\nprobabilities: `+
		`expected calibration error \d+\.\d\d%, at temperature [\d.]+ of 180 held-out samples, `+
		`loss \d\.\d{4}\nsets at a coverage of 10%: [\d.]+% hold the truth \(so few samples: [\d.]+ to [\d.]+% in nine `+
		`of ten draws\); [\d.]+ classes in the mean, several in \d+, none in `+
		`\d+; by 180 held-out samples\n\nclass  samples  precision  recall     F1\n0           36 `, text)
	assert.Contains(t, text, "\nconfusion: a row for each true class")

	code, _, stderr = execute(t, "eval", "--backend", "go", "--checkpoint", dir, "--data", ringFile(t, ring(40)))
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "has signals of 12 nodes x 3 channels, the model was trained on 64 x 1")
}

func TestPredict(t *testing.T) {
	dir := trained(t)
	stdout := lines(succeed(t, "predict", "--backend", "go", "--checkpoint", dir, "--json", digitsFile))
	require.Len(t, stdout, 10)
	text := lines(succeed(t, "predict", "--backend", "go", "--checkpoint", dir, digitsFile))
	require.Len(t, text, 11)
	assert.Equal(t, "name,class,probability,0,1,2,3,4,5,6,7,8,9", text[0])
	for i, line := range stdout {
		var p predictDocument
		decode(t, line, &p)
		assert.Equal(t, fmt.Sprint(i), p.Name)
		assert.Regexp(t, `^\d$`, p.Class)
		assert.True(t, p.Probability >= 0.1 && p.Probability <= 1, "the largest of ten: %v", p.Probability)
		assert.Len(t, p.Probabilities, 10)
		assert.Equal(t, p.Probability, p.Probabilities[p.Class])
		assert.Regexp(t, fmt.Sprintf(`^%d,%s,%.7g,`, i, p.Class, p.Probability), text[i+1])
	}
}

// A few signals need no XLA, and so no plugin; many do.
func TestPredictLittle(t *testing.T) {
	dir := trained(t)
	t.Setenv(compute.ConfigEnvVar, "")
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", t.TempDir())
	code, _, stderr := execute(t, "predict", "--offline", "--checkpoint", dir, digitsFile)
	require.Zero(t, code, stderr)
	assert.Empty(t, stderr)
	code, _, stderr = execute(t, "predict", "--offline", "--backend", "xla:cpu", "--checkpoint", dir, digitsFile)
	assert.Equal(t, 1, code, "who names a backend gets it")
	assert.Contains(t, stderr, "xla:cpu")
}

func TestPredictRefuses(t *testing.T) {
	dir := trained(t)
	write := func(name string, a *npz.Array) string {
		path := filepath.Join(t.TempDir(), name)
		if strings.HasSuffix(name, ".npz") {
			require.NoError(t, npz.Write(path, []npz.Named{{Name: strings.TrimSuffix(name, ".npz"), Array: a}}))
			return path
		}
		require.NoError(t, files.Write(path, func(w io.Writer) error { return npz.WriteNPY(w, a) }))
		return path
	}
	signal := make([]float32, 128)
	signal[70] = float32(math.NaN())
	text := filepath.Join(t.TempDir(), "signals.npy")
	require.NoError(t, os.WriteFile(text, []byte("0 1 2"), 0o644))
	for _, c := range []struct{ path, want string }{
		{"nothing.npy", "nothing.npy: there is no such file or folder"},
		{text, "signals.npy"},
		{write("flat.npy", &npz.Array{Shape: []int{128}, Data: signal}),
			"features has shape [128]; the model needs [samples, 64, 1]"},
		{write("wide.npy", &npz.Array{Shape: []int{1, 64, 2}, Data: signal}),
			"features has shape [1 64 2]; the model needs [samples, 64, 1]"},
		{write("nan.npy", &npz.Array{Shape: []int{2, 64}, Data: signal}),
			"unusable signal 1: node 6, channel 0 is NaN; replace it by a number"},
		{write("words.npy", &npz.Array{Shape: []int{1, 64}, Data: make([]string, 64)}),
			"features: elements are string, want numbers; store them as such (features.astype(numpy.float32))"},
		{write("other.npz", &npz.Array{Shape: []int{2, 64}, Data: signal}),
			"no array features; store the signals as features [samples, nodes, channels] (the file has other)"},
	} {
		code, stdout, stderr := execute(t, "predict", "--backend", "go", "--checkpoint", dir, c.path)
		assert.Equal(t, 1, code)
		assert.Empty(t, stdout)
		assert.Len(t, lines(stderr), 1, stderr)
		assert.Contains(t, stderr, c.want)
		assert.Equal(t, 1, strings.Count(stderr, c.path), "names the file once: %s", stderr)
	}

	// Names may be numbers, one for each sample.
	named := func(numbers ...int64) string {
		path := filepath.Join(t.TempDir(), "named.npz")
		require.NoError(t, npz.Write(path,
			[]npz.Named{{Name: "features", Array: &npz.Array{Shape: []int{2, 64}, Data: make([]float32, 128)}},
				{Name: "sample_names", Array: &npz.Array{Shape: []int{len(numbers)}, Data: numbers}}}))
		return path
	}
	assert.Regexp(t, "(?m)^1000,.*\n1001,",
		succeed(t, "predict", "--backend", "go", "--checkpoint", dir, named(1000, 1001)))
	code, _, stderr := execute(t, "predict", "--backend", "go", "--checkpoint", dir, named(1, 2, 3))
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "sample_names has shape [3]; want [2], the number of samples of features")
}

// TestExampleDigits keeps examples/digits.npy: for each class in turn the first of its test samples, in raw units.
func TestExampleDigits(t *testing.T) {
	d, err := datasets.Load(t.Context(), "digits", datasets.Options{})
	require.NoError(t, err)
	want := &npz.Array{Shape: []int{d.Classes(), d.Nodes}}
	var values []uint8
	for class := range d.Classes() {
		for _, i := range d.Test {
			if int(d.Labels[i]) == class {
				sample := make([]float32, d.Nodes)
				d.Signals.Read(i, sample)
				for _, v := range sample {
					values = append(values, uint8(v))
				}
				break
			}
		}
	}
	want.Data = values
	if *update {
		require.NoError(t, files.Write(digitsFile, func(w io.Writer) error { return npz.WriteNPY(w, want) }))
	}
	got, err := npz.ReadNPYFile(digitsFile)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestDataList(t *testing.T) {
	fixtures := regexp.MustCompile(`(?s)letters\n.*\n\n(PATH)`) // of the tests alone
	golden(t, "data-list.output", fixtures.ReplaceAllString(succeed(t, "data", "list"), "$1"))
	var sources []datasets.Source
	decode(t, succeed(t, "data", "list", "--json"), &sources)
	require.NotEmpty(t, sources)
	assert.Equal(t, "digits", sources[0].Name)
	assert.Equal(t, 1797, sources[0].Samples)
	for _, line := range lines(succeed(t, "data", "list")) {
		assert.LessOrEqual(t, len(line), 80, line)
	}
}

func TestDataCheckOfNames(t *testing.T) {
	golden(t, "data-check-digits.output", succeed(t, "data", "check", "digits"))
	var report checkJSON
	decode(t, succeed(t, "data", "check", "digits", "--json"), &report)
	d := report.Data
	assert.Equal(t, []int{64, 1, 1438, 0, 359, 64, 210},
		[]int{d.Nodes, d.Channels, d.Train, d.Validation, d.Test, d.Graph.Nodes, d.Graph.Edges})
	assert.Len(t, d.Classes, 10)
	assert.NotNil(t, report.Warnings)

	path := ringFile(t, without(ring(40), "edges"))
	code, _, stderr := execute(t, "data", "check", path)
	assert.Equal(t, 1, code, stderr)
	_, _, stderr = execute(t, "data", "info", "digits")
	assert.Contains(t, stderr, `there is no command "info"; it is part of ccp data check`)
	assert.Contains(t, succeed(t, "data", "check", path, "--knn", "2"), "40 samples, 12 nodes, 3 channels, 4 classes")
}

func TestDoctor(t *testing.T) {
	text := succeed(t, "doctor", "--backend", "go")
	assert.Contains(t, text, "ok         go: 256x256 product right")
	assert.Contains(t, text, "\nrequest    go\n")
	code, failed, stderr := execute(t, "doctor", "--backend", "xla:/none.so")
	assert.Equal(t, []any{1, "ccp: the requested backend, xla:/none.so, cannot be opened\n"}, []any{code, stderr})
	assert.Contains(t, failed, "FAILED     xla:/none.so: ")
	assert.Contains(t, failed, "\nchosen     none: the requested backend cannot be opened\nto do      the requested "+
		"backend, xla:/none.so, does not work; ")
	var report struct {
		Chosen string           `json:"chosen"`
		Trials []map[string]any `json:"trials"`
	}
	stdout := succeed(t, "doctor", "--backend", "go", "--json")
	require.NoError(t, json.Unmarshal([]byte(stdout), &report))
	assert.Len(t, lines(stdout), 1)
	assert.Equal(t, "go", report.Chosen)
	assert.NotEmpty(t, report.Trials)
}

func TestVersion(t *testing.T) {
	text := succeed(t, "version")
	for _, name := range []string{"ccp", "gomlx", "go-xla", "go", "platform"} {
		assert.Regexp(t, `(?m)^`+name+` +\S+$`, text)
	}
	var versions map[string]string
	decode(t, succeed(t, "version", "--json"), &versions)
	assert.Equal(t, runtime.Version(), versions["go"])
	assert.NotEmpty(t, versions["gomlx"])
}
