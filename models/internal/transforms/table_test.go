package transforms

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/internal/transforms/features"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A table in a file has the features that one in memory has, and leaves no file behind.
func TestTableOfFeatures(t *testing.T) {
	const samples, width = 2*blockSize + 3, 5
	folder := filepath.Join(t.TempDir(), "made", "if", "need be")
	var tables []*table
	for _, inMemory := range []int{4 * samples * width, 4*samples*width - 1} {
		table, err := newTable(folder, samples, width, inMemory)
		require.NoError(t, err)
		defer table.close()
		rng := rand.New(rand.NewPCG(1, 2))
		for from := 0; from < samples; from += 700 {
			rows := table.rows(from, min(from+700, samples))
			for _, row := range rows {
				for j := range row {
					row[j] = float32(rng.NormFloat64() + float64(j))
				}
			}
			require.NoError(t, table.put(from, rows))
		}
		tables = append(tables, table)
	}
	inMemory, inFile := tables[0], tables[1]
	require.Nil(t, inMemory.file)
	require.NotNil(t, inFile.file)
	same := func() {
		some := []int{samples - 1, 0, blockSize, 7}
		want, err := inMemory.pick(some)
		require.NoError(t, err)
		found, err := inFile.pick(some)
		require.NoError(t, err)
		assert.Equal(t, want, found)
		assert.Equal(t, inMemory.memory[7], found[3])
		columns, err := inFile.columns(some)
		require.NoError(t, err)
		assert.Equal(t, found[2][4], columns[4*len(some)+2])
		mean, err := inMemory.means()
		require.NoError(t, err)
		meanOfFile, err := inFile.means()
		require.NoError(t, err)
		assert.Equal(t, mean, meanOfFile)
	}
	same()
	for _, table := range tables {
		require.NoError(t, table.standardise(features.Find("power").NewStandardiser(width)))
	}
	same()
	mean, err := inFile.means()
	require.NoError(t, err)
	assert.InDeltaSlice(t, make([]float64, width), mean, 1e-6)
	inFile.close()
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// A folder that cannot be written is an error that says what was to lie in it.
func TestTableWithoutFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := newTable(filepath.Join(file, "folder"), 10, 10, 0)
	assert.ErrorContains(t, err, "features of 10 samples")
	assert.ErrorContains(t, err, file)
}

// Features that lie in files give the classifier that those in memory give, also where each tree reads some samples.
func TestFitFromFiles(t *testing.T) {
	samples := noise(rand.New(rand.NewPCG(9, 11)), forestSamples+40, 3, always(12))
	for i := range samples {
		samples[i].Values[0] += float32(2 * samples[i].Label)
	}
	c := Config{Columns: 3, Classes: 2, Only: []string{"hydra", "power", "values", Forest}, Backend: backendtest.Go(t)}
	var found []*Classifier
	for _, inMemory := range []int{1 << 40, 0} {
		c.Scratch = t.TempDir()
		p, err := c.plan(samples)
		require.NoError(t, err)
		p.dual, p.inMemory, p.landmarks = false, inMemory, loop.Indices(50)
		p.header.Landmarks, p.header.Features, p.header.Groups = 50, 100, 1
		e, err := p.extractor(t.Context())
		require.NoError(t, err)
		candidates, grown, err := e.extractAll(t.Context())
		require.NoError(t, err)
		require.NoError(t, e.classifier.forest.grow(t.Context(), grown, labelsOf(e.samples), 1))
		ridges, err := e.ridges(t.Context(), candidates)
		require.NoError(t, err)
		e.classifier.join(e.taskOf(e.samples), ridges)
		p.close()
		left, err := os.ReadDir(c.Scratch)
		require.NoError(t, err)
		assert.Empty(t, left)
		found = append(found, e.classifier)
	}
	for _, s := range samples[:50] {
		assert.Equal(t, found[0].Read(s.Values), found[1].Read(s.Values))
	}
}
