package serve

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The metadata of a classifier of recordings say in which order a time point has its values.
func TestMetadataNameTheColumns(t *testing.T) {
	for reading, want := range map[string]string{
		`{"take":["hip.x","hip.y","head.x","head.y"]}`: `{"sensors":["hip","head"],"channels":["x","y"],"held_out":2}`,
		`{}`: `{"sensors":["hip","head"],"held_out":2}`,
	} {
		s, _ := newServer(t, func(c *Config) {
			recorded(t, c)
			dir := c.Checkpoints[0].Dir
			known, err := models.Load(dir, models.LoadOptions{Backend: backendtest.Go(t)})
			require.NoError(t, err)
			known.Form.Reading = json.RawMessage(reading)
			require.NoError(t, os.RemoveAll(dir))
			require.NoError(t, known.Save(dir))
		})
		code, _, raw := send(t, http.MethodGet, listen(t, s)+"/v2/models/tiny", "")
		require.Equal(t, http.StatusOK, code)
		var a struct {
			Parameters json.RawMessage `json:"parameters"`
		}
		require.NoError(t, json.Unmarshal(raw, &a))
		assert.JSONEq(t, want, string(a.Parameters))
	}
}

// Recordings have the probabilities of their signals.
func TestRecordings(t *testing.T) {
	s, dir := newServer(t, func(c *Config) {
		recorded(t, c)
		c.Queue, c.Memory = 3, 1<<20
	})
	url := listen(t, s) + "/v2/models/tiny/recordings"
	known, err := models.Load(dir, models.LoadOptions{Backend: backendtest.Go(t)})
	require.NoError(t, err)
	want, err := classify.Predict(t.Context(), known, [][]float32{{1, 2, 3, 4, 5, 6, 7, 80}})
	require.NoError(t, err)
	type answer struct {
		Model       string                `json:"model_name"`
		Version     string                `json:"model_version"`
		Predictions []classify.Prediction `json:"predictions"`
	}
	ask := func(body string) answer {
		code, _, raw := send(t, http.MethodPost, url, body)
		require.Equal(t, http.StatusOK, code, string(raw))
		var a answer
		require.NoError(t, json.Unmarshal(raw, &a))
		assert.Equal(t, []string{"tiny", "7"}, []string{a.Model, a.Version})
		return a
	}
	a := ask(`{"recordings":[{"name":"one","values":[[1,2,3,4],[5,6,7,80]]},
		{"name":"two","sensors":["head","hip"],"values":[[3,4,1,2],[null,null,null,null],[7,80,5,6]],"times":[0,1,2]}]}`)
	require.Len(t, a.Predictions, 2)
	one, two := a.Predictions[0], a.Predictions[1]
	assert.Equal(t, []string{"one", want[0].Name, "two"}, []string{one.Name, one.Class, two.Name})
	for class, name := range known.ClassNames {
		assert.InDelta(t, want[0].Probabilities[class], one.Probabilities[name], 1e-6)
	}
	assert.InDeltaMapValues(t, one.Probabilities, two.Probabilities, 1e-6)
	unit := `"head" channel 1 … 4 to 80 … 0 to 9 … unit`
	messagetest.EachNames(t, one.Warnings, unit)
	messagetest.EachNames(t, two.Warnings, "sensors … another order", unit)

	for _, c := range [][2]string{
		{`{}`, `no recordings … {"recordings": [`},
		{`{"recordings":[{"values":[[1,2,3,4]]}],"window":1}`, `no member "window" … recordings … ?window=`},
		{`{"recordings":[]`, "JSON … unexpected end … byte 16"},
		{`{"recordings":[{"values":[[1,2,3,4]]},{"name":"b","sensors":["hip","Head"],"values":[[1,2,3,4]]}]}`,
			`recording 1 … "b" … no sensor "head" … Head?`},
		{`{"recordings":[{"values":[[1,2,3,4],[1,2,3,1e39]]}]}`,
			`recording 0 … "head" … channel 1 … time point 1 … 1e+39`},
		{`{"recordings":[{"values":[[1,2,3,null]]}]}`, `"head" … channel 1 … no value`},
		{`{"recordings":[` + strings.Repeat(`{"values":[[1]]},`, 3) + `{"values":[[1]]}]}`,
			"3 signals … most"},
	} {
		code, _, raw := send(t, http.MethodPost, url, c[0])
		assert.Equal(t, http.StatusBadRequest, code)
		messagetest.Names(t, errorOf(t, raw), c[1])
	}
	_, err = s.models["tiny"].classify(t.Context(), known, [][]float32{{1, 2, 3, 4}, make([]float32, 4*65_537)}, func() {})
	messagetest.Names(t, err, "signal 1 … 65537 time points … 65536 … ?window=")
	code, _, raw := send(t, http.MethodPost, url, `{"recordings":[{"values":[[`+strings.Repeat("0,", 1<<16)+`0]]}]}`)
	assert.Equal(t, http.StatusRequestEntityTooLarge, code)
	messagetest.Names(t, string(raw), "1048576 bytes of memory")
	assert.Zero(t, s.memory.Load())
	code, _, _ = send(t, http.MethodGet, url, "")
	assert.Equal(t, http.StatusMethodNotAllowed, code)
}

// Windows have the probabilities of their time points as recordings, within the limits of a request.
func TestWindowsOfRecordings(t *testing.T) {
	s, _ := newServer(t, func(c *Config) {
		recorded(t, c)
		c.Queue, c.Memory = 4, 1<<20
	})
	url := listen(t, s) + "/v2/models/tiny/recordings"
	ask := func(query, body string) (a struct{ Predictions []classify.Prediction }) {
		code, _, raw := send(t, http.MethodPost, url+query, `{"recordings":[`+body+`]}`)
		require.Equal(t, http.StatusOK, code, string(raw))
		require.NoError(t, json.Unmarshal(raw, &a))
		return a
	}
	parts := ask("", `{"values":[[1,2,3,4],[5,6,7,8]]},{"values":[[3,1,2,9],[4,4,1,1]]}`)
	const values = `"values":[[1,2,3,4],[5,6,7,8],[3,1,2,9],[4,4,1,1],[0,0,0,0]]`
	for _, c := range []struct {
		query, times string
		length       float64
	}{{"?window=2", "", 2}, {"?window=1s", `,"times":[0,0.5,1,1.5,2]`, 1}} {
		whole := ask(c.query, `{"name":"one",`+values+c.times+`}`)
		require.Len(t, whole.Predictions, 3)
		for i, p := range whole.Predictions[:2] {
			require.NotNil(t, p.Filtered)
			assert.InDeltaMapValues(t, parts.Predictions[i].Probabilities, p.Probabilities, 1e-6)
			assert.Equal(t, "one", p.Name)
			assert.Equal(t, []float64{float64(i) * c.length, float64(i+1) * c.length},
				[]float64{moment(t, *p.Start), moment(t, *p.End)}, "numbers, as the recording has them")
		}
		messagetest.EachNames(t, whole.Predictions[0].Warnings, "last 1 of its 5 … window … left out")
		mean := whole.Predictions[2]
		assert.Nil(t, mean.Filtered)
		assert.Equal(t, "one", mean.Name)
		assert.Equal(t, []float64{0, 2 * c.length}, []float64{moment(t, *mean.Start), moment(t, *mean.End)})
		for class, p := range mean.Probabilities {
			of := func(i int) float64 { return whole.Predictions[i].Probabilities[class] }
			assert.InDelta(t, (of(0)+of(1))/2, p, 1e-6)
		}
	}
	two := ask("?window=2", `{"name":"a",`+values+`},{"name":"b",`+values+`}`).Predictions
	require.Len(t, two, 6)
	assert.Equal(t, []string{"a", "b"}, []string{two[2].Name, two[5].Name})
	assert.True(t, two[2].Filtered == nil && two[5].Filtered == nil, "the whole comes behind its windows")
	assert.Nil(t, parts.Predictions[0].Start)
	for _, p := range ask("?coverage=0.3&window=2", `{`+values+`}`).Predictions[:2] { // none is as sure as 0.8
		assert.Equal(t, []string{}, p.Set)
		assert.Len(t, p.Probabilities, classes)
		third := 1. / 3
		assert.Equal(t, map[string]*float64{"red": &third, "green": &third, "blue": nil}, p.PValues,
			"of blue no sample was held out")
		assert.Equal(t, 1./3, *p.PValue)
	}
	assert.Nil(t, parts.Predictions[0].Set)
	more := `{"sensors":["hip","head","tail"],"values":[[1,2,3,4,0,0],[5,6,7,8,0,0]]}`
	assert.InDeltaMapValues(t, parts.Predictions[0].Probabilities,
		ask("?window=2", more).Predictions[0].Probabilities, 1e-6)
	silent := ask("?window=1", `{"values":[[1,2,3,4],[null,6,7,8],[3,1,2,9]]}`)
	require.Len(t, silent.Predictions, 3)
	messagetest.Names(t, silent.Predictions[0].Warnings[0], "1 window left out … from 1 to 2")
	assert.InDelta(t, 2, moment(t, *silent.Predictions[1].Start), 0)

	for query, want := range map[string]string{
		"?coverage=0.9":      "coverage=0.9 … 9 held-out samples … 2/3",
		"?windw=1s":          `no query parameter "windw" … window? … window, step, coverage`,
		"?window=%zz":        "query … address",
		"?window=1&window=2": "window 2 times",
		"?coverage=1":        "coverage=1 … above 0 … below 1",
		"?window=2s":         `recording 0 … "one" … no times … 2s`,
		"?window=x":          "window=x … duration",
		"?step=2":            "step … give window",
		"?window=1":          `recording 0 … "one" … more than 4 windows`,
		"?window=6":          `recording 0 … "one" … length is 5 … 6`,
	} {
		code, _, raw := send(t, http.MethodPost, url+query, `{"recordings":[{"name":"one",`+values+`}]}`)
		assert.Equal(t, http.StatusBadRequest, code)
		messagetest.Names(t, errorOf(t, raw), want)
	}
	for body, want := range map[string]string{ // which need no names
		`{` + values + `},{"values":[[1,2,3,4]]}`:            "recording 1 … length is 1 … 2",
		`{` + values + `},{` + values + `},{` + values + `}`: "recording 2 … more than 4 windows … step … parts",
	} {
		code, _, raw := send(t, http.MethodPost, url+"?window=2", `{"recordings":[`+body+`]}`)
		assert.Equal(t, http.StatusBadRequest, code)
		messagetest.Names(t, errorOf(t, raw), want)
	}
	code, _, raw := send(t, http.MethodPost, strings.Replace(url, "recordings", "infer?window=2", 1), inJSON(1))
	assert.Equal(t, http.StatusBadRequest, code)
	messagetest.Names(t, errorOf(t, raw), `infer … "window" … /recordings`)
	code, _, raw = send(t, http.MethodPost, url+"?window=9997&step=1",
		`{"recordings":[{"values":[[0,0,0,0]`+strings.Repeat(",[0,0,0,0]", 9999)+`]}]}`)
	assert.Equal(t, http.StatusRequestEntityTooLarge, code, string(raw))
	assert.Zero(t, s.memory.Load())
}

// A model that was not trained on recordings says so.
func TestNoRecordings(t *testing.T) {
	s, _ := newServer(t, nil)
	code, _, raw := send(t, http.MethodPost, listen(t, s)+"/v2/models/tiny/recordings",
		`{"recordings":[{"values":[[1]]}]}`)
	assert.Equal(t, http.StatusBadRequest, code)
	messagetest.Names(t, string(raw), "signals … recordings")
}

// A short recording of one sensor would be large with the thousand others that are zero.
func TestRecordingsOfManySensors(t *testing.T) {
	form := &recording.Form{Channels: 1, Frames: 1, Zeros: true}
	for i := range 1000 {
		form.Sensors = append(form.Sensors, fmt.Sprint(i))
	}
	c := &models.Classifier{Metadata: models.Metadata{Spec: models.Spec{Info: signal.Info{Nodes: 1000, Channels: 1,
		Form: form}}}}
	var shared atomic.Int64
	read := func(values string) (*inferRequest, error) {
		b := &budget{shared: &shared, limit: 1 << 18}
		defer b.end()
		return decodeRecordings("", []byte(`{"recordings":[{"sensors":["3"],"values":[`+values+`]}]}`), c, 1, b.take)
	}
	d, err := read("[1],[2]")
	require.NoError(t, err)
	assert.Equal(t, []float32{0, 0, 0, 1, 0}, d.Signals[0][:5])
	_, err = read("[1]" + strings.Repeat(",[2]", 50))
	messagetest.Names(t, err, "262144 bytes of memory … parts")
	assert.Zero(t, shared.Load())
}

// Decoding ends when the time is over, however much there is to decode.
func TestDecodingEndsInTime(t *testing.T) {
	s, _ := newServer(t, func(c *Config) {
		recorded(t, c)
		c.Timeout, c.Memory, c.Queue = time.Nanosecond, 1<<30, 1<<20
	})
	url := listen(t, s) + "/v2/models/tiny/"
	numbers := strings.Repeat("1.5,", 1<<20)
	for _, request := range [][2]string{
		{"recordings", `{"recordings":[{"values":[` + strings.Repeat("[1,1,1,1],", 1<<18)},
		{"recordings?window=2s", `{"recordings":[{"values":[[1,2,3,4],[1,2,3,4],[1,2,3,4]],"times":[0,1,1e6]}]}`},
		{"infer", `{"parameters":{` + strings.Repeat(`"x":0,`, 1<<12)},
		{"infer", `{"inputs":[{"name":"signals","shape":[1024,256,4],"datatype":"FP32","data":[` + numbers[:len(numbers)-1] + `]}]}`},
	} {
		code, _, raw := send(t, http.MethodPost, url+request[0], request[1])
		assert.Equal(t, http.StatusGatewayTimeout, code, "%s: %.200s", request[0], raw)
		messagetest.Names(t, string(raw), "not computed in time")
	}
	assert.Zero(t, s.memory.Load())
}

// A recording with more made up than in the training is refused by the server in the words of predict: of one by its
// share, of another by its longest hole. Of windows those are left out, and a note tells of less.
func TestHolesAreRefused(t *testing.T) {
	s, dir := newServer(t, func(c *Config) {
		recorded(t, c)
		dir := c.Checkpoints[0].Dir
		known, err := models.Load(dir, models.LoadOptions{Backend: backendtest.Go(t)})
		require.NoError(t, err)
		known.Form.Holes = &recording.Holes{Sensors: make([]float64, 2), Longest: make([]float64, 2)}
		require.NoError(t, os.RemoveAll(dir))
		require.NoError(t, known.Save(dir))
	})
	url := listen(t, s) + "/v2/models/tiny/recordings"
	known, err := models.Load(dir, models.LoadOptions{Backend: backendtest.Go(t)})
	require.NoError(t, err)
	const timepoints = 40
	holed := func(lost func(sensor, i int) bool, timed bool) recording.Recording {
		r := recording.Recording{Width: 4}
		for i := range timepoints {
			if timed && lost(0, i) {
				continue
			}
			for sensor := range 2 {
				v := float64(i % 7)
				if !timed && lost(sensor, i) {
					v = math.NaN()
				}
				r.Values = append(r.Values, v, v)
			}
			if timed {
				r.Times = append(r.Times, float64(i)/10)
			}
		}
		return r
	}
	ask := func(query string, r recording.Recording) (int, []byte) {
		body, err := json.Marshal(map[string]any{"recordings": []recording.Recording{r}})
		require.NoError(t, err)
		code, _, raw := send(t, http.MethodPost, url+query, string(body))
		return code, raw
	}
	for name, c := range map[string]struct {
		recording recording.Recording
		says      string
	}{
		"lost lines": {holed(func(_, i int) bool { return i >= 10 && i < 24 }, true), "35% … made up … training"},
		"missing":    {holed(func(_, i int) bool { return i >= 10 && i < 24 }, false), "35% … made up … training"},
		"a hole": {holed(func(sensor, i int) bool { return sensor == 1 && i >= 10 && i < 15 }, false),
			`"head" … 6 … longer … training`},
	} {
		code, raw := ask("", c.recording)
		require.Equal(t, http.StatusBadRequest, code, name)
		messagetest.Names(t, errorOf(t, raw), c.says)
		_, _, err := known.Form.Series(c.recording)
		assert.Contains(t, errorOf(t, raw), err.Error(), "predict has the same words: %s", name)
		series, rows := bySensor(c.recording)
		body, header := inSeries(t, series, []int{1, 2, rows, 2}, c.recording.Times, []int{rows})
		code, _, raw = send(t, http.MethodPost, strings.Replace(url, "/recordings", "/infer", 1), body, binaryHeader, header)
		require.Equal(t, http.StatusBadRequest, code, name)
		assert.Contains(t, errorOf(t, raw), err.Error(), "and so has the binary tensor: %s", name)
	}
	code, raw := ask("", holed(func(_, i int) bool { return i == 20 || i == 30 }, true))
	assert.Equal(t, http.StatusOK, code, string(raw))
	code, raw = ask("?window=20", holed(func(_, i int) bool { return i >= 2 && i < 12 }, false))
	require.Equal(t, http.StatusOK, code, string(raw))
	var a struct{ Predictions []classify.Prediction }
	require.NoError(t, json.Unmarshal(raw, &a))
	require.Len(t, a.Predictions, 2, "a window, and the whole")
	messagetest.Names(t, strings.Join(a.Predictions[0].Warnings, "\n"), "made up … 50%")
}

// bySensor returns the values of a recording of two sensors of two channels, [sensors, time points, channels], and how
// many time points it has.
func bySensor(r recording.Recording) (series []float32, rows int) {
	rows = len(r.Values) / 4
	for sensor := range 2 {
		for at := range rows {
			for channel := range 2 {
				series = append(series, float32(r.Values[4*at+2*sensor+channel]))
			}
		}
	}
	return series, rows
}
