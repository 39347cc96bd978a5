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
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// heard is a recording as somebody has it, whichever door it is brought to.
type heard struct {
	what    string
	sensors []string // nil: those of the training, unnamed
	rows    [][]float64
	times   []float64
}

// answered is what a door says of a recording: a prediction with what it tells beside it, or why it refuses.
type answered struct {
	refused       string
	class         string
	probabilities map[string]float64
	warnings      []string
}

func (o answered) String() string {
	if o.refused != "" {
		return "refused: " + o.refused
	}
	return fmt.Sprintf("%s %v %q", o.class, o.probabilities, o.warnings)
}

// house is a classifier of recordings with all its doors.
type house struct {
	*models.Classifier
	run, url string
	folder   string
	count    int
}

// houseOf trains a classifier on a file and opens its doors.
func houseOf(t *testing.T, data string, settings ...string) *house {
	t.Helper()
	run := filepath.Join(t.TempDir(), "run")
	succeed(t, append([]string{"train", "--backend", "go", "--data", data, "--fast", "--checkpoint", run}, settings...)...)
	return open(t, run)
}

// open opens the doors of a checkpoint.
func open(t *testing.T, run string) *house {
	t.Helper()
	h := &house{folder: t.TempDir(), run: run}
	var err error
	options := models.LoadOptions{Backend: backendtest.Go(t)}
	h.Classifier, err = models.Load(h.run, options)
	require.NoError(t, err)
	config := serve.Defaults
	config.Checkpoints, config.Options = []serve.Checkpoint{{Name: "m", Dir: h.run}}, options
	s, err := serve.New(t.Context(), config)
	require.NoError(t, err)
	server := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		server.Close()
		assert.NoError(t, errors.Join(s.Close(), h.Close()))
	})
	h.url = server.URL + "/v2/models/m/"
	return h
}

// path returns a path of a new file.
func (h *house) path(name string) string {
	h.count++
	return filepath.Join(h.folder, strconv.Itoa(h.count)+name)
}

func (h *house) of(p classify.Prediction) answered {
	return answered{class: p.Class, probabilities: p.Probabilities, warnings: p.Warnings}
}

// inGo gives a recording to ClassifyRecording.
func (h *house) inGo(t *testing.T, one heard) answered {
	r, err := recording.New(one.sensors, one.rows)
	require.NoError(t, err)
	r.Times = one.times
	predictions, err := h.ClassifyRecording(t.Context(), r)
	if err != nil {
		return answered{refused: err.Error()}
	}
	return h.of(classify.Samples{Names: []string{""}}.Prediction(0, predictions[0], h.ClassNames, 0))
}

// table writes a recording as a table.
func (h *house) table(t *testing.T, path string, one heard) string {
	names := one.sensors
	if names == nil {
		names = h.Form.Sensors
	}
	text, missing := strings.Join(names, ",")+"\n", ""
	if len(names) == 1 && one.times == nil { // else the line would be empty
		missing = "NA"
	}
	if one.times != nil {
		text = "time," + text
	}
	for i, row := range one.rows {
		if one.times != nil {
			text += strconv.FormatFloat(one.times[i], 'g', -1, 64) + ","
		}
		for k, v := range row {
			text += strings.Repeat(",", min(k, 1)) + strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), "NaN", missing, 1)
		}
		text += "\n"
	}
	return write(t, path, text)
}

// predict gives inputs to ccp predict and returns what it says of each.
func (h *house) predict(t *testing.T, inputs ...string) (all []answered) {
	code, stdout, stderr := execute(t, append([]string{"predict", "--backend", "go", "--json", "--checkpoint", h.run},
		inputs...)...)
	if code != 0 {
		return []answered{{refused: stderr}}
	}
	for _, line := range lines(stdout) {
		var p classify.Prediction
		require.NoError(t, json.Unmarshal([]byte(line), &p), line)
		all = append(all, h.of(p))
	}
	return all
}

// array writes a recording as the only one of an .npz file.
func (h *house) array(t *testing.T, one heard) string {
	width, count := len(one.rows[0]), len(one.rows)
	values := make([]float64, width*count)
	for i, row := range one.rows {
		for k, v := range row {
			values[k*count+i] = v
		}
	}
	arrays := []npz.Named{{Name: "series", Array: &npz.Array{Shape: []int{1, width, count}, Data: values}}}
	if one.sensors != nil {
		arrays = append(arrays, npz.Named{Name: "sensor_names", Array: &npz.Array{Shape: []int{width}, Data: one.sensors}})
	}
	if one.times != nil {
		arrays = append(arrays, npz.Named{Name: "times", Array: &npz.Array{Shape: []int{count}, Data: one.times}})
	}
	path := h.path(".npz")
	require.NoError(t, npz.Write(path, arrays))
	return path
}

// post sends a request to the server, whose JSON is header bytes long, and returns the answer or the error.
func (h *house) post(t *testing.T, path string, body []byte, header int) (answer []byte, refused string) {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+path, bytes.NewReader(body))
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
func (h *house) request(t *testing.T, one heard, query string) answered {
	r, err := recording.New(one.sensors, one.rows)
	require.NoError(t, err)
	r.Times = one.times
	body, err := json.Marshal(map[string]any{"recordings": []recording.Recording{r}})
	require.NoError(t, err)
	raw, refused := h.post(t, "recordings"+query, body, len(body))
	if refused != "" {
		return answered{refused: refused}
	}
	var a struct{ Predictions []classify.Prediction }
	require.NoError(t, json.Unmarshal(raw, &a))
	require.Len(t, a.Predictions, 1)
	return h.of(a.Predictions[0])
}

// variations are recordings like those of a training of these sensors at a rate, and recordings that are unlike them in
// one way.
func variations(random *rand.Rand, sensors []string, rate float64, length int) (all []heard) {
	draw := func(what string, count int, step float64) heard {
		one := heard{what: what}
		phase := 2 * random.Float64()
		for i := range count {
			at := float64(i) * step
			var row []float64
			for k := range sensors {
				row = append(row, float64(k)+math.Sin((1+float64(k))*(at+phase))+random.NormFloat64()/10)
			}
			one.rows = append(one.rows, row)
			if rate > 0 {
				one.times = append(one.times, at/rate)
			}
		}
		return one
	}
	add := func(one heard, change func(one *heard)) {
		change(&one)
		all = append(all, one)
	}
	nothing := func(*heard) {}
	named := func(one *heard) { one.sensors = slices.Clone(sensors) }
	add(draw("like the training's", length, 1), nothing)
	add(draw("named", length, 1), named)
	add(draw("without times", length, 1), func(one *heard) { one.times = nil })
	add(draw("longer", 2*length, 1), nothing)
	add(draw("shorter", length/2, 1), nothing)
	add(draw("half the rate", length/2, 2), nothing)
	add(draw("twice the rate", 2*length, 0.5), nothing)
	add(draw("a tenth of the rate", length/2, 10), nothing)
	add(draw("another unit of time", length, 1), func(one *heard) {
		for i := range one.times {
			one.times[i] *= 1000
		}
	})
	add(draw("uneven times", length, 1), func(one *heard) {
		for i := range one.times {
			one.times[i] += 0.8 / rate * random.Float64()
		}
	})
	add(draw("a pause", length, 1), func(one *heard) {
		for i := range one.times {
			if i > length/2 {
				one.times[i] += 100 * float64(length) / rate
			}
		}
	})
	add(draw("times that go back", length, 1), func(one *heard) {
		if rate > 0 {
			one.times[5] = one.times[2]
		}
	})
	add(draw("gaps", length, 1), func(one *heard) {
		for range length / 4 {
			one.rows[random.IntN(length)][random.IntN(len(sensors))] = math.NaN()
		}
	})
	add(draw("gaps at both ends", length, 1), func(one *heard) {
		for k := range sensors {
			one.rows[0][k], one.rows[length-1][k] = math.NaN(), math.NaN()
		}
	})
	add(draw("a silent sensor", length, 1), func(one *heard) {
		for i := range one.rows {
			one.rows[i][len(sensors)-1] = math.NaN()
		}
	})
	add(draw("another order", length, 1), func(one *heard) {
		named(one)
		slices.Reverse(one.sensors)
		for i := range one.rows {
			slices.Reverse(one.rows[i])
		}
	})
	add(draw("an extra column", length, 1), func(one *heard) {
		one.sensors = append([]string{"battery"}, sensors...)
		for i := range one.rows {
			one.rows[i] = append([]float64{77}, one.rows[i]...)
		}
	})
	add(draw("an extra column, no times", length, 1), func(one *heard) {
		one.sensors, one.times = append([]string{"clock"}, sensors...), nil
		for i := range one.rows {
			one.rows[i] = append([]float64{float64(2 * i)}, one.rows[i]...)
		}
	})
	add(draw("a column missing", length, 1), func(one *heard) {
		one.sensors = slices.Clone(sensors[:len(sensors)-1])
		for i := range one.rows {
			one.rows[i] = one.rows[i][:len(sensors)-1]
		}
		if len(sensors) == 1 {
			one.sensors = []string{"another"}
			for i := range one.rows {
				one.rows[i] = []float64{1}
			}
		}
	})
	add(draw("a column more, unnamed", length, 1), func(one *heard) {
		for i := range one.rows {
			one.rows[i] = append(one.rows[i], 1)
		}
	})
	add(draw("constant sensors", length, 1), func(one *heard) {
		for i := range one.rows {
			for k := range sensors {
				one.rows[i][k] = 3
			}
		}
	})
	add(draw("units far off", length, 1), func(one *heard) {
		for i := range one.rows {
			for k := range sensors {
				one.rows[i][k] *= 1000
			}
		}
	})
	add(draw("beyond float32", length, 1), func(one *heard) { one.rows[3][0] = 1e39 })
	add(draw("infinite", length, 1), func(one *heard) { one.rows[3][0] = math.Inf(1) })
	add(draw("great values", length, 1), func(one *heard) { one.rows[3][0] = 3e38 })
	add(draw("one time point", 1, 1), nothing)
	add(draw("two time points", 2, 1), nothing)
	add(draw("three time points", 3, 1), nothing)
	return all
}

// doors brings a recording to each door that takes such a one.
func (h *house) doors(t *testing.T, one heard) map[string]answered {
	all := map[string]answered{"Go": h.inGo(t, one)}
	if !slices.ContainsFunc(one.rows, func(row []float64) bool {
		return slices.ContainsFunc(row, func(v float64) bool { return math.IsInf(v, 0) })
	}) {
		all["HTTP"] = h.request(t, one, "") // JSON has no infinity
		all["HTTP, a window"] = h.request(t, one, fmt.Sprintf("?window=%d", len(one.rows)))
	}
	if one.sensors != nil || len(one.rows[0]) == len(h.Form.Sensors) { // a table names its columns
		table := h.table(t, h.path(".csv"), one)
		all["predict table"] = h.predict(t, table)[0]
		all["predict table, a window"] = h.predict(t, table, "--window", strconv.Itoa(len(one.rows)))[0]
	}
	all["predict .npz"] = h.predict(t, h.array(t, one))[0]
	return all
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
	h := &house{Classifier: &models.Classifier{}}
	h.Form = &recording.Form{Sensors: sensors}
	for i := range 24 {
		one := variations(random, sensors, rate, length)[0]
		for m, row := range one.rows {
			row[0] += float64(i%2) * math.Sin(float64(m)/2)
		}
		for k := range sensors {
			for _, row := range one.rows {
				values = append(values, row[k])
			}
		}
		labels = append(labels, int64(i%2))
		h.table(t, filepath.Join(folder, "known", "ab"[i%2:i%2+1], fmt.Sprintf("%02d.csv", i)), one)
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
		one, err := read.Array(name)
		require.NoError(t, err)
		arrays = append(arrays, npz.Named{Name: name, Array: one})
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
	h := houseOf(t, file)
	read, err := npz.Open(file)
	require.NoError(t, err)
	defer read.Close()
	var arrays []npz.Named
	for _, name := range read.Names() {
		one, err := read.Array(name)
		require.NoError(t, err)
		arrays = append(arrays, npz.Named{Name: name, Array: one})
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
	other, free, run := h.path("other.npz"), h.path("free.npz"), h.path("run")
	require.NoError(t, npz.Write(other, arrays))
	for _, line := range [][]string{
		{"train", "--backend", "go", "--data", other, "--fast", "--checkpoint", run},
		{"predict", "--backend", "go", "--checkpoint", h.run, other},
		{"eval", "--backend", "go", "--checkpoint", h.run, "--data", other},
		{"data", "check", other},
	} {
		code, stdout, stderr := execute(t, line...)
		assert.Equal(t, 1, code, line[0])
		assert.Contains(t, stdout+stderr,
			fmt.Sprintf("sensor_names[0] is %q, but recording, the settings of the import, has %q there",
				backward[0], backward[2]), line[0])
	}
	require.NoError(t, npz.Write(free, without(arrays, "recording")))
	want, got := h.predict(t, file), h.predict(t, free)
	require.Len(t, got, len(want))
	for i := range want {
		assert.Equal(t, want[i].probabilities, got[i].probabilities)
	}
}

// infer gives the series that Form.Series makes of a recording to /infer, in binary or in JSON.
func (h *house) infer(t *testing.T, series []float32, inBinary bool) answered {
	width := h.Form.Width()
	return h.tensor(t, series, []int{1, len(series) / width, width}, inBinary)
}

// tensor gives one signal of a shape to /infer, in binary or in JSON.
func (h *house) tensor(t *testing.T, signal []float32, shape []int, inBinary bool) answered {
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
	raw, refused := h.post(t, "infer", append(header, tail...), len(header))
	if refused != "" {
		return answered{refused: refused}
	}
	var a struct {
		Parameters struct{ Warnings string }
		Outputs    []struct {
			Name string
			Data []any
		}
	}
	require.NoError(t, json.Unmarshal(raw, &a), string(raw))
	said := answered{probabilities: map[string]float64{}}
	for k, class := range h.ClassNames {
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

// same reports that two doors say the same of a recording.
func same(one, other answered) bool {
	ok := (one.refused == "") == (other.refused == "") && one.class == other.class &&
		slices.Equal(one.warnings, other.warnings)
	for class, p := range one.probabilities {
		ok = ok && math.Abs(p-other.probabilities[class]) < 1e-5
	}
	return ok
}

// houses are the classifiers whose doors are tried, by what is particular about them.
var houses = map[string]struct {
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

// A recording has one prediction, whichever door it comes by: the file, a window that is all of it, HTTP, Go or .npz.
// What one door refuses, all refuse, and what one warns of, all tell. As a series without gaps at even times it has the
// same from /infer, which is not told how it was made.
func TestDoorsAgree(t *testing.T) {
	for name, c := range houses {
		t.Run(name, func(t *testing.T) {
			h := houseOf(t, recordingsIn(t, c.sensors, c.rate, c.imported, c.settings...))
			for _, one := range variations(rand.New(rand.NewPCG(2, 2)), c.sensors, c.rate, 40) {
				all := h.doors(t, one)
				want := all["Go"]
				for door, got := range all {
					if !same(want, got) {
						t.Errorf("%s: %s\n  Go: %v\n  %s: %v", name, one.what, want, door, got)
					}
				}
				series, notes := h.series(t, one)
				if series == nil {
					continue
				}
				if own := want.warnings[min(len(notes), len(want.warnings)):]; len(own) > 0 { // in one text
					want.warnings = []string{strings.Join(own, "; ")}
				} else {
					want.warnings = nil
				}
				for _, inBinary := range []bool{true, false} {
					if got := h.infer(t, series, inBinary); !same(want, got) {
						t.Errorf("%s: %s\n  Go: %v\n  infer, in binary %t: %v", name, one.what, want, inBinary, got)
					}
				}
			}
		})
	}
}

// series returns what Form.Series makes of a recording, with its notes; nil if it refuses it.
func (h *house) series(t *testing.T, one heard) ([]float32, []string) {
	r, err := recording.New(one.sensors, one.rows)
	require.NoError(t, err)
	r.Times = one.times
	series, notes, err := h.Form.Series(r)
	if err != nil {
		return nil, nil
	}
	return series, notes
}

// The estimator says what Go says of a recording, warnings and refusals included. So does ONNX Runtime of its series.
func TestPythonDoorsOfRecordings(t *testing.T) {
	folder := t.TempDir()
	_, _ = python(t, folder, "-c", "") // skips
	type asked struct {
		Rows   [][]*float64 `json:"rows"`
		Times  []float64    `json:"times"`
		Series [][]float32  `json:"series"`
	}
	type house struct {
		Run        string  `json:"run"`
		ONNX       string  `json:"onnx"`
		Recordings []asked `json:"recordings"`
	}
	var all []house
	var wants [][]answered
	var whats [][]string
	for name, c := range houses {
		h := houseOf(t, recordingsIn(t, c.sensors, c.rate, c.imported, c.settings...))
		one := house{Run: h.run, ONNX: h.path(".onnx")}
		succeed(t, "export", "--backend", "go", "--checkpoint", h.run, "--out", one.ONNX)
		var want []answered
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
			if series, _ := h.series(t, v); series != nil {
				a.Series = slices.Collect(slices.Chunk(series, h.Form.Width()))
			}
			one.Recordings, want, what = append(one.Recordings, a), append(want, h.inGo(t, v)), append(what, name+": "+v.what)
		}
		all, wants, whats = append(all, one), append(wants, want), append(whats, what)
	}
	raw, err := json.Marshal(all)
	require.NoError(t, err)
	write(t, filepath.Join(folder, "asked.json"), string(raw))
	out, code := python(t, folder, "../cmd/ccp/testdata/doors.py", "asked.json", "answered.json")
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
	exported := 0
	for i, house := range answers {
		for k, a := range house {
			want, what := wants[i][k], whats[i][k]
			got := answered{refused: a.Estimator.Refused, class: want.class, probabilities: a.Estimator.Probabilities}
			for _, text := range a.Estimator.Warnings { // which name the sample
				got.warnings = append(got.warnings, strings.TrimPrefix(text, "0: "))
			}
			if !same(want, got) {
				t.Errorf("%s\n  Go: %v\n  estimator: %v", what, want, got)
			}
			if a.ONNX != nil && want.refused == "" {
				exported++
				for class, p := range a.ONNX {
					name := slices.Sorted(maps.Keys(want.probabilities))[class]
					assert.InDelta(t, want.probabilities[name], p, 1e-5, "%s: ONNX", what)
				}
			}
		}
	}
	assert.Greater(t, exported, 50)
}

// infinite reports a value that JSON does not have.
func infinite(one heard) bool {
	return slices.ContainsFunc(one.rows, func(row []float64) bool {
		return slices.ContainsFunc(row, func(v float64) bool { return math.IsInf(v, 0) })
	})
}

// Signals on a graph have one prediction, too: by Go, a file of either kind, and HTTP in binary and in JSON. All refuse
// the same.
func TestDoorsOfSignalsAgree(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	succeed(t, "train", "--backend", "go", "--data", ringFile(t, ring(80)), "--checkpoint", dir, "--model", "softmax",
		"--epochs", "1")
	h := open(t, dir)
	random := rand.New(rand.NewPCG(3, 3))
	width := h.Spec.Nodes * h.Spec.Channels
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
		"a node less":   func(s []float32) []float32 { return s[h.Spec.Channels:] },
		"a node more":   func(s []float32) []float32 { return append(s, s[:h.Spec.Channels]...) },
		"negative zero": func([]float32) []float32 { return slices.Repeat([]float32{float32(math.Copysign(0, -1))}, width) },
	} {
		t.Run(what, func(t *testing.T) {
			signal := make([]float32, width)
			for i := range signal {
				signal[i] = float32(random.NormFloat64())
			}
			signal = change(signal)
			var want answered
			predictions, err := h.Classify(t.Context(), [][]float32{signal})
			if err != nil {
				want.refused = err.Error()
			} else {
				want = h.of(classify.Samples{Names: []string{""}}.Prediction(0, predictions[0], h.ClassNames, 0))
			}
			shape := []int{1, len(signal) / h.Spec.Channels, h.Spec.Channels}
			array := &npz.Array{Shape: shape, Data: signal}
			all := map[string]answered{".npz": h.predict(t, ringFile(t, []npz.Named{{Name: "features", Array: array}}))[0]}
			var file bytes.Buffer
			require.NoError(t, npz.WriteNPY(&file, array))
			all[".npy"] = h.predict(t, write(t, h.path(".npy"), file.String()))[0]
			all["HTTP, in binary"] = h.tensor(t, signal, shape, true)
			if !slices.ContainsFunc(signal, func(v float32) bool { return v-v != 0 }) { // which JSON cannot write
				all["HTTP, in JSON"] = h.tensor(t, signal, shape, false)
			}
			want.warnings = joined(want.warnings)
			for door, got := range all {
				got.warnings = joined(got.warnings)
				if !same(want, got) {
					t.Errorf("Go: %v\n%s: %v", want, door, got)
				}
			}
		})
	}
}

// Rows of a table with gaps are recordings of one time point: in a table, in .npz as features, and by HTTP and Go.
// Without a gap a row is what /infer takes as [batch, columns].
func TestDoorsOfTablesAgree(t *testing.T) {
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
	h := houseOf(t, file)
	for i := range 6 {
		one := heard{rows: [][]float64{row(i%2, i > 3)}}
		all := map[string]answered{"HTTP": h.request(t, one, "")}
		all["table"] = h.predict(t, h.table(t, h.path(".csv"), one))[0]
		array := &npz.Array{Shape: []int{1, 3}, Data: one.rows[0]}
		all[".npz"] = h.predict(t, ringFile(t, []npz.Named{{Name: "features", Array: array}}))[0]
		if series, _ := h.series(t, one); i <= 3 {
			all["infer"] = h.tensor(t, series, []int{1, 3}, true)
			all["infer, in JSON"] = h.tensor(t, series, []int{1, 3}, false)
		}
		want := h.inGo(t, one)
		want.warnings = joined(want.warnings)
		for door, got := range all {
			got.warnings = joined(got.warnings)
			if !same(want, got) || want.refused != "" {
				t.Errorf("%v\nGo: %v\n%s: %v", one.rows, want, door, got)
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
