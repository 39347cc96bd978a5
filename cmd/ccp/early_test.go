package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/cmd/internal/serve"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// strokes writes recordings of 4 s at 10 Hz, the first of which are named as those of a training. The force is noise
// until 1 s and then rises or falls by the class, which is in the name of the folder.
func strokes(t *testing.T, folder string, count int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range count {
		text, class := "time,force\n", []string{"falls", "rises"}[i%2]
		for at := range 40 {
			force := 0.3 * rng.NormFloat64()
			if at >= 10 {
				force += 2 * float64(2*(i%2)-1)
			}
			text += fmt.Sprintf("%.1f,%.4f\n", float64(at)/10, force)
		}
		write(t, filepath.Join(folder, class, fmt.Sprintf("%c%02d.csv", "ab"[min(i/40, 1)], i)), text)
	}
}

// earlyAnswer is what a server says of recordings.
type earlyAnswer struct {
	Error       string
	Predictions []struct {
		Class string
		Early *struct {
			Decided *float64
			Seen    float64
			Unit    string
		}
		Warnings []string
	}
	Outputs []struct {
		Name string
		Data []any
	}
	Parameters map[string]any
}

// checkEarlyOverHTTP fails unless a server decides on a recording at the same time, and says of one that goes on what
// is known so far. plain is a checkpoint without early decisions.
func checkEarlyOverHTTP(t *testing.T, dir, plain, path string, decided float64) {
	t.Helper()
	config := serve.Defaults
	config.Checkpoints = []serve.Checkpoint{{Name: "mine", Dir: dir}, {Name: "plain", Dir: plain}}
	config.Options.Backend = backendtest.Go(t)
	s, err := serve.New(t.Context(), config)
	require.NoError(t, err)
	server := httptest.NewServer(s.Handler())
	defer func() {
		server.Close()
		require.NoError(t, s.Close())
	}()
	send := func(path, body string) (code int, a earlyAnswer) {
		answer, err := http.Post(server.URL+"/v2/models/"+path, "application/json", strings.NewReader(body))
		require.NoError(t, err)
		defer answer.Body.Close()
		require.NoError(t, json.NewDecoder(answer.Body).Decode(&a))
		return answer.StatusCode, a
	}
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	rows := strings.Fields(string(raw))[1:]
	soFar := func(timepoints int) string {
		var values []string
		for _, row := range rows[:timepoints] {
			_, force, _ := strings.Cut(row, ",")
			values = append(values, "["+force+"]")
		}
		return "[" + strings.Join(values, ",") + "]"
	}
	at := int(math.Round(10 * decided))
	body := fmt.Sprintf(`{"recordings":[{"values":%s},{"values":%s},{"values":%s}]}`, soFar(3), soFar(at), soFar(40))
	code, a := send("mine/recordings?early", body)
	require.Equal(t, http.StatusOK, code, a.Error)
	assert.Nil(t, a.Predictions[0].Early.Decided)
	assert.Empty(t, a.Predictions[0].Class)
	messagetest.Names(t, strings.Join(a.Predictions[0].Warnings, "; "), "3 time points … goes on … shares")
	for i, seen := range []float64{1, float64(at) / 40} {
		p := a.Predictions[i+1]
		require.NotNil(t, p.Early.Decided)
		assert.Equal(t, decided, *p.Early.Decided)
		assert.Equal(t, "the unit of the times", p.Early.Unit)
		assert.InDelta(t, seen, p.Early.Seen, 1e-9)
		assert.Equal(t, "rises", p.Class)
	}
	_, a = send("mine/recordings", body)
	assert.Nil(t, a.Predictions[1].Early)

	infer := func(outputs string, timepoints int) string {
		return fmt.Sprintf(`{"inputs":[{"name":"signals","datatype":"FP64","shape":[1,%d,1],"data":[%s]}],"outputs":[%s]}`,
			timepoints, soFar(timepoints), outputs)
	}
	const all = `{"name":"decided"},{"name":"seen"},{"name":"label"},{"name":"class"}`
	code, a = send("mine/infer", infer(all, 40))
	require.Equal(t, http.StatusOK, code, a.Error)
	assert.Equal(t, []any{decided}, a.Outputs[0].Data)
	assert.InDelta(t, decided/4, a.Outputs[1].Data[0], 1e-9)
	assert.Equal(t, []any{"rises"}, a.Outputs[2].Data)
	_, a = send("mine/infer", infer(all, 3))
	assert.Equal(t, []any{nil}, a.Outputs[0].Data)
	assert.Equal(t, []any{""}, a.Outputs[2].Data)
	assert.Equal(t, []any{-1.}, a.Outputs[3].Data)

	one := `{"recordings":[{"values":` + soFar(40) + `}]}`
	for _, refused := range []struct{ path, body, says string }{
		{"plain/recordings?early", one, "not trained … --early"},
		{"plain/infer", infer(all, 40), "not trained … --early"},
		{"mine/recordings?early=maybe", one, "early=maybe"},
		{"mine/recordings?early&window=1s", one, "early … windows"},
		{"mine/recordings?early&coverage=0.5", one, "sets … early"},
		{"mine/infer", infer(all+`,{"name":"p_values"}`, 40), "p-values … early"},
	} {
		code, a := send(refused.path, refused.body)
		assert.Equal(t, http.StatusBadRequest, code, refused.path)
		messagetest.Names(t, a.Error, refused.says)
	}
	answer, err := http.Get(server.URL + "/v2/models/mine")
	require.NoError(t, err)
	defer answer.Body.Close()
	var about earlyAnswer
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&about))
	assert.Equal(t, []string{"decided", "seen"}, []string{about.Outputs[4].Name, about.Outputs[5].Name})
	assert.Equal(t, "the unit of the times", about.Parameters["decided_unit"])
}

// From files to decisions before the end: what train, eval and predict say of them, and when they refuse.
func TestEarly(t *testing.T) {
	folder := t.TempDir()
	recordings, dir := filepath.Join(folder, "strokes"), filepath.Join(folder, "run")
	npz := recordings + ".npz"
	strokes(t, recordings, 60)
	succeed(t, "data", "import", recordings, "--test", "b*", "--out", npz)
	train := []string{"train", "--data", npz, "--backend", "go", "--fast", "--set", "transforms=values"}
	out := succeed(t, append(train, "--checkpoint", dir, "--early")...)
	assert.Contains(t, out, "eval --checkpoint "+dir+" --early\n", "what to try next")
	assert.Regexp(t, `decided early, accuracy (9|10)\d\.\d+% after [345]\d\.\d% of a recording`, out)

	again := succeed(t, append(train, "--checkpoint", dir, "--early")...)
	assert.Contains(t, again, "predicted by values; model transforms has no network\n", "nothing else says it now")
	messagetest.Names(t, errors.New(fails(t, "clusters", "--backend", "go", "--checkpoint", dir)),
		"transforms=none … model transforms")

	onnx := filepath.Join(folder, "out.onnx")
	code, _, stderr := execute(t, "export", "--backend", "go", "--checkpoint", dir, "--out", onnx)
	assert.Zero(t, code)
	messagetest.Names(t, errors.New(stderr), "note … early decisions … whole recordings")

	out = succeed(t, "eval", "--checkpoint", dir, "--early", "--backend", "go")
	for _, words := range []string{"decided early", "20 samples", "harmonic mean", "seen",
		"decided at, in the unit of the times"} {
		assert.Contains(t, out, words)
	}
	assert.Regexp(t, `\n1\.\d, 1\d time points`, out)
	var told struct {
		Accuracy, Seen float64
		AtEnd          float64 `json:"at_end"`
		Rule           struct{ Looks []int }
		Looks          []struct{ Samples int }
		Unit           string
	}
	out = succeed(t, "eval", "--checkpoint", dir, "--early", "--json", "--backend", "go")
	require.NoError(t, json.Unmarshal([]byte(out), &told))
	assert.GreaterOrEqual(t, told.Accuracy, 0.9)
	assert.Len(t, told.Looks, len(told.Rule.Looks)+1)
	assert.Equal(t, "the unit of the times", told.Unit)

	shown := render("eval-early", earlyJSON{EarlyEvaluation: training.EarlyEvaluation{NoClass: 2}})
	assert.Contains(t, shown, "no class: 2 recordings")

	path := filepath.Join(recordings, "rises", "b41.csv")
	code, out, stderr = execute(t, "predict", "--checkpoint", dir, path, "--early", "--backend", "go")
	require.Zero(t, code, stderr)
	assert.Contains(t, stderr, "note: decided is how long a recording had lasted then, in the unit of the times")
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 2)
	assert.Equal(t, []string{"name", "class", "probability", "decided", "seen", "falls", "rises"}, rows[0])
	assert.Equal(t, "rises", rows[1][1])
	decided, err := strconv.ParseFloat(rows[1][3], 64)
	require.NoError(t, err)
	seen, err := strconv.ParseFloat(rows[1][4], 64)
	require.NoError(t, err)
	assert.Greater(t, decided, 1.)
	assert.InDelta(t, decided/4, seen, 1e-3, "in the unit of the times")
	var line struct {
		Early struct {
			Decided *float64
			Seen    float64
			Unit    string
		}
	}
	out = succeed(t, "predict", "--checkpoint", dir, path, "--early", "--json", "--backend", "go")
	require.NoError(t, json.Unmarshal([]byte(out), &line))
	require.NotNil(t, line.Early.Decided)
	assert.Equal(t, decided, *line.Early.Decided, "as the table has it")
	assert.Equal(t, "the unit of the times", line.Early.Unit)
	assert.LessOrEqual(t, len(rows[1][3]), 3, "a whole number of tenths")

	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	begun := filepath.Join(folder, "begun.csv")
	write(t, begun, strings.Join(strings.SplitAfter(string(whole), "\n")[:4], "")) // three time points
	code, out, stderr = execute(t, "predict", "--checkpoint", dir, begun, "--early", "--backend", "go")
	assert.Zero(t, code, stderr)
	assert.Contains(t, out, "begun.csv,,,,1,0.5,0.5\n", "no class yet, and the shares of all")
	assert.Contains(t, stderr, "3 time points")
	out = succeed(t, "predict", "--checkpoint", dir, begun, "--early", "--backend", "go", "--top", "2")
	assert.Equal(t, "name,class,probability,decided,seen,class_2,probability_2\nbegun.csv,,,,1,,\n", out)
	out = succeed(t, "predict", "--checkpoint", dir, begun, "--early", "--backend", "go", "--json")
	assert.Contains(t, out, `"class":"","probability":0,"probabilities":{"falls":0.5,"rises":0.5}`, "as watch has a gap")

	plain := filepath.Join(folder, "plain")
	succeed(t, append(train, "--checkpoint", plain)...)
	checkEarlyOverHTTP(t, dir, plain, path, decided)
	for _, refused := range []struct{ line, says string }{
		{"predict --checkpoint " + plain + " " + path + " --early", "--early"},
		{"eval --checkpoint " + plain + " --early", "--early"},
		{"predict --checkpoint " + dir + " " + path + " --early --window 1s", "--window"},
		{"predict --checkpoint " + dir + " " + path + " --early --coverage 0.9", "--coverage"},
		{"eval --checkpoint " + dir + " --early --coverage 0.9", "--coverage"},
		{"train --data " + npz + " --early-loss 1", "give --early, too"},
		{"train --data " + npz + " --early=mean --early-loss 1", "--early=mean has no bound"},
		{"train --data " + npz + " --early --early-loss 101", "--early-loss 101: it must be a number in [0, 100]"},
		{"train --data " + npz + " --early mean", "did you mean --early=mean?"},
	} {
		code, _, stderr := execute(t, strings.Fields(refused.line)...)
		assert.NotZero(t, code, refused.line)
		assert.Contains(t, stderr, refused.says)
	}
}
