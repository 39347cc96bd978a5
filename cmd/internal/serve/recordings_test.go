package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/recording"
	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Recordings have the probabilities of their signals.
func TestRecordings(t *testing.T) {
	s, dir := newServer(t, func(c *Config) { c.Queue, c.Memory = 3, 1<<20 })
	url := listen(t, s) + "/v2/models/tiny/recordings"
	known, err := models.Load(dir, models.WithBackend(backendtest.Go(t)))
	require.NoError(t, err)
	want, err := known.Classify(t.Context(), [][]float32{{1, 2, 3, 4, 5, 6, 7, 80}})
	require.NoError(t, err)
	type answer struct {
		Model       string   `json:"model_name"`
		Version     string   `json:"model_version"`
		Predictions []Answer `json:"predictions"`
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
	unit := `sensor "head" channel 1 goes from 4 to 80, in the training data from 0 to 9; is it in another unit?`
	assert.Equal(t, []string{unit}, one.Warnings)
	turned := "its sensors are in another order than the training data's; they are taken by their names"
	assert.Equal(t, []string{turned, unit}, two.Warnings)

	for _, c := range [][2]string{
		{`{}`, `there are no recordings; want {\"recordings\": [`},
		{`{"recordings":[]`, "the request is not the JSON expected: unexpected end at byte 16"},
		{`{"recordings":[{"values":[[1,2,3,4]]},{"name":"b","sensors":["hip","Head"],"values":[[1,2,3,4]]}]}`,
			`unusable signal 1: b: it has no sensor \"head\"; did you mean Head?`},
		{`{"recordings":[{"values":[[1,2,3,4],[1,2,3,1e39]]}]}`,
			`unusable signal 0: sensor \"head\" channel 1 at moment 1 is 1e+39`},
		{`{"recordings":[{"values":[[1,2,3,null]]}]}`, `sensor \"head\" channel 1 has no value in this sample`},
		{`{"recordings":[` + strings.Repeat(`{"values":[[1]]},`, 3) + `{"values":[[1]]}]}`,
			"the batch has more than 3 signals, which is the most that a request can have"},
	} {
		code, _, raw := send(t, http.MethodPost, url, c[0])
		assert.Equal(t, http.StatusBadRequest, code)
		assert.Contains(t, string(raw), c[1])
	}
	code, _, raw := send(t, http.MethodPost, url, `{"recordings":[{"values":[[`+strings.Repeat("0,", 1<<16)+`0]]}]}`)
	assert.Equal(t, http.StatusRequestEntityTooLarge, code)
	assert.Contains(t, string(raw), "the request takes more than 1048576 bytes of memory")
	assert.Zero(t, s.memory.Load())
	code, _, _ = send(t, http.MethodGet, url, "")
	assert.Equal(t, http.StatusMethodNotAllowed, code)
}

// A model that was not trained on imported recordings says so.
func TestNoRecordings(t *testing.T) {
	s, _ := newServer(t, func(c *Config) {
		path := filepath.Join(c.Checkpoints[0].Dir, "model.json")
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		var m models.Metadata
		require.NoError(t, json.Unmarshal(raw, &m))
		m.Form, m.Range = nil, nil
		raw, err = json.Marshal(m)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, raw, 0o644))
	})
	code, _, raw := send(t, http.MethodPost, listen(t, s)+"/v2/models/tiny/recordings",
		`{"recordings":[{"values":[[1]]}]}`)
	assert.Equal(t, http.StatusBadRequest, code)
	assert.Contains(t, string(raw), "the classifier does not know how signals were made of recordings")
}

// A short recording of one sensor would be large with the thousand others that are zero.
func TestRecordingsOfManySensors(t *testing.T) {
	form := &recording.Form{Channels: 1, Frames: 1, Zeros: true}
	for i := range 1000 {
		form.Sensors = append(form.Sensors, fmt.Sprint(i))
	}
	c := &models.Classifier{Metadata: models.Metadata{Form: form, Spec: models.Spec{Nodes: 1000, Channels: 1}}}
	var shared atomic.Int64
	read := func(values string) (*inferRequest, error) {
		b := &budget{shared: &shared, limit: 1 << 18}
		defer b.end()
		return decodeRecordings([]byte(`{"recordings":[{"sensors":["3"],"values":[`+values+`]}]}`), c, 1, b.take)
	}
	d, err := read("[1],[2]")
	require.NoError(t, err)
	assert.Equal(t, []float32{0, 0, 0, 1, 0}, d.signals[0][:5])
	_, err = read("[1]" + strings.Repeat(",[2]", 50))
	assert.EqualError(t, err, "the request takes more than 262144 bytes of memory, which all requests share; send it in parts")
	assert.Zero(t, shared.Load())
}
