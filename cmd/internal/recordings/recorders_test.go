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
	inside := filepath.Join(folder, "a")
	file := filepath.Join(inside, "1.EDF")
	for _, input := range []string{file, folder, inside} {
		_, err := Import(t.Context(), []string{input}, filepath.Join(folder, "mine.npz"), Options{})
		messagetest.Names(t, err, file+" … clusterpool.read "+input)
	}
}

// A test along time takes tables, of a recorder's file and of a data set of it, too: the error says how to write them.
func TestRecordersAlongTime(t *testing.T) {
	form := formOf(t, stateOfTwo())
	for name, want := range map[string]string{
		"s1.edf":   "s1.edf … recorder … clusterpool.read … new.csv … --labels",
		"mine.npz": "mine.npz … data set … clusterpool.read … new.csv … --labels",
	} {
		file := put(t, t.TempDir(), name, "PK\x03\x04")
		_, _, err := ReadAnnotated(t.Context(), []string{file}, form, Annotation{Labels: "events.csv"})
		messagetest.Names(t, err, want)
		assert.NotContains(t, err.Error(), "--out mine.npz")
	}
	_, err := Import(t.Context(), []string{put(t, t.TempDir(), "mine.npz", "PK\x03\x04")}, "out.npz", Options{})
	messagetest.Names(t, err, "mine.npz … data set … train")
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
