package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/files/filestest"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// writeRun writes a run of one snapshot in dir, with a file for each epoch in a folder.
func writeRun(t *testing.T, dir, name string, step int) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, files.WriteJSON(filepath.Join(dir, ConfigFile), name))
	require.NoError(t, Start(dir, struct{ Name string }{name},
		func(path string) error { return files.WriteBytes(path, []byte(name)) }))
	save(t, dir, Best, step, 1)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "hierarchy"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hierarchy", "0001.json"), []byte(name), 0o600))
}

// removeRun deletes what writeRun writes.
func removeRun(dir string) error {
	return errors.Join(Remove(dir), files.Remove(filepath.Join(dir, "hierarchy"), "0001.json"),
		files.Remove(dir, MetadataFile, GraphFile, ConfigFile))
}

// readRun returns what a reader finds in dir: the description, the graph, and the step of the snapshot that belongs to
// them.
func readRun(t *testing.T, dir string) (name string, step int) {
	t.Helper()
	fsys := FS(os.DirFS(dir))
	var text struct{ Name string }
	require.NoError(t, readJSON(fsys, MetadataFile, &text))
	file, err := fsys.Open(GraphFile)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	step, passedOver, err := Read(fsys, dir, Best, nil, model.NewStore(), new(state))
	require.NoError(t, err)
	require.Empty(t, passedOver)
	return text.Name, step
}

// Whatever a new run's way into the place of another is stopped at, a reader finds one of the two, whole, and Settle
// ends the work.
func TestTakeOverIsStopped(t *testing.T) {
	for _, steps := range [][2]int{{7, 9}, {9, 7}, {8, 8}} {
		for stop, reached := 0, true; reached; stop++ {
			reached = false
			t.Run(fmt.Sprint(steps, stop), func(t *testing.T) {
				dir := t.TempDir()
				writeRun(t, dir, "before", steps[0])
				writeRun(t, filepath.Join(dir, NextFolder), "new", steps[1])
				for _, path := range []string{"notes.txt", "hierarchy/notes.txt"} {
					require.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte("mine"), 0o600))
				}
				name, step := readRun(t, dir)
				assert.Equal(t, []any{"before", steps[0]}, []any{name, step})
				done, stopped := 0, errors.New("stopped")
				count := func() error {
					done++
					if done > stop {
						return stopped
					}
					return nil
				}
				defer func() { rename = files.Rename }()
				rename = func(from, to string) error {
					if err := count(); err != nil {
						return err
					}
					return files.Rename(from, to)
				}
				err := TakeOver(dir, func(dir string) error {
					if err := count(); err != nil {
						return errors.Join(err, files.Remove(dir, GraphFile)) // it was under way
					}
					return removeRun(dir)
				})
				reached = errors.Is(err, stopped)
				if !reached {
					require.NoError(t, err)
				}
				name, step = readRun(t, dir)
				want := []any{"new", steps[1]}
				if stop == 0 {
					want = []any{"before", steps[0]}
				}
				assert.Equal(t, want, []any{name, step})
				rename = files.Rename
				require.NoError(t, Settle(dir, removeRun))
				if stop > 0 {
					assert.ElementsMatch(t, []string{fmt.Sprintf("best-%08d", steps[1]), ConfigFile, GraphFile, "hierarchy",
						MetadataFile, "notes.txt"},
						filestest.Names(t, dir))
					assert.ElementsMatch(t, []string{"0001.json", "notes.txt"}, filestest.Names(t, filepath.Join(dir, "hierarchy")))
				}
			})
		}
	}
}
