// Package checkpoint keeps a training run in a directory so that nothing in it is ever half written.
//
// A snapshot is a folder KIND-STEP that holds the variables (in GoMLX's checkpoint format), a state.json of the caller's
// and a manifest.json with the size and SHA-256 of each file. It is written under a temporary name, flushed to disk and
// only then renamed, so a kill at any moment leaves the previous snapshots whole. A snapshot that does not match its
// manifest is named and passed over for the one before it.
package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"
)

// Kinds of snapshot: the newest ones of a run, to resume from, and the one that did best in validation.
const (
	Last = "last"
	Best = "best"
)

const (
	manifestName = "manifest.json"
	stateName    = "state.json"
	temporary    = ".writing-"
)

// ErrNone says that a directory has no usable snapshot of the kind asked for.
var ErrNone = errors.New("no usable snapshot")

type manifest struct {
	Step  int             `json:"step"`
	Files map[string]file `json:"files"`
}

type file struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Save writes the store's variables and state as snapshot KIND-STEP of dir, then removes all but the `keep` newest of
// that kind. Variables for which skip returns true are left out. The returned error names the file that failed; the
// snapshots there before stay as they were.
func Save(dir, kind string, step, keep int, store *model.Store, state any, skip func(v *model.Variable) bool) (err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(dir, temporary)
	if err != nil {
		return err
	}
	defer os.RemoveAll(work) // of no effect once renamed
	if err := saveVariables(work, store, skip); err != nil {
		return fmt.Errorf("saving the weights of step %d: %w", step, err)
	}
	if err := writeJSON(filepath.Join(work, stateName), state); err != nil {
		return err
	}
	if err := writeManifest(work, step); err != nil {
		return err
	}
	final := filepath.Join(dir, fmt.Sprintf("%s-%08d", kind, step))
	if err := os.RemoveAll(final); err != nil { // the same step again, after a resume
		return err
	}
	if err := os.Chmod(work, 0o755); err != nil {
		return err
	}
	if err := os.Rename(work, final); err != nil {
		return err
	}
	if err := flush(dir); err != nil {
		return err
	}
	return prune(dir, kind, keep)
}

func saveVariables(dir string, store *model.Store, skip func(v *model.Variable) bool) error {
	loader := store.Loader()
	defer store.SetLoader(loader) // a handler also makes itself the store's loader, which a writer has no use for
	handler, err := checkpoint.Build(store).Dir(dir).WithCompression(checkpoint.BinUncompressed).ExcludeAllParams().Done()
	if err != nil {
		return err
	}
	for v := range store.IterVariables() {
		if skip != nil && skip(v) {
			handler.ExcludeVarsFromSaving(v)
		}
	}
	return handler.Save()
}

// Load restores the newest whole snapshot of a kind: its variables into store, its state into state. It returns the step
// and, for each damaged snapshot it passed over, a line that names it and says why. Without any it returns ErrNone.
func Load(dir, kind string, store *model.Store, state any) (step int, passedOver []string, err error) {
	names, err := list(dir, kind)
	if err != nil {
		return 0, nil, err
	}
	for _, name := range slices.Backward(names) {
		path := filepath.Join(dir, name)
		m, err := verify(path)
		if err == nil {
			err = readJSON(filepath.Join(path, stateName), state)
		}
		if err == nil {
			err = loadVariables(path, store)
		}
		if err == nil {
			return m.Step, passedOver, nil
		}
		passedOver = append(passedOver, fmt.Sprintf("%s is damaged: %v", path, err))
	}
	if len(passedOver) > 0 {
		return 0, passedOver, fmt.Errorf("%w of kind %q in %s: %s", ErrNone, kind, dir, strings.Join(passedOver, "; "))
	}
	return 0, nil, fmt.Errorf("%w of kind %q in %s", ErrNone, kind, dir)
}

// Exists says whether dir holds any snapshot of a kind, whole or not.
func Exists(dir, kind string) bool {
	names, err := list(dir, kind)
	return err == nil && len(names) > 0
}

func loadVariables(dir string, store *model.Store) error {
	loader := store.Loader()
	defer store.SetLoader(loader)
	_, err := checkpoint.Load(store).Dir(dir).ExcludeAllParams().Immediate().Done()
	return err
}

// list gives the snapshots of a kind, oldest first.
func list(dir, kind string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if number, ok := strings.CutPrefix(e.Name(), kind+"-"); ok && e.IsDir() {
			if _, err := strconv.Atoi(number); err == nil {
				names = append(names, e.Name())
			}
		}
	}
	slices.Sort(names)
	return names, err
}

// prune removes old snapshots, and what a killed writer left behind.
func prune(dir, kind string, keep int) error {
	names, err := list(dir, kind)
	if err != nil {
		return err
	}
	for _, name := range names[:max(0, len(names)-keep)] {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	leftovers, err := filepath.Glob(filepath.Join(dir, temporary+"*"))
	if err != nil {
		return err
	}
	for _, path := range leftovers {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}

func writeManifest(dir string, step int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	m := manifest{Step: step, Files: map[string]file{}}
	for _, e := range entries {
		if m.Files[e.Name()], err = digest(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
		if err := flush(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	if err := writeJSON(filepath.Join(dir, manifestName), m); err != nil {
		return err
	}
	return flush(dir)
}

func verify(dir string) (m manifest, err error) {
	if err := readJSON(filepath.Join(dir, manifestName), &m); err != nil {
		return m, err
	}
	for name, want := range m.Files {
		got, err := digest(filepath.Join(dir, name))
		if err != nil {
			return m, err
		}
		if got != want {
			return m, fmt.Errorf("%s has %d bytes and SHA-256 %.12s…, its manifest says %d and %.12s…", name, got.Bytes, got.SHA256, want.Bytes, want.SHA256)
		}
	}
	return m, nil
}

func digest(path string) (file, error) {
	f, err := os.Open(path)
	if err != nil {
		return file{}, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return file{Bytes: n, SHA256: hex.EncodeToString(h.Sum(nil))}, err
}

// Remove deletes every snapshot in dir.
func Remove(dir string) error {
	return errors.Join(prune(dir, Last, 0), prune(dir, Best, 0))
}
