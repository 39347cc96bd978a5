package recordings

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRecordersAreForPython(t *testing.T) {
	folder := t.TempDir()
	for _, class := range []string{"a", "b"} {
		require.NoError(t, os.Mkdir(filepath.Join(folder, class), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, class, "1.EDF"), []byte("0"), 0o644))
	}
	file := filepath.Join(folder, "a", "1.EDF")
	for _, input := range []string{file, folder} {
		_, err := Import(t.Context(), []string{input}, filepath.Join(folder, "mine.npz"), Options{})
		messagetest.Names(t, err, file+" … clusterpool.read "+input)
	}
}

func TestRecorderEndingsAreThoseOfTheReaders(t *testing.T) {
	table, err := os.ReadFile("../../../python/src/clusterpool/read/formats.py")
	require.NoError(t, err)
	rows := regexp.MustCompile(`Format\(\s*"[^"]*", \(([^)]*)\)`).FindAllSubmatch(table, -1)
	var endings []string
	for _, row := range rows {
		for _, ending := range regexp.MustCompile(`"(\.\w+)"`).FindAllSubmatch(row[1], -1) {
			endings = append(endings, string(ending[1]))
		}
	}
	assert.Equal(t, endings, recorderEndings)
}
