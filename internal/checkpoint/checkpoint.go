// Package checkpoint keeps a training run in a directory in which nothing is ever half written.
//
// A snapshot is a folder KIND-STEP. It holds
//
//   - the variables and parameters of a store, in the files of GoMLX (gomlx_checkpoints reads them);
//   - state.json, the caller's state;
//   - manifest.json, the size and SHA-256 of each file, and the SHA-256 of the description that it belongs to.
//
// Save writes a snapshot under a temporary name, flushes it to the disk and then renames it. A kill at any time
// leaves the snapshots before it intact. Load reports a snapshot that does not match its manifest, and uses the one
// before it.
package checkpoint

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/internal/files"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"
	"github.com/gomlx/gomlx/ml/train/optimizer"
)

// Kinds of snapshot: the newest ones of a run, to resume from, and the one that did best in validation.
const (
	Last = "last"
	Best = "best"
)

const (
	manifestName = "manifest.json"
	stateName    = "state.json"
)

// A checkpoint has these files beside its snapshots.
const (
	MetadataFile = "model.json"
	GraphFile    = "graph.npz"
	ConfigFile   = "config.json" // of a training, from its beginning
	ResultFile   = "result.json" // of a training, from its end
	RateFile     = "rate.json"   // of a training in a study, from after its end
	LockFile     = ".lock"       // of the process that writes
)

// ErrNone says that a directory has no usable snapshot of the kind asked for.
var ErrNone = errors.New("no usable snapshot")

type manifest struct {
	Step  int             `json:"step"`
	Model string          `json:"model,omitempty"` // SHA-256 of MetadataFile; "" without one
	Files map[string]file `json:"files"`
}

type file struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Save writes the store's variables and parameters, and the state, as snapshot KIND-STEP of dir. Then it removes older
// snapshots of that kind except the `keep` newest, and those of later steps, which a resumed run has abandoned. Save
// leaves out the variables for which skip returns true. An error names the file that failed; earlier snapshots stay as
// they were. Nobody else saves in dir meanwhile: the caller holds its lock.
func Save(dir, kind string, step, keep int, store *model.Store, state any, skip func(v *model.Variable) bool) error {
	final := snapshot(dir, kind, step)
	err := files.Folder(final, func(work string) error {
		if err := saveVariables(work, store, skip); err != nil {
			return fmt.Errorf("saving the weights of step %d: %w", step, err)
		}
		if err := files.WriteJSON(filepath.Join(work, stateName), state); err != nil {
			return err
		}
		if err := writeManifest(work, step, dir); err != nil {
			return err
		}
		return os.RemoveAll(final) // the same step again, after a resume
	})
	if err != nil {
		return err
	}
	return prune(dir, kind, step, keep)
}

// saveVariables writes the variables of a store but those that skip names, in GoMLX's format.
func saveVariables(dir string, store *model.Store, skip func(v *model.Variable) bool) error {
	defer store.SetLoader(store.Loader()) // a handler also makes itself the store's loader, which a writer does not need
	handler, err := checkpoint.Build(store).Dir(dir).WithCompression(checkpoint.BinUncompressed).Done()
	if err != nil {
		return err
	}
	optimizer.GetGlobalStepVar(store) // the handler makes one in any case; so skip decides on it, too
	var bytes int64
	for v := range store.IterVariables() {
		if skip != nil && skip(v) {
			handler.ExcludeVarsFromSaving(v)
		} else {
			bytes += v.Shape().ByteSize()
		}
	}
	if err := handler.Save(); err != nil {
		return err
	}
	// Save of GoMLX v0.28 passes over a variable that it fails to write, and says nothing.
	path, err := only(os.DirFS(dir), checkpoint.BinDataSuffix)
	if err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(dir, path))
	if err == nil && info.Size() != bytes {
		err = fmt.Errorf("%d of %d bytes could be written; is the disk full?", info.Size(), bytes)
	}
	return err
}

// Load restores the newest intact snapshot of a kind: its variables into store, its state into state. It returns the
// step. passedOver has a line for each damaged snapshot, which names it and says why it is damaged. If none is
// intact, Load returns ErrNone.
func Load(dir, kind string, store *model.Store, state any) (step int, passedOver []string, err error) {
	return Read(os.DirFS(dir), dir, kind, nil, store, state)
}

// Read is Load from a file system, which messages call name. A snapshot must belong to the description; nil is that of
// the file system.
func Read(fsys fs.FS, name, kind string, description []byte, store *model.Store, state any) (step int,
	passedOver []string, err error) {
	return restore(fsys, name, kind, description, func(folder fs.FS) error {
		err := readJSON(folder, stateName, state)
		if err == nil {
			err = loadVariables(folder, store)
		}
		return err
	})
}

// State restores the state of the newest intact snapshot of a kind. If none is intact, it returns ErrNone.
func State(dir, kind string, state any) error {
	_, _, err := restore(FS(os.DirFS(dir)), dir, kind, nil, func(folder fs.FS) error {
		return readJSON(folder, stateName, state)
	})
	return err
}

// restore calls read with the newest intact snapshot of a kind, and with the one before it if read fails. A training
// may remove snapshots meanwhile: then restore looks again.
func restore(fsys fs.FS, name, kind string, description []byte, read func(folder fs.FS) error) (step int,
	passedOver []string, err error) {
	owner := description
	if owner == nil {
		owner, _ = fs.ReadFile(fsys, MetadataFile) // snapshots without one belong to none
	}
	steps, err := list(fsys, kind)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", name, err)
	}
	none := fmt.Errorf("%w of kind %q in %s", ErrNone, kind, name)
	if len(steps) == 0 {
		none = fmt.Errorf("%w; a training that was interrupted before its first goes on by the same command", none)
	}
	for _, step := range slices.Backward(steps) {
		folder, err := fs.Sub(fsys, snapshot("", kind, step))
		if err == nil {
			err = verify(folder, step, owner)
		}
		if err == nil {
			err = read(folder)
		}
		if err == nil {
			return step, passedOver, nil
		}
		err = fmt.Errorf("%s is damaged: %w", snapshot(name, kind, step), err)
		passedOver, none = append(passedOver, err.Error()), fmt.Errorf("%w; %w", none, err)
	}
	if now, err := list(fsys, kind); err == nil && !slices.Equal(now, steps) {
		return restore(fsys, name, kind, description, read)
	}
	return 0, passedOver, none
}

// Newest returns the name of a directory's newest snapshot of a kind, whole or not, or "" if there is none.
func Newest(dir fs.FS, kind string) (name string, err error) {
	steps, err := list(dir, kind)
	if err != nil || len(steps) == 0 {
		return "", err
	}
	return snapshot("", kind, steps[len(steps)-1]), nil
}

// Exists reports whether a directory holds any snapshot of a kind, whole or not.
func Exists(dir fs.FS, kind string) bool {
	name, err := Newest(dir, kind)
	return err == nil && name != ""
}

// loadVariables reads all variables of a snapshot before it changes any of the store's. GoMLX's own loading would
// keep the value of a variable that the store already has. The store keeps its parameters, which the caller has set.
func loadVariables(folder fs.FS, store *model.Store) (err error) {
	defer func() { // GoMLX panics at a shape that is none
		if p := recover(); p != nil {
			err = fmt.Errorf("its variables cannot be read: %v", p)
		}
	}()
	text, wrongText := readOnly(folder, checkpoint.JsonNameSuffix)
	values, wrongValues := readOnly(folder, checkpoint.BinDataSuffix)
	if err := cmp.Or(wrongText, wrongValues, checkShapes(text, len(values))); err != nil {
		return err
	}
	loaded := model.NewStore()
	_, err = checkpoint.Load(loaded).FromEmbed(string(text), values).ExcludeAllParams().Immediate().Done()
	if err != nil {
		return err
	}
	byPath := func(a, b *model.Variable) int { return strings.Compare(a.Path(), b.Path()) } // GoMLX's order is random
	for _, v := range slices.SortedFunc(loaded.IterVariables(), byPath) {
		value, err := v.Value()
		if err != nil {
			return err
		}
		if present := store.GetVariable(v.Path()); present != nil {
			err = present.SetValue(value)
		} else {
			_, err = store.CreateVariable(v.Path(), value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkShapes returns an error for a variable of more elements than there are bytes: GoMLX would ask for the memory
// first.
func checkShapes(text []byte, most int) error {
	var listed struct{ Variables []struct{ Dimensions []int } }
	err := json.Unmarshal(text, &listed)
	for i, v := range listed.Variables {
		left := most
		for _, n := range v.Dimensions {
			if n < 0 || n > left {
				return fmt.Errorf("variable %d has the shape %v, and all values take %d bytes", i, v.Dimensions, most)
			}
			left /= max(n, 1)
		}
	}
	return err
}

func snapshot(dir, kind string, step int) string {
	return filepath.Join(dir, fmt.Sprintf("%s-%08d", kind, step))
}

// list returns the steps of a kind's snapshots, oldest first.
func list(dir fs.FS, kind string) (steps []int, err error) {
	entries, err := fs.ReadDir(dir, ".")
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if step, ok := stepOf(e.Name(), kind); ok && e.IsDir() {
			steps = append(steps, step)
		}
	}
	slices.Sort(steps)
	return steps, err
}

// stepOf returns the step in the name of a kind's snapshot.
func stepOf(name, kind string) (step int, ok bool) {
	number, _ := strings.CutPrefix(name, kind+"-")
	step, err := strconv.Atoi(number)
	return step, err == nil && step >= 0 && name == snapshot("", kind, step)
}

// prune removes all snapshots of a kind except the `keep` newest up to this step. It also removes those of the kind
// that killed writers left behind. What another process reads on Windows stays until the next time.
func prune(dir, kind string, step, keep int) error {
	steps, err := list(os.DirFS(dir), kind)
	if err != nil {
		return err
	}
	later, _ := slices.BinarySearch(steps, step+1)
	for _, s := range slices.Concat(steps[:max(0, later-keep)], steps[later:]) {
		if err := os.RemoveAll(snapshot(dir, kind, s)); err != nil && !files.Busy(err) {
			return err
		}
	}
	return files.Sweep(dir, func(name string) bool {
		_, ours := stepOf(name, kind)
		return ours
	})
}

// writeManifest writes the manifest of the snapshot whose files are in the folder work, and flushes these files to the
// disk. dir is the checkpoint that the snapshot belongs to.
func writeManifest(work string, step int, dir string) error {
	entries, err := os.ReadDir(work)
	if err != nil {
		return err
	}
	m := manifest{Step: step, Files: map[string]file{}}
	if description, err := os.ReadFile(filepath.Join(dir, MetadataFile)); err == nil {
		m.Model = sumOf(description)
	} else if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		m.Files[e.Name()], err = digest(os.DirFS(work), e.Name())
		if err != nil {
			return err
		}
		if err := files.Sync(filepath.Join(work, e.Name())); err != nil {
			return err
		}
	}
	return files.WriteJSON(filepath.Join(work, manifestName), m)
}

// verify compares a snapshot with its manifest: its step, the model that it belongs to, and each file's size and
// SHA-256.
func verify(folder fs.FS, step int, description []byte) error {
	var m manifest
	if err := readJSON(folder, manifestName, &m); err != nil {
		return err
	}
	if _, ok := m.Files[stateName]; !ok || m.Step != step {
		return fmt.Errorf("%s is of step %d and lists %d files", manifestName, m.Step, len(m.Files))
	}
	if description != nil && m.Model != sumOf(description) {
		return fmt.Errorf("it belongs to another %s: %s", MetadataFile, copyWhole)
	}
	for name, want := range m.Files {
		got, err := digest(folder, name)
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("%s has %d bytes and SHA-256 %.12s…, its manifest says %d and %.12s…",
				name, got.Bytes, got.SHA256, want.Bytes, want.SHA256)
		}
	}
	return nil
}

// digest returns the size and the SHA-256 of a file, as a manifest has them.
func digest(folder fs.FS, name string) (d file, err error) {
	f, err := folder.Open(name)
	if err != nil {
		return d, err
	}
	defer f.Close()
	sum := sha256.New()
	d.Bytes, err = io.Copy(sum, f)
	d.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return d, err
}

func readJSON(folder fs.FS, name string, v any) error {
	raw, err := fs.ReadFile(folder, name)
	if err == nil {
		err = json.Unmarshal(raw, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// only returns the only file of a snapshot that GoMLX gave a name with this ending.
func only(folder fs.FS, suffix string) (name string, err error) {
	pattern := "checkpoint-*" + suffix
	names, err := fs.Glob(folder, pattern)
	if err != nil || len(names) != 1 {
		return "", cmp.Or(err, fmt.Errorf("it has %d files %s; it must have one", len(names), pattern))
	}
	return names[0], nil
}

// readOnly reads the file that only finds.
func readOnly(folder fs.FS, suffix string) ([]byte, error) {
	name, err := only(folder, suffix)
	if err != nil {
		return nil, err
	}
	return fs.ReadFile(folder, name)
}

// Remove deletes every snapshot in dir.
func Remove(dir string) error {
	return errors.Join(prune(dir, Last, 0, 0), prune(dir, Best, 0, 0))
}
