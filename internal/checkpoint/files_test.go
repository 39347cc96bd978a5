package checkpoint

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWriteAndReadJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	require.NoError(t, WriteJSON(path, state{Step: 1, Sums: []float64{1.0 / 3}, Notes: "a"}))
	require.NoError(t, WriteJSON(path, state{Step: 2, Sums: []float64{1.0 / 3}}))
	var read state
	require.NoError(t, ReadJSON(path, &read))
	assert.Equal(t, state{Step: 2, Sums: []float64{1.0 / 3}}, read)
	assert.Equal(t, []string{"a.json"}, names(t, filepath.Dir(path)))
}

// What cannot be written leaves what was there, and so does a writer killed half way.
func TestWriteJSONIsAllOrNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	require.NoError(t, WriteJSON(path, state{Step: 1}))
	require.ErrorContains(t, WriteJSON(path, math.NaN()), path)
	write(t, path+".writing", `{"st`)
	var read state
	require.NoError(t, ReadJSON(path, &read))
	assert.Equal(t, state{Step: 1}, read)
	require.NoError(t, WriteJSON(path, state{Step: 2}))
	require.NoError(t, ReadJSON(path, &read))
	assert.Equal(t, state{Step: 2}, read)
	assert.Equal(t, []string{"a.json"}, names(t, filepath.Dir(path)))
}

// A folder of that name cannot be replaced; nothing half made stays beside it.
func TestWriteFileCleansUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	require.NoError(t, os.MkdirAll(filepath.Join(path, "full"), 0o755))
	require.Error(t, WriteFile(path, []byte("text")))
	assert.Equal(t, []string{"a.json"}, names(t, filepath.Dir(path)))
}

func TestReadJSONNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	err := ReadJSON(path, new(state))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, path)
	for _, text := range []string{"", "{", `{"step": "one"}`, "{} {}"} {
		write(t, path, text)
		require.ErrorContains(t, ReadJSON(path, new(state)), path, text)
	}
}

func TestCheckDirectory(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	write(t, file, "")
	require.NoError(t, CheckDirectory(dir))
	require.NoError(t, CheckDirectory(filepath.Join(dir, "not", "there")))
	require.EqualError(t, CheckDirectory(file), file+" is not a directory")
	require.ErrorContains(t, CheckDirectory(filepath.Join(file, "below")), "not a directory")
}
