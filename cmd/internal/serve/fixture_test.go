package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/conformal"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tiny model: signals of 4 nodes x 2 channels, three classes.
const (
	nodes    = 4
	channels = 2
	classes  = 3
)

// save writes a best snapshot of a tiny model. If answer is a class that is its answer to everything.
func save(t testing.TB, dir string, step, answer int) {
	t.Helper()
	backend := backendtest.Go(t)
	graph, err := affinity.Grid(2, 2, 8)
	require.NoError(t, err)
	m := models.Metadata{Data: "tiny.npz", Spec: models.Spec{Options: models.DefaultOptions(), Model: "ccp",
		Levels: []models.Level{{Clusters: 2, Filters: 4, Neighbours: 2}}, Hidden: []int{4},
		Info: signal.Info{Nodes: nodes, Channels: channels,
			ClassNames: []string{"red", "green", "blue"}, Mean: []float32{1, -2}, Std: []float32{2, 0.5},
			Range: &signal.Range{Least: make([]float32, channels), Most: []float32{9, 9}, Spread: make([]float32, channels)}}}}
	store := m.Spec.NewStore(3)
	_, err = model.CallOnce(backend, store,
		func(scope *model.Scope, x *Node) *Node { return m.Spec.Build(scope, models.Topology{Matrix: graph}, x) },
		tensors.FromScalarAndDimensions(float32(1), 1, nodes, channels))
	require.NoError(t, err)
	if answer >= 0 {
		b := make([]float32, classes)
		b[answer] = 5
		require.NoError(t, store.GetVariable("/model/classes/W").SetValue(tensors.FromScalarAndDimensions(float32(0),
			4, classes)))
		require.NoError(t, store.GetVariable("/model/classes/b").SetValue(tensors.FromFlatDataAndDimensions(b, classes)))
	}
	c, err := models.NewClassifier(backend, m, graph)
	require.NoError(t, err)
	require.NoError(t, c.Update(store))
	require.NoError(t, checkpoint.Start(dir, m, graph.WriteFile))
	require.NoError(t, checkpoint.Save(dir, checkpoint.Best, step, 1, c.Store(),
		map[string]any{"calibration": models.Calibration{Samples: 2, Temperature: 1},
			"conformal": conformal.Predictor{Scores: []float64{-0.1, 0.2}, PerClass: []int{1, 1, 0}}},
		func(v *model.Variable) bool { return !variables.IsWeight(v) }))
}

// recorded makes the tiny model one of recordings: of two sensors in two frames.
func recorded(t testing.TB, c *Config) {
	t.Helper()
	dir := c.Checkpoints[0].Dir
	was, err := models.Load(dir, models.LoadOptions{Backend: backendtest.Go(t)})
	require.NoError(t, err)
	was.Form = &recording.Form{Sensors: []string{"hip", "head"}, Channels: channels, Frames: 2}
	was.Range = &signal.Range{Least: make([]float32, 4), Most: []float32{9, 9, 9, 9}, Spread: make([]float32, 4)}
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, was.Save(dir))
}

// newServer makes a server of the tiny model; change, if there is one, changes its settings before.
func newServer(t testing.TB, change func(*Config)) (s *Server, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	save(t, dir, 7, -1)
	c := Defaults
	c.Checkpoints, c.Options, c.Version = []Checkpoint{{Dir: dir}}, models.LoadOptions{Backend: backendtest.Go(t)}, "1.2"
	c.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	if change != nil {
		change(&c)
	}
	s, err := New(t.Context(), c)
	require.NoError(t, err)
	return s, dir
}

// listen serves s until the test ends and gives its address.
func listen(t testing.TB, s *Server) string {
	t.Helper()
	server := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		server.Close()
		assert.NoError(t, s.Close())
	})
	return server.URL
}

// values are n signals.
func values(n int) []float32 {
	v := make([]float32, n*nodes*channels)
	for i := range v {
		v[i] = float32(i%7) - 2.5
	}
	return v
}

// inJSON is a request for n signals.
func inJSON(n int) string {
	raw, err := json.Marshal(values(n))
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"id":"x7","inputs":[{"name":"signals","shape":[%d,%d,%d],"datatype":"FP32","data":%s}]}`, n, nodes, channels, raw)
}

// send sends a request and gives the code, the header and the body of the answer.
func send(t testing.TB, method, url, body string, headers ...string) (int, http.Header, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader([]byte(body)))
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, answer.Header, raw
}

// errorOf returns the text of an answer that refuses a request.
func errorOf(t testing.TB, body []byte) string {
	t.Helper()
	var refusal struct{ Error string }
	require.NoError(t, json.Unmarshal(body, &refusal), string(body))
	return refusal.Error
}

// answer is an inferResponse with the three outputs, as JSON.
type answer struct {
	Model   string `json:"model_name"`
	Version string `json:"model_version"`
	ID      string `json:"id"`
	Outputs []struct {
		Name       string          `json:"name"`
		Datatype   string          `json:"datatype"`
		Shape      []int           `json:"shape"`
		Parameters map[string]int  `json:"parameters"`
		Data       json.RawMessage `json:"data"`
	} `json:"outputs"`
}

func (a *answer) data(t testing.TB, output int, v any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(a.Outputs[output].Data, v))
}

func read(t testing.TB, raw []byte) *answer {
	t.Helper()
	var a answer
	require.NoError(t, json.Unmarshal(raw, &a), string(raw))
	return &a
}
