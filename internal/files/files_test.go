package files

import (
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/files/filestest"
)

type state struct {
	Step  int       `json:"step"`
	Sums  []float64 `json:"sums"`
	Notes string    `json:"notes"`
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func TestWriteAndReadJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	require.NoError(t, WriteJSON(path, state{Step: 1, Sums: []float64{1.0 / 3}, Notes: "a"}))
	require.NoError(t, WriteJSON(path, state{Step: 2, Sums: []float64{1.0 / 3}}))
	var read state
	require.NoError(t, ReadJSON(path, &read))
	assert.Equal(t, state{Step: 2, Sums: []float64{1.0 / 3}}, read)
	assert.Equal(t, []string{"a.json"}, filestest.Names(t, filepath.Dir(path)))
}

// What cannot be written leaves what was there, and so does a writer killed half way.
func TestWriteJSONIsAllOrNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	require.NoError(t, WriteJSON(path, state{Step: 1}))
	require.ErrorContains(t, WriteJSON(path, math.NaN()), path)
	leftover := filepath.Join(filepath.Dir(path), Unfinished+"1")
	write(t, leftover, `{"st`)
	var read state
	require.NoError(t, ReadJSON(path, &read))
	assert.Equal(t, state{Step: 1}, read)
	require.NoError(t, WriteJSON(path, state{Step: 2}))
	require.NoError(t, ReadJSON(path, &read))
	assert.Equal(t, state{Step: 2}, read)
	require.NoError(t, os.Remove(leftover))
	assert.Equal(t, []string{"a.json"}, filestest.Names(t, filepath.Dir(path)))
}

// A folder of that name cannot be replaced; nothing half made stays beside it.
func TestWriteCleansUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	require.NoError(t, os.MkdirAll(filepath.Join(path, "full"), 0o755))
	require.ErrorContains(t, WriteBytes(path, []byte("text")), "write "+path+": ")
	none := filepath.Join(path, "none", "b.json")
	err := WriteBytes(none, nil)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "write "+none+": ")
	require.NotContains(t, err.Error(), Unfinished)
	assert.Equal(t, []string{"a.json"}, filestest.Names(t, filepath.Dir(path)))
}

// What is being written is named after what it will be, so the holder of a lock removes its own only.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.json", "b.json", "a.json-b", "folder", strings.Repeat("ä", 120)} {
		swept := func(string) error {
			before := filestest.Names(t, dir)
			require.Len(t, before, 1)
			require.NoError(t, Sweep(dir, func(name string) bool { return name == "a.json" || name == "folder" }))
			if name == "a.json" || name == "folder" {
				assert.Empty(t, filestest.Names(t, dir), name)
			} else {
				assert.Equal(t, before, filestest.Names(t, dir), name)
			}
			return io.ErrUnexpectedEOF
		}
		if name == "folder" {
			require.Error(t, Folder(filepath.Join(dir, name), swept))
			continue
		}
		if name == "a.json" && runtime.GOOS == "windows" {
			continue // nobody removes an open file there
		}
		require.Error(t, Write(filepath.Join(dir, name), func(io.Writer) error { return swept("") }))
	}
	require.NoError(t, Sweep(filepath.Join(dir, "none"), nil))
	require.NoError(t, WriteBytes(filepath.Join(dir, strings.Repeat("ä", 120)), nil))
}

// A reader keeps Windows from replacing a file, so Write waits for it.
func TestWriteWhileItIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	write(t, path, "old")
	reader, err := os.Open(path)
	require.NoError(t, err)
	time.AfterFunc(10*time.Millisecond, func() { _ = reader.Close() })
	require.NoError(t, WriteBytes(path, []byte("new")))
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "new", string(content))
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
	if runtime.GOOS != "windows" { // there it is no directory at all
		require.ErrorContains(t, CheckDirectory(filepath.Join(file, "below")), "not a directory")
	}
}

func TestWriteKeepsTheOldFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "x")
	put := func(text string, failure error) error {
		return Write(path, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return errors.Join(err, failure)
		})
	}
	require.NoError(t, put("old", nil))
	full := errors.New("disk full")
	require.ErrorIs(t, put("half of the n", full), full)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "old", string(content))

	require.NoError(t, put("new", nil))
	content, err = os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "new", string(content))
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

// A link keeps being one, a pipe or device is written into, and a file keeps who may read it. New folders and files
// follow the umask.
func TestWriteIntoWhatIsThere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no pipes with names, and no umask")
	}
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	require.NoError(t, os.WriteFile(at("target"), []byte("old"), 0o600))
	require.NoError(t, os.Symlink("target", at("link")))
	require.NoError(t, WriteBytes(at("link"), []byte("new")))
	link, err := os.Lstat(at("link"))
	require.NoError(t, err)
	assert.Equal(t, os.ModeSymlink, link.Mode().Type())
	content, err := os.ReadFile(at("target"))
	require.NoError(t, err)
	assert.Equal(t, "new", string(content))

	require.NoError(t, os.Mkdir(at("beside"), 0o755))
	require.NoError(t, os.Symlink("beside/later", at("dangling")))
	require.ErrorContains(t, Write(at("dangling"), func(io.Writer) error { return errors.New("full") }), "full")
	assert.NoFileExists(t, at("beside/later"))
	require.NoError(t, WriteBytes(at("dangling"), []byte("new")))
	link, err = os.Lstat(at("dangling"))
	require.NoError(t, err)
	assert.Equal(t, os.ModeSymlink, link.Mode().Type())
	content, err = os.ReadFile(at("beside/later"))
	require.NoError(t, err)
	assert.Equal(t, "new", string(content))
	require.NoError(t, os.Symlink("loop", at("loop")))
	require.ErrorContains(t, WriteBytes(at("loop"), nil), at("loop"))

	require.NoError(t, exec.Command("mkfifo", at("pipe")).Run())
	read := make(chan []byte, 1)
	go func() {
		content, _ := os.ReadFile(at("pipe"))
		read <- content
	}()
	require.NoError(t, WriteBytes(at("pipe"), []byte("text")))
	assert.Equal(t, "text", string(<-read))
	require.NoError(t, WriteBytes("/dev/null", []byte("text")))
	null, err := os.Stat("/dev/null")
	require.NoError(t, err)
	assert.NotZero(t, null.Mode()&os.ModeCharDevice)

	require.NoError(t, Folder(at("made"), func(string) error { return nil }))
	require.NoError(t, os.Mkdir(at("plain"), 0o777)) // as the umask says
	for made, want := range map[string]string{"made": "plain", "target": "target"} {
		one, err := os.Stat(at(made))
		require.NoError(t, err)
		other, err := os.Stat(at(want))
		require.NoError(t, err)
		assert.Equal(t, other.Mode(), one.Mode())
	}
	info, err := os.Stat(at("target"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
}
