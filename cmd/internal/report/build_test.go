package report

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/picture"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBuild(t *testing.T) {
	r, c := built(t, "learned")
	result, err := training.ReadResult(trained(t, "learned"))
	require.NoError(t, err)
	assert.Equal(t, result.BestEpoch, r.BestEpoch)
	assert.Equal(t, c.Snapshot, r.Snapshot)
	assert.Equal(t, result.Parameters, r.Parameters)
	assert.Len(t, r.History, 3)
	assert.NotNil(t, r.Result)
	assert.InDelta(t, result.Test.Accuracy, r.Evaluation.Accuracy, 1e-12)
	assert.Equal(t, 359, r.Evaluation.Samples)

	levels, err := c.ClusterLevels(0)
	require.NoError(t, err)
	require.Len(t, r.Hierarchy.Epochs, 3)
	shown := r.Hierarchy.Epochs[r.Hierarchy.Shown]
	assert.Equal(t, r.BestEpoch, shown.Epoch)
	for i, level := range levels {
		l := r.Hierarchy.Levels[i]
		assert.Equal(t, level.Memberships.Hard(), shown.Clusters[i])
		assert.Len(t, l.Colours, level.Clusters)
		assert.Equal(t, level.Neighbourhoods, l.Neighbourhoods)
		assert.Len(t, l.Neighbourhoods[0], level.Neighbours)
		assert.Len(t, l.Central, level.Clusters)
		sum := 0.0
		for _, m := range l.Mass {
			sum += float64(m)
		}
		assert.InDelta(t, 64, sum, 1e-3)
	}
	health, err := c.Health(0)
	require.NoError(t, err)
	assert.Equal(t, health, r.Health)

	wrong := 359 - int(r.Evaluation.Accuracy*359+0.5)
	require.Len(t, r.Mistakes, min(wrong, mostMistakes))
	d := digits(t)
	signal := make([]float32, 64)
	for i, s := range r.Mistakes {
		assert.NotEqual(t, s.Truth, s.Predicted)
		assert.Equal(t, int(d.Labels[s.Index]), s.Truth)
		if i > 0 {
			assert.LessOrEqual(t, s.Probability, r.Mistakes[i-1].Probability)
		}
	}
	s := r.Gallery[0]
	d.Signals.Read(s.Index, signal)
	p, err := c.Attribute(context.Background(), [][]float32{signal}, models.AttributionOptions{})
	require.NoError(t, err)
	assert.Equal(t, p[0].Prediction.Class, s.Predicted)
	assert.InDelta(t, p[0].Prediction.Probability, s.Probability, 1e-4)
	most := slices.MaxFunc(p[0].Nodes, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	assert.InEpsilon(t, math.Abs(most), s.Most, 1e-6) // the report explains samples together: batches round otherwise
	layout := picture.NewLayout(c.Graph, picture.Nodes{Grid: d.Grid})
	for i, p := range layout.Sample(signal, p[0].Values, 1) {
		want, err := layout.Inline(p)
		require.NoError(t, err)
		assert.Equal(t, want, s.Pictures[i], "as ccp explain draws it")
		assert.NotEqual(t, want, r.Mistakes[0].Pictures[i])
	}
	assert.Len(t, s.Pictures, 2)
	assert.Empty(t, r.Means, "of pixels")
	assert.Nil(t, s.Words)
}

// A sample is explained once, wherever the page shows it.
func TestWhoPredicts(t *testing.T) {
	r, _ := built(t, "sensors")
	assert.Equal(t, "the network", r.PredictedBy)
	assert.Equal(t, models.IntegratedGradients, r.Method)
	samples, explained := r.Evaluation.Samples, 0
	assert.Len(t, r.Gallery, samples)
	for _, m := range r.Means {
		explained += m.Samples
	}
	assert.Equal(t, samples, explained)
	assert.Equal(t, samples, r.Explained)
	assert.Contains(t, progressOf["sensors"], fmt.Sprintf("evaluating %d test samples 100%%", samples))
	assert.Contains(t, progressOf["sensors"], fmt.Sprintf("explaining %d samples 100%%", samples))
	for _, s := range slices.Concat(r.Gallery, r.Mistakes) {
		assert.NotEmpty(t, s.Pictures)
	}
	r, c := built(t, "transforms")
	assert.Equal(t, samples, r.Explained)
	few, err := Build(t.Context(), trained(t, "transforms"), c, sensorData(t), 2, func(string, float64) {})
	require.NoError(t, err)
	assert.LessOrEqual(t, few.Explained, 2)
	assert.Len(t, few.Gallery, 1)
	assert.Len(t, few.Means, 1)
	assert.Equal(t, models.Occlusion, r.Method)
	assert.Equal(t, []any{"values", false, 0, 0}, []any{r.PredictedBy, r.Network, r.BestEpoch, r.Result.Epochs})
	r, _ = built(t, "softmax")
	assert.Equal(t, "the network", r.PredictedBy)
	assert.True(t, r.Network)
	assert.Equal(t, models.IntegratedGradients, r.Method)
}

func TestPreparedHasOneEpoch(t *testing.T) {
	r, _ := built(t, "prepared")
	assert.True(t, r.Hierarchy.Frozen)
	assert.Len(t, r.Hierarchy.Epochs, 1)
}

func TestWithoutClusters(t *testing.T) {
	r, _ := built(t, "softmax")
	assert.Nil(t, r.Hierarchy)
	assert.Empty(t, r.Health)
	assert.NotNil(t, r.Evaluation)
	assert.NotEmpty(t, r.Gallery)
	var page bytes.Buffer
	require.NoError(t, Write(&page, r))
}

// Without the data set there are no samples, and no names; without what older versions did not write, one epoch.
func TestOlderRunWithoutData(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, os.CopyFS(dir, os.DirFS(trained(t, "learned"))))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "hierarchy")))
	snapshots, err := filepath.Glob(filepath.Join(dir, "last-*"))
	require.NoError(t, err)
	for _, snapshot := range snapshots {
		require.NoError(t, os.RemoveAll(snapshot))
	}
	c, err := models.Load(dir, models.LoadOptions{Backend: backendtest.Go(t)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	r, err := Build(t.Context(), dir, c, nil, 0, func(string, float64) {})
	require.NoError(t, err)
	assert.Len(t, r.Hierarchy.Epochs, 1)
	assert.Equal(t, r.BestEpoch, r.Hierarchy.Epochs[0].Epoch)
	assert.Nil(t, r.Evaluation)
	assert.Empty(t, r.Gallery)
	assert.Empty(t, r.History)
}

// A training that has not ended is reported as far as it is.
func TestInTraining(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, os.CopyFS(dir, os.DirFS(trained(t, "learned"))))
	require.NoError(t, os.Remove(filepath.Join(dir, "result.json")))
	c, err := models.Load(dir, models.LoadOptions{Backend: backendtest.Go(t)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	r, err := Build(t.Context(), dir, c, digits(t), 0, func(string, float64) {})
	require.NoError(t, err)
	assert.Nil(t, r.Result)
	assert.Len(t, r.History, 3)
	assert.Equal(t, r.BestEpoch, r.Hierarchy.Epochs[r.Hierarchy.Shown].Epoch)

	snapshots, err := filepath.Glob(filepath.Join(dir, "last-*", "state.json"))
	require.NoError(t, err)
	for _, state := range snapshots {
		require.NoError(t, os.Truncate(state, 3))
	}
	_, err = Build(t.Context(), dir, c, nil, 0, func(string, float64) {})
	require.ErrorContains(t, err, "state.json")
	_, err = Build(t.Context(), t.TempDir(), c, nil, 0, func(string, float64) {})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// The page asks nothing of a network, and no text of the data becomes markup.
func TestWrite(t *testing.T) {
	r, _ := built(t, "learned")
	r.ClassNames[0] = `</script><img src=x onerror="alert(1)"><!--`
	r.Command = "ccp train --data 'a\u2028b</SCRIPT>'"
	var page bytes.Buffer
	require.NoError(t, Write(&page, r))
	html := page.String()
	assert.Contains(t, html[:1000], Generator)
	assert.NotContains(t, html, "<img src=x")
	assert.NotContains(t, html, "</SCRIPT>")
	assert.Equal(t, 2, strings.Count(html, "</script>"))
	assert.NotRegexp(t, regexp.MustCompile(`(src|href)="(?:[a-z]+:)?//|@import|url\(`), html)
	assert.Contains(t, html, "default-src 'none'", "a policy")

	_, rest, found := strings.Cut(html, `<script type="application/json" id="report">`)
	require.True(t, found)
	document, _, _ := strings.Cut(rest, "</script>")
	var again struct {
		Spec struct {
			ClassNames []string `json:"class_names"`
		}
		Command string `json:"command"`
	}
	require.NoError(t, json.Unmarshal([]byte(document), &again))
	assert.Equal(t, r.ClassNames, again.Spec.ClassNames)
	assert.Equal(t, r.Command, again.Command)
}

func ExampleWrite() {
	var page bytes.Buffer
	err := Write(&page, Report{Checkpoint: "runs/digits-softmax-1"})
	title, _, _ := strings.Cut(page.String()[strings.Index(page.String(), "<title>"):], "\n")
	fmt.Println(title, err)
	// Output: <title>digits-softmax-1 · ccp report</title> <nil>
}
