package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files and examples/digits.npy anew")

// published are the settings of the paper's network and training.
var published = []string{"--hierarchy", "learned", "--set", "ccp_hierarchies=1", "--set", "ccp_start=drawn",
	"--set", "ccp_slots=rank", "--set", "ccp_stem=0", "--set", "ccp_padding=nodes", "--set", "ccp_dropout=0",
	"--set", "readout_dropout=0.2",
	"--set", "keep=best", "--validation", "0.125", "--lr", "0.001", "--set", "schedule=cosine",
	"--set", "label_smoothing=0"}

// tiny are the settings with which a training on the digits takes a fraction of a second, on the pure Go backend.
var tiny = append([]string{"--backend", "go", "--levels", "4x8/4,1x8/4", "--fc", "8", "--epochs", "1"}, published...)

// onRequest is the first data set that its authors give to those who ask.
func onRequest() datasets.Source {
	sources := datasets.Names()
	return sources[slices.IndexFunc(sources, func(s datasets.Source) bool { return s.Ask != "" })]
}

// execute runs a command line in this process.
func execute(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Setenv("CCP_DATA", "")
	t.Setenv("GOMLX_BACKEND", "")
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	assert.NotContains(t, errs.String(), "goroutine", "a stack trace")
	assert.NotContains(t, errs.String(), "internal error")
	assert.Empty(t, strangeFlags(args, errs.String()+out.String()), "flags that another command has")
	return code, out.String(), errs.String()
}

// succeed runs a command line that must not fail and returns its stdout.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := execute(t, args...)
	require.Zero(t, code, stderr)
	return stdout
}

// trained makes the checkpoint of a tiny training on the digits.
func trained(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	succeed(t, append([]string{"train", "--checkpoint", dir}, tiny...)...)
	return dir
}

// golden compares got with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "run the test with -update if this is meant")
}

// decode reads one line of JSON that must have exactly the fields of v.
func decode(t *testing.T, line string, v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(v), line)
	again, err := json.Marshal(v)
	require.NoError(t, err)
	assert.JSONEq(t, string(again), line, "a field is missing")
}

func lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

func TestHelp(t *testing.T) {
	for _, command := range []string{"", "train", "eval", "predict", "explain", "export", "clusters", "report", "serve",
		"watch", "compare", "reproduce", "data", "data list", "data get", "data check", "data import", "doctor", "version"} {
		name := strings.TrimSpace("ccp " + command)
		t.Run(name, func(t *testing.T) {
			t.Setenv("CCP_DATA", "/must/not/show")
			help := succeed(t, append(strings.Fields(command), "--help")...)
			assert.Contains(t, help, "Examples:\n  ccp "+command)
			golden(t, strings.ReplaceAll(name, " ", "-"), help)
		})
	}
	assert.Equal(t, succeed(t, "--help"), succeed(t), "without a command the program explains itself")
	assert.Equal(t, succeed(t, "data", "--help"), succeed(t, "data"))
}

// TestWrongUsage covers what is wrong with a command line by itself: exit code 2, the reason and where to look.
func TestWrongUsage(t *testing.T) {
	for _, c := range []struct{ line, want, help string }{
		{"trian", `no command … "trian"`, "ccp"},
		{"data fetch", `no command … "fetch"`, "ccp data"},
		{"help trian", `no command … "trian" … ccp train`, "ccp"},
		{"help data fetch", `no command … "fetch"`, "ccp data"},
		{"completion nosh", `no command … "nosh"`, "ccp completion"},
		{"data get", "NAME", "ccp data get"},
		{"data import", "INPUT", "ccp data import"},
		{"data import uea --out mine.npy", `--out "mine.npy" … end in`, "ccp data import"},
		{"data import uea --knn 3", "--knn … --positions FILE", "ccp data import"},
		{"data import uea --missing mean", `--missing "mean" … error, zero`, "ccp data import"},
		{"data import uea --gap -9,nan", "--gap [-9 NaN] … finite numbers", "ccp data import"},
		{"data import uea --gap inf", "--gap [+Inf] … finite numbers", "ccp data import"},
		{"data import uea --gap abc", `--gap "abc" … -9999,32767`, "ccp data import"},
		{"train digits", `takes flags … NAME=VALUE … "digits" … --data digits`, "ccp train"},
		{"train mine.npz", `takes flags … NAME=VALUE … "mine.npz" … --data mine.npz`, "ccp train"},
		{"train mine", `takes flags … NAME=VALUE … "mine"`, "ccp train"},
		{"train schedule=linear", "--set schedule=linear … one of cosine, one-cycle", "ccp train"},
		{"train --lr 0.1 learning_rate=0.2", "--lr 0.1 … --set learning_rate=0.2 … contradict", "ccp train"},
		{"train --foo", "unknown flag … --foo", "ccp train"},
		{"train --epochs many", "--epochs many … auto … whole number from 1", "ccp train"},
		{"train --lr fast", "--lr fast … positive and finite", "ccp train"},
		{"train --set split_seed=-1", "--set split_seed=-1 … a whole number … 0", "ccp train"},
		{"train --save-every -1s", `--save-every "-1s" … at least … 10ms`, "ccp train"},
		{"train --save-every 5", `--save-every "5" … duration … 90s … 5m`, "ccp train"},
		{"train --devices two", `--devices "two" … a whole number`, "ccp train"},
		{"train --devices 99999999999999999999", `--devices "99999999999999999999" … too large`, "ccp train"},
		{"train --devices -99999999999999999999", `--devices "-99999999999999999999" … at least … 1`, "ccp train"},
		{"data import uea --knn 99999999999999999999", `--knn "99999999999999999999" … 1 … 2147483647`, "ccp data import"},
		{"train --devices 0", `--devices "0" … at least … 1`, "ccp train"},
		{"train --dtype float16", "--dtype float16 … one of float32, bfloat16", "ccp train"},
		{"train --dtype bfloat16 --set dtype=float32", "--dtype bfloat16 … --set dtype=float32 … contradict", "ccp train"},
		{"train --epochs -1", "--epochs -1 … auto … whole number from 1", "ccp train"},
		{"train --set keep=first", "--set keep=first … one of best, last", "ccp train"},
		{"train --batch 1", "--batch 1 … at least 2", "ccp train"},
		{"train --set tfidf=true", "--set tfidf=true … no such option", "ccp train"},
		{"train --set narrow=0", "--set narrow=0 … a whole number … 1", "ccp train"},
		{"train --set average=-1", "--set average=-1 … [0, 1)", "ccp train"},
		{"train --set schedule=linear", "--set schedule=linear … one of cosine, one-cycle", "ccp train"},
		{"train --model unet", `--model … "unet" … c-cnn`, "ccp train"},
		{"compare --models ccp,unet", `--models … "unet" … c-cnn`, "ccp compare"},
		{"compare --recipe deep", `--recipe … "deep"`, "ccp compare"},
		{"compare --seeds 0", `--seeds "0" … at least … 1`, "ccp compare"},
		{"reproduce", "TABLE", "ccp reproduce"},
		{"train --recipe depp", `--recipe … "depp"`, "ccp train"},
		{"reproduce figure9", `no table … "figure9" … did you mean figures … cross-subject`, "ccp reproduce"},
		{"reproduce cross-view --data digits", "table cross-view … " + onRequest().Name + " … filters, loss, order",
			"ccp reproduce"},
		{"reproduce loss --budget 1ns", `--budget "1ns" … at least … 1ms … 0`, "ccp reproduce"},
		{"reproduce loss --budget 5", `--budget "5" … duration … 90s … 5m`, "ccp reproduce"},
		{"reproduce loss --epochs -1", `--epochs "-1" … at least … 0`, "ccp reproduce"},
		{"train --levels 3x3", `--levels 3x3 … level 1 … "3x3" … CLUSTERSxFILTERS/L`, "ccp train"},
		{"train --fc 64,x", `--fc 64,x … hidden layer 2 … "x"`, "ccp train"},
		{"train --set depht=3", `--set … no option "depht"`, "ccp train"},
		{"train --set ccp_padding=foo", "--set ccp_padding=foo … one of nodes, zeros", "ccp train"},
		{"train --set ccp_hierarchy=frozen", "--hierarchy frozen … one of learned, task-only", "ccp train"},
		{"train --set level_1/ccp_dropout=0.1", `--set … "level_1/ccp_dropout" … mean ccp_dropout`, "ccp train"},
		{"train --set readout_dropout=2", "--set readout_dropout=2 … [0, 1)", "ccp train"},
		{"train --hierarchy foo", "--hierarchy foo … one of learned, task-only", "ccp train"},
		{"train --hierarchy random --set ccp_hierarchy=learned",
			"--hierarchy random … --set ccp_hierarchy=learned … contradict", "ccp train"},
		{"train --set l2=much", "--set l2=much … finite and not negative", "ccp train"},
		{"eval", "--checkpoint DIR", "ccp eval"},
		{"eval --checkpoint x --split some", `--split "some" … train, validation, test`, "ccp eval"},
		{"predict x.npy", "--checkpoint DIR", "ccp predict"},
		{"predict --checkpoint x", "INPUT", "ccp predict"},
		{"predict --checkpoint x --top 0 x.npy", `--top "0" … at least … 1`, "ccp predict"},
		{"report --checkpoint x --out report.pdf", `--out "report.pdf" … end in`, "ccp report"},
		{"export --out x.onnx", "--checkpoint DIR", "ccp export"},
		{"export --checkpoint x", "--out FILE", "ccp export"},
		{"export --checkpoint x --out x.pb", `--out "x.pb" … end in`, "ccp export"},
		{"data check", "NAME or FILE.npz", "ccp data check"},
		{"doctor now", `takes flags … "now"`, "ccp doctor"},
		{"version 2", `takes flags … "2"`, "ccp version"},
	} {
		t.Run(c.line, func(t *testing.T) {
			code, stdout, stderr := execute(t, strings.Fields(c.line)...)
			assert.Equal(t, 2, code)
			assert.Empty(t, stdout)
			require.Len(t, lines(stderr), 2, stderr)
			messagetest.Names(t, lines(stderr)[0], c.want)
			assert.Equal(t, "See `"+c.help+" --help`.", lines(stderr)[1])
		})
	}
}

// TestFailures covers what only turns out when the command runs: one line, and the exit code 1, or 2 if settings do not
// fit the data.
func TestFailures(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file.npz")
	require.NoError(t, os.WriteFile(file, []byte("text"), 0o644))
	grouped := ringFile(t, ring(40))
	asked := onRequest()
	for _, c := range []struct{ line, want string }{
		{"train --backend go --checkpoint DIR/a --data nothing", `"nothing" … not known`},
		{"train --backend go --checkpoint DIR/b --data DIR/nothing.npz", "DIR/nothing.npz … no such file"},
		{"train --backend go --checkpoint DIR/c --data-dir DIR --data letters", "DIR"},
		{"train --backend go --checkpoint DIR/d --metrics DIR/none/m", "--metrics DIR/none/m … no folder"},
		{"train --backend go --dry-run --levels 3x3/65", "level 1 … L=65 … 64 nodes"},
		{"train --backend go --checkpoint DIR/d --levels 3x3/65", "level 1 … L=65 … 64 nodes"},
		{"train --backend go --checkpoint DIR/d --levels 99x3/9", "level 1 … 99 clusters … 64 nodes"},
		{"train --backend go --dry-run --set transforms=minirocket", `"minirocket" … needs a series`},
		{"train --backend go --checkpoint DIR/file.npz", "DIR/file.npz … not a directory"},
		{"train --backend go --checkpoint DIR/file.npz --overwrite", "DIR/file.npz … not a directory"},
		{"data check DIR/fiel.npz", "did you mean DIR/file.npz"},
		{"eval --backend go --checkpoint DIR/file.npz", "DIR/file.npz … not a directory"},
		{"train --backend tpu --checkpoint DIR/e", "--backend tpu … no such backend … xla:/path/plugin.so"},
		{"train --backend go --checkpoint DIR/e --knn 3", "digits … --knn 3 … graph is fixed"},
		{"train --backend go --checkpoint DIR/e --fold 2/groups --data " + grouped, "no groups"},
		{"eval --backend go --checkpoint DIR", "DIR … not a checkpoint … model.json"},
		{"eval --backend go --checkpoint DIR/nowhere", "DIR/nowhere … not a checkpoint"},
		{"predict --backend go --checkpoint DIR x.npy", "DIR … not a checkpoint"},
		{"export --backend go --checkpoint DIR --out DIR/e.onnx", "DIR … not a checkpoint"},
		{"data check nothing", `"nothing" … not known`},
		{"data check digits --knn 3", "digits … --knn 3 … graph is fixed"},
		{"data check DIR/file.npz", "DIR/file.npz"},
		{"data check DIR/nothing.npz", "DIR/nothing.npz … no such file … numpy.savez"},
		{"data get nothing", `"nothing" … not known`},
		{"data get DIR/file.npz", "your own"},
		{"data get digits " + asked.Name + " --data-dir DIR",
			asked.Name + " … " + asked.Ask[strings.Index(asked.Ask, "http"):]},
		{"data get " + asked.Name + " --data-dir DIR", "put it in DIR/" + asked.Folder + ", then: "},
		{"data get letters --offline --data-dir DIR", "--offline … CCP_OFFLINE=1 … forbids"},
	} {
		t.Run(c.line, func(t *testing.T) {
			code, stdout, stderr := execute(t, strings.Fields(strings.ReplaceAll(c.line, "DIR", dir))...)
			want := 1
			if regexp.MustCompile(`--levels|--set|nothing$|tpu|--knn|--fold`).MatchString(c.line) {
				want = 2
			}
			assert.Equal(t, want, code)
			assert.Empty(t, stdout)
			require.Len(t, lines(stderr), 1, stderr)
			assert.True(t, strings.HasPrefix(stderr, "ccp: "), stderr)
			messagetest.Names(t, stderr, strings.ReplaceAll(c.want, "DIR", dir))
		})
	}
}

// TestRefusedTrainingLeavesNothing: what is wrong with data or settings is found before the directory is made.
func TestRefusedTrainingLeavesNothing(t *testing.T) {
	for _, flags := range []string{"--data nothing", "--data nothing.npz", "--levels 3x3/65", "--set ccp_padding=foo"} {
		t.Chdir(t.TempDir())
		code, _, _ := execute(t, strings.Fields("train --backend go "+flags)...)
		assert.NotZero(t, code)
		entries, err := os.ReadDir(".")
		require.NoError(t, err)
		assert.Empty(t, entries, flags)
	}
}

func TestHierarchyFlag(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := filepath.Join(t.TempDir(), "run")
	line := append(append([]string{"train"}, tiny...), "--checkpoint", dir, "--set", "ccp_hierarchies=1",
		"--hierarchy", "prepared", "--set", "ccp_hierarchy=prepared")
	code, _, stderr := execute(t, line...)
	require.Zero(t, code, stderr)
	assert.Regexp(t, `(?m)^hierarchy prepared: C \d\.\d \+ 0\.5 = \d\.\d; coverage \d+ \d+%$`, lines(stderr)[4])
	code, _, stderr = execute(t, append(append([]string{"train"}, tiny...), "--checkpoint", dir, "--hierarchy",
		"random")...)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "ccp_hierarchy was prepared, is random")
}

func TestCommandLine(t *testing.T) {
	assert.Equal(t, "ccp train --checkpoint runs/a-b_1,2=3", commandLine("ccp", "train", "--checkpoint", "runs/a-b_1,2=3"))
	if runtime.GOOS == "windows" {
		assert.Equal(t, `C:\runs\a "a b" "" "it's"`, commandLine(`C:\runs\a`, "a b", "", "it's"))
		return
	}
	assert.Equal(t, `'a b' '' 'it'\''s' '$HOME' '~' 'a\b'`, commandLine("a b", "", "it's", "$HOME", "~", `a\b`))
}
