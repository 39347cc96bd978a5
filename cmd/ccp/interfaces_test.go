package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/cmd/internal/serve"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// givenRecording is a recording as a user has it, whichever interface it is given to.
type givenRecording struct {
	what    string
	sensors []string // nil: those of the training, unnamed
	rows    [][]float64
	times   []float64
}

// response is what an interface makes of a recording: a prediction with its warnings, or the reason of a refusal.
type response struct {
	refused       string
	class         string
	probabilities map[string]float64
	warnings      []string
}

func (o response) String() string {
	if o.refused != "" {
		return "refused: " + o.refused
	}
	return fmt.Sprintf("%s %v %q", o.class, o.probabilities, o.warnings)
}

// testedClassifier is a classifier with all its interfaces: the library, the command and the server.
type testedClassifier struct {
	*models.Classifier
	run, url string
	folder   string
	count    int
}

// trainTested trains a classifier on a file and serves it.
func trainTested(t *testing.T, data string, settings ...string) *testedClassifier {
	t.Helper()
	run := filepath.Join(t.TempDir(), "run")
	succeed(t, append([]string{"train", "--backend", "go", "--data", data, "--fast", "--checkpoint", run}, settings...)...)
	return openTested(t, run)
}

// openTested loads a checkpoint and serves it.
func openTested(t *testing.T, run string) *testedClassifier {
	t.Helper()
	tested := &testedClassifier{folder: t.TempDir(), run: run}
	var err error
	options := models.LoadOptions{Backend: backendtest.Go(t)}
	tested.Classifier, err = models.Load(tested.run, options)
	require.NoError(t, err)
	config := serve.Defaults
	config.Checkpoints, config.Options = []serve.Checkpoint{{Name: "m", Dir: tested.run}}, options
	s, err := serve.New(t.Context(), config)
	require.NoError(t, err)
	server := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		server.Close()
		assert.NoError(t, errors.Join(s.Close(), tested.Close()))
	})
	tested.url = server.URL + "/v2/models/m/"
	return tested
}

// path returns a path of a new file.
func (tested *testedClassifier) path(name string) string {
	tested.count++
	return filepath.Join(tested.folder, strconv.Itoa(tested.count)+name)
}

// responseOf returns the response of a prediction.
func responseOf(p classify.Prediction) response {
	return response{class: p.Class, probabilities: p.Probabilities, warnings: p.Warnings}
}

// responseOf returns the response of a prediction in Go.
func (tested *testedClassifier) responseOf(p models.Prediction) response {
	sample := classify.Samples{Names: []string{""}}
	return responseOf(sample.Prediction(0, p, tested.ClassNames, 0, classify.Sets{}))
}

// inGo gives a recording to ClassifyRecording.
func (tested *testedClassifier) inGo(t *testing.T, given givenRecording) response {
	r, err := recording.New(given.sensors, given.rows)
	require.NoError(t, err)
	r.Times = given.times
	predictions, err := tested.ClassifyRecording(t.Context(), r)
	if err != nil {
		return response{refused: err.Error()}
	}
	return tested.responseOf(predictions[0])
}

// table writes a recording as a table.
func (tested *testedClassifier) table(t *testing.T, path string, given givenRecording) string {
	names := given.sensors
	if names == nil {
		names = tested.Form.Sensors
	}
	text, missing := strings.Join(names, ",")+"\n", ""
	if len(names) == 1 && given.times == nil { // else the line would be empty
		missing = "NA"
	}
	if given.times != nil {
		text = "time," + text
	}
	for i, row := range given.rows {
		if given.times != nil {
			text += strconv.FormatFloat(given.times[i], 'g', -1, 64) + ","
		}
		for k, v := range row {
			text += strings.Repeat(",", min(k, 1)) + strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), "NaN", missing, 1)
		}
		text += "\n"
	}
	return write(t, path, text)
}

// predict gives inputs to ccp predict and returns what it says of each.
func (tested *testedClassifier) predict(t *testing.T, inputs ...string) (all []response) {
	code, stdout, stderr := execute(t, append([]string{"predict", "--backend", "go", "--json", "--checkpoint", tested.run},
		inputs...)...)
	if code != 0 {
		return []response{{refused: stderr}}
	}
	for _, line := range lines(stdout) {
		var p classify.Prediction
		require.NoError(t, json.Unmarshal([]byte(line), &p), line)
		all = append(all, responseOf(p))
	}
	return all
}

// array writes a recording as the only one of an .npz file.
func (tested *testedClassifier) array(t *testing.T, given givenRecording) string {
	width, count := len(given.rows[0]), len(given.rows)
	values := make([]float64, width*count)
	for i, row := range given.rows {
		for k, v := range row {
			values[k*count+i] = v
		}
	}
	arrays := []npz.Named{{Name: "series", Array: &npz.Array{Shape: []int{1, width, count}, Data: values}}}
	if given.sensors != nil {
		arrays = append(arrays, npz.Named{Name: "sensor_names", Array: &npz.Array{Shape: []int{width}, Data: given.sensors}})
	}
	if given.times != nil {
		arrays = append(arrays, npz.Named{Name: "times", Array: &npz.Array{Shape: []int{count}, Data: given.times}})
	}
	path := tested.path(".npz")
	require.NoError(t, npz.Write(path, arrays))
	return path
}

// post sends a request to the server, whose JSON is header bytes long, and returns the answer or the error.
func (tested *testedClassifier) post(t *testing.T, path string, body []byte, header int) (answer []byte,
	refused string) {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, tested.url+path, bytes.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Inference-Header-Content-Length", strconv.Itoa(header))
	r, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer r.Body.Close()
	answer, err = io.ReadAll(r.Body)
	require.NoError(t, err)
	if r.StatusCode != http.StatusOK {
		var e struct{ Error string }
		require.NoError(t, json.Unmarshal(answer, &e))
		return nil, e.Error
	}
	return answer, ""
}

// request gives a recording to /recordings.
func (tested *testedClassifier) request(t *testing.T, given givenRecording, query string) response {
	r, err := recording.New(given.sensors, given.rows)
	require.NoError(t, err)
	r.Times = given.times
	body, err := json.Marshal(map[string]any{"recordings": []recording.Recording{r}})
	require.NoError(t, err)
	raw, refused := tested.post(t, "recordings"+query, body, len(body))
	if refused != "" {
		return response{refused: refused}
	}
	var a struct{ Predictions []classify.Prediction }
	require.NoError(t, json.Unmarshal(raw, &a))
	require.NotEmpty(t, a.Predictions) // after the only window comes the whole recording
	return responseOf(a.Predictions[0])
}

// variations are recordings like those of a training of these sensors at a rate, and recordings that are unlike them in
// one way.
func variations(random *rand.Rand, sensors []string, rate float64, length int) (all []givenRecording) {
	draw := func(what string, count int, step float64) givenRecording {
		given := givenRecording{what: what}
		phase := 2 * random.Float64()
		for i := range count {
			at := float64(i) * step
			var row []float64
			for k := range sensors {
				row = append(row, float64(k)+math.Sin((1+float64(k))*(at+phase))+random.NormFloat64()/10)
			}
			given.rows = append(given.rows, row)
			if rate > 0 {
				given.times = append(given.times, at/rate)
			}
		}
		return given
	}
	add := func(given givenRecording, change func(given *givenRecording)) {
		change(&given)
		all = append(all, given)
	}
	nothing := func(*givenRecording) {}
	named := func(given *givenRecording) { given.sensors = slices.Clone(sensors) }
	add(draw("like the training's", length, 1), nothing)
	add(draw("named", length, 1), named)
	add(draw("without times", length, 1), func(given *givenRecording) { given.times = nil })
	add(draw("longer", 2*length, 1), nothing)
	add(draw("shorter", length/2, 1), nothing)
	add(draw("half the rate", length/2, 2), nothing)
	add(draw("twice the rate", 2*length, 0.5), nothing)
	add(draw("a tenth of the rate", length/2, 10), nothing)
	add(draw("another unit of time", length, 1), func(given *givenRecording) {
		for i := range given.times {
			given.times[i] *= 1000
		}
	})
	add(draw("uneven times", length, 1), func(given *givenRecording) {
		for i := range given.times {
			given.times[i] += 0.8 / rate * random.Float64()
		}
	})
	add(draw("a pause", length, 1), func(given *givenRecording) {
		for i := range given.times {
			if i > length/2 {
				given.times[i] += 100 * float64(length) / rate
			}
		}
	})
	add(draw("times that go back", length, 1), func(given *givenRecording) {
		if rate > 0 {
			given.times[5] = given.times[2]
		}
	})
	add(draw("gaps", length, 1), func(given *givenRecording) {
		for range length / 4 {
			given.rows[random.IntN(length)][random.IntN(len(sensors))] = math.NaN()
		}
	})
	add(draw("gaps at both ends", length, 1), func(given *givenRecording) {
		for k := range sensors {
			given.rows[0][k], given.rows[length-1][k] = math.NaN(), math.NaN()
		}
	})
	add(draw("a silent sensor", length, 1), func(given *givenRecording) {
		for i := range given.rows {
			given.rows[i][len(sensors)-1] = math.NaN()
		}
	})
	add(draw("another order", length, 1), func(given *givenRecording) {
		named(given)
		slices.Reverse(given.sensors)
		for i := range given.rows {
			slices.Reverse(given.rows[i])
		}
	})
	add(draw("an extra column", length, 1), func(given *givenRecording) {
		given.sensors = append([]string{"battery"}, sensors...)
		for i := range given.rows {
			given.rows[i] = append([]float64{77}, given.rows[i]...)
		}
	})
	add(draw("an extra column, no times", length, 1), func(given *givenRecording) {
		given.sensors, given.times = append([]string{"clock"}, sensors...), nil
		for i := range given.rows {
			given.rows[i] = append([]float64{float64(2 * i)}, given.rows[i]...)
		}
	})
	add(draw("a column missing", length, 1), func(given *givenRecording) {
		given.sensors = slices.Clone(sensors[:len(sensors)-1])
		for i := range given.rows {
			given.rows[i] = given.rows[i][:len(sensors)-1]
		}
		if len(sensors) == 1 {
			given.sensors = []string{"another"}
			for i := range given.rows {
				given.rows[i] = []float64{1}
			}
		}
	})
	add(draw("a column more, unnamed", length, 1), func(given *givenRecording) {
		for i := range given.rows {
			given.rows[i] = append(given.rows[i], 1)
		}
	})
	add(draw("constant sensors", length, 1), func(given *givenRecording) {
		for i := range given.rows {
			for k := range sensors {
				given.rows[i][k] = 3
			}
		}
	})
	add(draw("units far off", length, 1), func(given *givenRecording) {
		for i := range given.rows {
			for k := range sensors {
				given.rows[i][k] *= 1000
			}
		}
	})
	add(draw("beyond float32", length, 1), func(given *givenRecording) { given.rows[3][0] = 1e39 })
	add(draw("infinite", length, 1), func(given *givenRecording) { given.rows[3][0] = math.Inf(1) })
	add(draw("great values", length, 1), func(given *givenRecording) { given.rows[3][0] = 3e38 })
	add(draw("one time point", 1, 1), nothing)
	add(draw("two time points", 2, 1), nothing)
	add(draw("three time points", 3, 1), nothing)
	return all
}

// responses gives a recording to each interface that takes its kind, and returns the responses by their names.
func (tested *testedClassifier) responses(t *testing.T, given givenRecording) map[string]response {
	all := map[string]response{"Go": tested.inGo(t, given)}
	if !slices.ContainsFunc(given.rows, func(row []float64) bool {
		return slices.ContainsFunc(row, func(v float64) bool { return math.IsInf(v, 0) })
	}) {
		all["HTTP"] = tested.request(t, given, "") // JSON has no infinity
		all["HTTP, a window"] = tested.asWhole(given, tested.request(t, given, fmt.Sprintf("?window=%d", len(given.rows))))
	}
	if given.sensors != nil || len(given.rows[0]) == len(tested.Form.Sensors) { // a table names its columns
		table := tested.table(t, tested.path(".csv"), given)
		all["predict table"] = tested.predict(t, table)[0]
		all["predict table, a window"] = tested.asWhole(given, tested.predict(t, table, "--window",
			strconv.Itoa(len(given.rows)))[0])
	}
	all["predict .npz"] = tested.predict(t, tested.array(t, given))[0]
	return all
}

// asWhole returns a response to windows without what is told of their rate alone: windows are of a stream, whose rate
// is warned of from a tenth on, and whole recordings may be of devices that are four times as fast, or as slow.
func (tested *testedClassifier) asWhole(given givenRecording, r response) response {
	rate := recording.Recording{Times: given.times, Channels: 1, Values: make([]float64, len(given.times))}.Rate()
	note, _ := tested.Form.OtherRate(rate)
	if rate > 0 && max(rate/tested.Form.Rate, tested.Form.Rate/rate) <= 4 {
		r.warnings = slices.DeleteFunc(r.warnings, func(one string) bool { return one == note })
	}
	if len(r.warnings) == 0 {
		r.warnings = nil
	}
	return r
}

// recordingsIn writes a data set of recordings of these sensors, and returns its file.
func recordingsIn(t *testing.T, sensors []string, rate float64, imported bool, settings ...string) string {
	t.Helper()
	folder := t.TempDir()
	random := rand.New(rand.NewPCG(1, 1))
	const length = 40
	file := filepath.Join(folder, "data.npz")
	var values []float64
	var labels []int64
	tested := &testedClassifier{Classifier: &models.Classifier{}}
	tested.Form = &recording.Form{Sensors: sensors}
	for i := range 24 {
		given := variations(random, sensors, rate, length)[0]
		for m, row := range given.rows {
			row[0] += float64(i%2) * math.Sin(float64(m)/2)
		}
		for k := range sensors {
			for _, row := range given.rows {
				values = append(values, row[k])
			}
		}
		labels = append(labels, int64(i%2))
		tested.table(t, filepath.Join(folder, "known", "ab"[i%2:i%2+1], fmt.Sprintf("%02d.csv", i)), given)
	}
	if imported {
		succeed(t, append([]string{"data", "import", filepath.Join(folder, "known"), "--out", file}, settings...)...)
		return file
	}
	arrays := []npz.Named{{Name: "series", Array: &npz.Array{Shape: []int{24, len(sensors), length}, Data: values}},
		{Name: "labels", Array: &npz.Array{Shape: []int{24}, Data: labels}},
		{Name: "sensor_names", Array: &npz.Array{Shape: []int{len(sensors)}, Data: sensors}}}
	if rate > 0 {
		arrays = append(arrays, npz.Named{Name: "rate", Array: &npz.Array{Shape: []int{}, Data: []float64{rate}}})
	}
	require.NoError(t, npz.Write(file, arrays))
	return file
}

// A file that names its sensors in another order, with one more and a graph of its own, is evaluated as the training's
// file is.
func TestEvalTakesSensorsByTheirNames(t *testing.T) {
	sensors := []string{"hip", "head", "pulse"}
	file := recordingsIn(t, sensors, 10, false)
	run, other := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "other.npz")
	succeed(t, "train", "--backend", "go", "--data", file, "--fast", "--checkpoint", run)
	read, err := npz.Open(file)
	require.NoError(t, err)
	defer read.Close()
	arrays := []npz.Named{{Name: "sensor_names",
		Array: &npz.Array{Shape: []int{4}, Data: []string{"pulse", "battery", "hip", "head"}}},
		{Name: "edges", Array: &npz.Array{Shape: []int{2, 2}, Data: []int64{0, 1, 2, 3}}}}
	for _, name := range []string{"labels", "rate"} {
		array, err := read.Array(name)
		require.NoError(t, err)
		arrays = append(arrays, npz.Named{Name: name, Array: array})
	}
	series, err := read.Array("series")
	require.NoError(t, err)
	var values []float64
	length := series.Shape[2]
	for sample := range slices.Chunk(series.Data.([]float64), 3*length) {
		values = slices.Concat(values, sample[2*length:], make([]float64, length), sample[:2*length])
	}
	series = &npz.Array{Shape: []int{series.Shape[0], 4, length}, Data: values}
	require.NoError(t, npz.Write(other, append(arrays, npz.Named{Name: "series", Array: series})))
	line := []string{"eval", "--backend", "go", "--json", "--checkpoint", run, "--split", "all", "--data"}
	var want, got struct{ Loss, Accuracy float64 }
	require.NoError(t, json.Unmarshal([]byte(succeed(t, append(line, file)...)), &want))
	require.NoError(t, json.Unmarshal([]byte(succeed(t, append(line, other)...)), &got))
	assert.Positive(t, want.Loss)
	assert.InDelta(t, want.Loss, got.Loss, 1e-9)
	assert.InDelta(t, want.Accuracy, got.Accuracy, 1e-9)
}

// An imported file in which somebody has put the sensors in another order is refused by every command, since its
// settings go by the import's order. Without the settings it is read by its names, and answered as before.
func TestImportedFileInAnotherOrderIsRefused(t *testing.T) {
	sensors := []string{"hip", "head", "pulse"}
	file := recordingsIn(t, sensors, 10, true)
	tested := trainTested(t, file)
	read, err := npz.Open(file)
	require.NoError(t, err)
	defer read.Close()
	var arrays []npz.Named
	for _, name := range read.Names() {
		array, err := read.Array(name)
		require.NoError(t, err)
		arrays = append(arrays, npz.Named{Name: name, Array: array})
	}
	series, err := read.Array("series")
	require.NoError(t, err)
	var turned []float32
	for sample := range slices.Chunk(series.Data.([]float32), len(sensors)*series.Shape[2]) {
		for _, sensor := range slices.Backward(slices.Collect(slices.Chunk(sample, series.Shape[2]))) {
			turned = append(turned, sensor...)
		}
	}
	names, err := read.Array("sensor_names")
	require.NoError(t, err)
	backward := slices.Clone(names.Data.([]string))
	slices.Reverse(backward)
	arrays = with(with(arrays, "series", turned, series.Shape...), "sensor_names", backward, len(sensors))
	other, free, run := tested.path("other.npz"), tested.path("free.npz"), tested.path("run")
	require.NoError(t, npz.Write(other, arrays))
	for _, line := range [][]string{
		{"train", "--backend", "go", "--data", other, "--fast", "--checkpoint", run},
		{"predict", "--backend", "go", "--checkpoint", tested.run, other},
		{"eval", "--backend", "go", "--checkpoint", tested.run, "--data", other},
		{"data", "check", other},
	} {
		code, stdout, stderr := execute(t, line...)
		assert.Equal(t, 1, code, line[0])
		messagetest.Names(t, stdout+stderr, fmt.Sprintf("sensor_names[0] … %q … recording … %q", backward[0], backward[2]),
			line[0])
	}
	require.NoError(t, npz.Write(free, without(arrays, "recording")))
	want, got := tested.predict(t, file), tested.predict(t, free)
	require.Len(t, got, len(want))
	for i := range want {
		assert.Equal(t, want[i].probabilities, got[i].probabilities)
	}
}

// infer gives the series that Form.Series makes of a recording to /infer, in binary or in JSON.
func (tested *testedClassifier) infer(t *testing.T, series []float32, inBinary bool) response {
	width := tested.Form.Width()
	return tested.tensor(t, series, []int{1, len(series) / width, width}, inBinary)
}

// tensor gives one signal of a shape to /infer, in binary or in JSON.
func (tested *testedClassifier) tensor(t *testing.T, signal []float32, shape []int, inBinary bool) response {
	input := map[string]any{"name": "signals", "shape": shape, "datatype": "FP32", "data": signal}
	var tail []byte
	if inBinary {
		for _, v := range signal {
			tail = binaryOf(tail, v)
		}
		delete(input, "data")
		input["parameters"] = map[string]int{"binary_data_size": len(tail)}
	}
	header, err := json.Marshal(map[string]any{"inputs": []any{input}})
	require.NoError(t, err)
	raw, refused := tested.post(t, "infer", append(header, tail...), len(header))
	if refused != "" {
		return response{refused: refused}
	}
	var a struct {
		Parameters struct{ Warnings string }
		Outputs    []struct {
			Name string
			Data []any
		}
	}
	require.NoError(t, json.Unmarshal(raw, &a), string(raw))
	said := response{probabilities: map[string]float64{}}
	for k, class := range tested.ClassNames {
		said.probabilities[class] = a.Outputs[0].Data[k].(float64)
	}
	said.class = a.Outputs[2].Data[0].(string)
	if a.Parameters.Warnings != "" {
		said.warnings = []string{strings.TrimPrefix(a.Parameters.Warnings, "signal 0: ")}
	}
	return said
}

func binaryOf(to []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(to, math.Float32bits(v))
}

// sameResponse reports whether two interfaces agree on a recording.
func sameResponse(given, other response) bool {
	ok := (given.refused == "") == (other.refused == "") && given.class == other.class &&
		slices.Equal(given.warnings, other.warnings)
	for class, p := range given.probabilities {
		ok = ok && math.Abs(p-other.probabilities[class]) < 1e-5
	}
	return ok
}

// testedKinds are the data sets whose classifiers are tried, by what is particular about them.
var testedKinds = map[string]struct {
	sensors  []string
	rate     float64
	imported bool
	settings []string // of the import
}{
	"imported, with times":    {[]string{"hip", "head", "pulse"}, 10, true, nil},
	"imported, without times": {[]string{"hip", "head", "pulse"}, 0, true, nil},
	"imported, filled":        {[]string{"hip", "head", "pulse"}, 10, true, []string{"--missing", "fill"}},
	"imported, zeros":         {[]string{"hip", "head", "pulse"}, 10, true, []string{"--missing", "zero"}},
	"arrays, with a rate":     {[]string{"hip", "head"}, 10, false, nil},
	"arrays, one sensor":      {[]string{"hip"}, 0, false, nil},
}

// A recording has one prediction, whichever interface it comes by: the file, a window that is all of it, HTTP, Go or
// .npz. What one interface refuses, all refuse, and what one warns of, all warn of, but for the rate of windows. A
// series without gaps at even times has the same prediction from /infer, too, which does not know how the series was
// made.
func TestInterfacesAgree(t *testing.T) {
	for name, c := range testedKinds {
		t.Run(name, func(t *testing.T) {
			tested := trainTested(t, recordingsIn(t, c.sensors, c.rate, c.imported, c.settings...))
			for _, given := range variations(rand.New(rand.NewPCG(2, 2)), c.sensors, c.rate, 40) {
				all := tested.responses(t, given)
				want := all["Go"]
				for way, got := range all {
					if !sameResponse(want, got) {
						t.Errorf("%s: %s\n  Go: %v\n  %s: %v", name, given.what, want, way, got)
					}
				}
				series, notes := tested.series(t, given)
				if series == nil {
					continue
				}
				if own := want.warnings[min(len(notes), len(want.warnings)):]; len(own) > 0 { // in one text
					want.warnings = []string{strings.Join(own, "; ")}
				} else {
					want.warnings = nil
				}
				for _, inBinary := range []bool{true, false} {
					if got := tested.infer(t, series, inBinary); !sameResponse(want, got) {
						t.Errorf("%s: %s\n  Go: %v\n  infer, in binary %t: %v", name, given.what, want, inBinary, got)
					}
				}
			}
		})
	}
}

// series returns what Form.Series makes of a recording, with its notes; nil if it refuses it.
func (tested *testedClassifier) series(t *testing.T, given givenRecording) ([]float32, []string) {
	r, err := recording.New(given.sensors, given.rows)
	require.NoError(t, err)
	r.Times = given.times
	series, notes, err := tested.Form.Series(r)
	if err != nil {
		return nil, nil
	}
	return series, notes
}

// The estimator says what Go says of a recording, warnings and refusals included. So does ONNX Runtime of its series.
func TestPythonInterfaceOfRecordings(t *testing.T) {
	folder := t.TempDir()
	_, _ = python(t, folder, "-c", "") // skips
	type asked struct {
		Rows   [][]*float64 `json:"rows"`
		Times  []float64    `json:"times"`
		Series [][]float32  `json:"series"`
	}
	type exportedRun struct {
		Run        string  `json:"run"`
		ONNX       string  `json:"onnx"`
		Recordings []asked `json:"recordings"`
	}
	var all []exportedRun
	var wants [][]response
	var whats [][]string
	for name, c := range testedKinds {
		tested := trainTested(t, recordingsIn(t, c.sensors, c.rate, c.imported, c.settings...))
		exported := exportedRun{Run: tested.run, ONNX: tested.path(".onnx")}
		succeed(t, "export", "--backend", "go", "--checkpoint", tested.run, "--out", exported.ONNX)
		var want []response
		var what []string
		for _, v := range variations(rand.New(rand.NewPCG(2, 2)), c.sensors, c.rate, 40) {
			if infinite(v) || v.sensors != nil { // Python has no names of sensors, and JSON no infinity
				continue
			}
			a := asked{Times: v.times}
			for _, row := range v.rows {
				var cells []*float64
				for k := range row {
					cells = append(cells, nil)
					if row[k] == row[k] {
						cells[k] = &row[k]
					}
				}
				a.Rows = append(a.Rows, cells)
			}
			if series, _ := tested.series(t, v); series != nil {
				a.Series = slices.Collect(slices.Chunk(series, tested.Form.Width()))
			}
			exported.Recordings = append(exported.Recordings, a)
			want = append(want, tested.inGo(t, v))
			what = append(what, name+": "+v.what)
		}
		all, wants, whats = append(all, exported), append(wants, want), append(whats, what)
	}
	raw, err := json.Marshal(all)
	require.NoError(t, err)
	write(t, filepath.Join(folder, "asked.json"), string(raw))
	out, code := python(t, folder, "../cmd/ccp/testdata/interfaces.py", "asked.json", "answered.json")
	require.Zero(t, code, out)
	raw, err = os.ReadFile(filepath.Join(folder, "answered.json"))
	require.NoError(t, err)
	var answers [][]struct {
		Estimator struct {
			Refused       string
			Probabilities map[string]float64
			Warnings      []string
		}
		ONNX []float64
	}
	require.NoError(t, json.Unmarshal(raw, &answers))
	compared := 0
	for i, ofRun := range answers {
		for k, a := range ofRun {
			want, what := wants[i][k], whats[i][k]
			got := response{refused: a.Estimator.Refused, class: want.class, probabilities: a.Estimator.Probabilities}
			for _, text := range a.Estimator.Warnings { // a line for each sample, which it names
				got.warnings = append(got.warnings, strings.TrimPrefix(text, "X: sample 0: "))
			}
			if want.warnings != nil {
				want.warnings = []string{strings.Join(want.warnings, "; ")}
			}
			if !sameResponse(want, got) {
				t.Errorf("%s\n  Go: %v\n  estimator: %v", what, want, got)
			}
			if a.ONNX != nil && want.refused == "" {
				compared++
				for class, p := range a.ONNX {
					name := slices.Sorted(maps.Keys(want.probabilities))[class]
					assert.InDelta(t, want.probabilities[name], p, 1e-5, "%s: ONNX", what)
				}
			}
		}
	}
	assert.Greater(t, compared, 50)
}

// infinite reports a value that JSON does not have.
func infinite(given givenRecording) bool {
	return slices.ContainsFunc(given.rows, func(row []float64) bool {
		return slices.ContainsFunc(row, func(v float64) bool { return math.IsInf(v, 0) })
	})
}

// Signals on a graph have one prediction, too: by Go, a file of either kind, and HTTP in binary and in JSON. All refuse
// the same.
func TestInterfacesOfSignalsAgree(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	succeed(t, "train", "--backend", "go", "--data", ringFile(t, ring(80)), "--checkpoint", dir, "--model", "softmax",
		"--epochs", "1")
	tested := openTested(t, dir)
	random := rand.New(rand.NewPCG(3, 3))
	width := tested.Spec.Nodes * tested.Spec.Channels
	for what, change := range map[string]func(signal []float32) []float32{
		"like the training's": func(s []float32) []float32 { return s },
		"constant":            func([]float32) []float32 { return slices.Repeat([]float32{2}, width) },
		"units far off": func(s []float32) []float32 {
			for i := range s {
				s[i] *= 1e4
			}
			return s
		},
		"a gap":         func(s []float32) []float32 { s[3] = float32(math.NaN()); return s },
		"infinite":      func(s []float32) []float32 { s[3] = float32(math.Inf(1)); return s },
		"great values":  func([]float32) []float32 { return slices.Repeat([]float32{3e38}, width) },
		"subnormal":     func([]float32) []float32 { return slices.Repeat([]float32{1e-45}, width) },
		"a node less":   func(s []float32) []float32 { return s[tested.Spec.Channels:] },
		"a node more":   func(s []float32) []float32 { return append(s, s[:tested.Spec.Channels]...) },
		"negative zero": func([]float32) []float32 { return slices.Repeat([]float32{float32(math.Copysign(0, -1))}, width) },
	} {
		t.Run(what, func(t *testing.T) {
			signal := make([]float32, width)
			for i := range signal {
				signal[i] = float32(random.NormFloat64())
			}
			signal = change(signal)
			var want response
			predictions, err := tested.Classify(t.Context(), [][]float32{signal})
			if err != nil {
				want.refused = err.Error()
			} else {
				want = tested.responseOf(predictions[0])
			}
			shape := []int{1, len(signal) / tested.Spec.Channels, tested.Spec.Channels}
			array := &npz.Array{Shape: shape, Data: signal}
			all := map[string]response{".npz": tested.predict(t, ringFile(t, []npz.Named{{Name: "features", Array: array}}))[0]}
			var file bytes.Buffer
			require.NoError(t, npz.WriteNPY(&file, array))
			all[".npy"] = tested.predict(t, write(t, tested.path(".npy"), file.String()))[0]
			all["HTTP, in binary"] = tested.tensor(t, signal, shape, true)
			if !slices.ContainsFunc(signal, func(v float32) bool { return v-v != 0 }) { // which JSON cannot write
				all["HTTP, in JSON"] = tested.tensor(t, signal, shape, false)
			}
			want.warnings = joined(want.warnings)
			for way, got := range all {
				got.warnings = joined(got.warnings)
				if !sameResponse(want, got) {
					t.Errorf("Go: %v\n%s: %v", want, way, got)
				}
			}
		})
	}
}

// Rows of a table with gaps are recordings of one time point: in a table, in .npz as features, and by HTTP and Go.
// Without a gap a row is what /infer takes as [batch, columns].
func TestInterfacesOfTablesAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	row := func(class int, gap bool) []float64 {
		r := []float64{random.NormFloat64(), random.NormFloat64() + 4*float64(class), random.NormFloat64()}
		if gap {
			r[2] = math.NaN()
		}
		return r
	}
	var values []float64
	labels := make([]int64, 40)
	for i := range labels {
		labels[i] = int64(i % 2)
		values = append(values, row(i%2, i%5 == 0)...)
	}
	file := filepath.Join(t.TempDir(), "table.npz")
	require.NoError(t, npz.Write(file,
		[]npz.Named{{Name: "features", Array: &npz.Array{Shape: []int{40, 3}, Data: values}},
			{Name: "labels", Array: &npz.Array{Shape: []int{40}, Data: labels}},
			{Name: "edges", Array: &npz.Array{Shape: []int{2, 2}, Data: []int64{0, 1, 1, 2}}}}))
	tested := trainTested(t, file)
	for i := range 6 {
		given := givenRecording{rows: [][]float64{row(i%2, i > 3)}}
		all := map[string]response{"HTTP": tested.request(t, given, "")}
		all["table"] = tested.predict(t, tested.table(t, tested.path(".csv"), given))[0]
		array := &npz.Array{Shape: []int{1, 3}, Data: given.rows[0]}
		all[".npz"] = tested.predict(t, ringFile(t, []npz.Named{{Name: "features", Array: array}}))[0]
		if series, _ := tested.series(t, given); i <= 3 {
			all["infer"] = tested.tensor(t, series, []int{1, 3}, true)
			all["infer, in JSON"] = tested.tensor(t, series, []int{1, 3}, false)
		}
		want := tested.inGo(t, given)
		want.warnings = joined(want.warnings)
		for way, got := range all {
			got.warnings = joined(got.warnings)
			if !sameResponse(want, got) || want.refused != "" {
				t.Errorf("%v\nGo: %v\n%s: %v", given.rows, want, way, got)
			}
		}
	}
}

// joined makes one text of warnings, as a response to /infer has them.
func joined(warnings []string) []string {
	if warnings == nil {
		return nil
	}
	return []string{strings.Join(warnings, "; ")}
}
