package recordings

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// Samples are named by their file or id, and by their folder or line where that is not enough.
func TestSampleNames(t *testing.T) {
	_, d := imported(t, Options{}, csvFolders(t))
	assert.Equal(t, "wave/ben_4.csv", d.SampleNames[19])
	_, d = imported(t, Options{}, put(t, t.TempDir(), "ward.csv", longCSV()))
	assert.Equal(t, "s7", d.SampleNames[7])
	_, d = imported(t, Options{}, tsFolder(t))
	assert.Equal(t, "TwoMoves/TwoMoves_TEST.ts, line 12", d.SampleNames[9])

	folder := t.TempDir()
	for i := range 20 {
		put(t, folder, fmt.Sprintf("%c/%d.csv", "ab"[i%2], i/2), "x,y\n1,3\n1,2\n")
	}
	_, d = imported(t, Options{}, folder)
	assert.Equal(t, []string{"a/0.csv", "a/1.csv"}, d.SampleNames[:2])
	assert.Equal(t, "b/9.csv", d.SampleName(19))
}

// A name that a data set cannot hold is refused by the import, which names the file, and not by whoever reads its file.
func TestNamesThatAreNotUTF8(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"K\xe4se/a.csv", "brot/b.csv"} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Skip("the file system takes UTF-8 only")
		}
		require.NoError(t, os.WriteFile(path, []byte("x,y\n1,2\n3,4\n"), 0o600))
	}
	out := filepath.Join(t.TempDir(), "a.npz")
	_, err := Import(t.Context(), []string{folder}, out, Options{})
	messagetest.Names(t, err, `"K\xe4se" … not UTF-8 … rename`)
	assert.NoFileExists(t, out)
}
