package data

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/benchmarks/paper/data/internal/skeleton"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/messagetest"
)

// nwuclaText is a file of a body.
func nwuclaText(t *testing.T, poses [][][3]float64, label int) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"skeletons": poses, "label": label})
	require.NoError(t, err)
	return string(text)
}

// smallNWUCLA is a set of files: every action by subjects 1, 2 and 9 in three views.
func smallNWUCLA(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for class, action := range []int{1, 2, 3, 4, 5, 6, 8, 9, 11, 12} {
		for _, subject := range []int{1, 2, 9} {
			for view := 1; view <= 3; view++ {
				seed := uint64(class + 100*subject + 1000*view)
				files[fmt.Sprintf("a%02d_s%02d_e00_v%02d.json", action, subject, view)] = nwuclaText(t,
					moving(seed, 1+class, 20), class+1)
			}
		}
	}
	return files
}

func TestNWUCLA(t *testing.T) {
	emptyCache(t)
	dir := t.TempDir()
	writeRecordings(t, filepath.Join(dir, "nw-ucla"), smallNWUCLA(t))
	d, err := datasets.Load(t.Context(), "nw-ucla", datasets.Options{HoldOut: true, DataDir: dir})
	require.NoError(t, err)
	require.NoError(t, d.Validate())
	assert.Equal(t, []int{40, 20, 30}, []int{len(d.Train), len(d.Validation), len(d.Test)})
	assert.Equal(t, 40*19+39*20, d.Affinity.Edges())
	for i, label := range d.Labels {
		assert.Equal(t, int32(i/9), label)
	}
	for _, i := range d.Test {
		assert.Equal(t, 2, i%3, "view 3")
	}
	messagetest.Names(t, d.Warnings[0], "cross-view … 60 training … 30 test … 1020 and 464")
	plain, err := datasets.Load(t.Context(), "nw-ucla", datasets.Options{DataDir: dir})
	require.NoError(t, err)
	later, err := datasets.Make(&plain.Raw, plain.Raw.HoldOut(plain.Split, 0, 0))
	require.NoError(t, err)
	assert.Equal(t, [][]int{d.Train, d.Validation}, [][]int{later.Train, later.Validation})
	assert.Equal(t, d.Std, later.Std)
	assert.NotEqual(t, plain.Std, later.Std)
	subjects, err := datasets.Load(t.Context(), "nw-ucla",
		datasets.Options{DataDir: dir, Own: map[string]any{"protocol": skeleton.CrossSubject}, Validation: 0.25})
	require.NoError(t, err)
	assert.Equal(t, []int{30, 30, 30}, []int{len(subjects.Train), len(subjects.Validation), len(subjects.Test)})
	for _, i := range subjects.Test {
		assert.Equal(t, 2, i/3%3, "subject 9")
	}
}

func TestNWUCLAErrors(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"label": {map[string]string{"a08_s01_e00_v01.json": nwuclaText(t, moving(1, 3, 20), 8)},
			"a08_s01_e00_v01.json … label 8"},
		"zero": {map[string]string{"a01_s01_e00_v01.json": nwuclaText(t, moving(1, 3, 20), 0)}, "label 0 is not that"},
		"joints": {map[string]string{"a01_s01_e00_v01.json": nwuclaText(t, moving(1, 3, 25), 1)},
			"skeletons[0] has 25 joints, want 20"},
		"action": {map[string]string{"a07_s01_e00_v01.json": "{}"}, "none of the 1 recordings"},
		"none": {map[string]string{"b01_s01_e00_v01.json": "{}"},
			"a01_s01_e00_v01.json … all_sqe.zip"},
	} {
		emptyCache(t)
		dir := t.TempDir()
		writeRecordings(t, dir, c.files)
		_, err := datasets.Load(t.Context(), "nw-ucla", datasets.Options{HoldOut: true, DataDir: dir})
		messagetest.Names(t, err, c.want, name)
	}
}

// TestRealNWUCLA checks the counts, the published split and what preparation promises.
func TestRealNWUCLA(t *testing.T) {
	dir := realData(t, "nw-ucla")
	d, err := datasets.Load(t.Context(), "nw-ucla", datasets.Options{HoldOut: true, DataDir: dir, Augment: true})
	require.NoError(t, err)
	assert.Empty(t, d.Warnings)
	assert.Equal(t, []int{924, 96, 464}, []int{len(d.Train), len(d.Validation), len(d.Test)})
	assert.Equal(t, 1540, d.Affinity.Edges())

	found, err := skeleton.NWUCLA.Load(t.Context(), []string{filepath.Join(dir, "nw-ucla"), dir}, func(string, float64) {})
	require.NoError(t, err)
	table, err := os.ReadFile(filepath.Join(found.Place, "splits.tsv"))
	require.NoError(t, err)
	labels := map[string]string{} // split and label by name
	for line := range strings.Lines(string(table)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		labels[fields[1]] = fields[0] + fields[3]
	}
	require.Len(t, labels, 1484)
	for published, indices := range map[string][]int{"train": append(d.Train[:len(d.Train):len(d.Train)], d.Validation...),
		"val": d.Test} {
		for _, i := range indices {
			name := strings.TrimSuffix(found.Files[i].Name(), ".json")
			require.Equal(t, labels[name], fmt.Sprint(published, d.Labels[i]+1), name)
		}
	}
	sample := make([]float32, d.Nodes*d.Channels)
	var largest float32
	folded := 0 // recordings that begin with a pose that gives no coordinates
	for i := range d.Signals.Len() {
		d.Signals.Read(i, sample)
		if sample := d.Series[i]; max(sample[3]*sample[3], sample[4]*sample[4], sample[5]*sample[5]) > 1e-6 {
			folded++
		}
		for _, v := range sample {
			largest = max(largest, v, -v)
		}
	}
	t.Logf("largest coordinate %.1f spines; %d recordings do not begin with the spine at the origin", largest, folded)
	assert.Less(t, folded, 15)

	assert.Less(t, largest, float32(20))
	// The files of these recordings of views 2 and 3 are the same, in the set as it is given out.
	messagetest.Names(t, d.Notes, "95 of 464 … copies")

	d, err = datasets.Load(t.Context(), "nw-ucla",
		datasets.Options{HoldOut: true, DataDir: dir, Own: map[string]any{"protocol": skeleton.CrossSubject}})
	require.NoError(t, err)
	assert.Empty(t, d.Warnings)
	assert.Equal(t, []int{1050, 147, 287}, []int{len(d.Train), len(d.Validation), len(d.Test)})
}
