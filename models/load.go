package models

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/ml/model"
)

// Metadata is what a checkpoint must hold to classify again, beside weights and graph.
type Metadata struct {
	Spec       `json:"spec"`
	Data       string            `json:"data"`
	Provenance string            `json:"provenance"`
	Command    string            `json:"command"`
	Versions   map[string]string `json:"versions"`
}

// isCheckpoint says to those who gave something else what a checkpoint is.
const isCheckpoint = "a folder that ccp train made, such as those in runs"

// ReadMetadata reads the description and the graph of the checkpoint in dir. If dir is no checkpoint, the error is an
// os.ErrNotExist.
func ReadMetadata(dir string) (m Metadata, graph *affinity.Matrix, err error) {
	m, graph, _, err = readMetadata(checkpoint.FS(os.DirFS(dir)), dir)
	return m, graph, err
}

// readMetadata is ReadMetadata for a file system, which messages call name, or nothing. description is the text of
// its file.
func readMetadata(fsys fs.FS, name string) (m Metadata, graph *affinity.Matrix, description []byte, err error) {
	if name != "" {
		if err := files.CheckDirectory(name); err != nil {
			return m, nil, nil, fmt.Errorf("%w; a checkpoint is %s", err, isCheckpoint)
		}
	}
	defer func() {
		if at, is := errors.AsType[*fs.PathError](err); is && errors.Is(at, fs.ErrNotExist) {
			err = fmt.Errorf("%s is not a checkpoint, %s: %s: %w%s", cmp.Or(name, "it"), isCheckpoint, at.Path, at.Err,
				suggest.Beside(name, checkpoint.MetadataFile))
		}
	}()
	path := filepath.Join(name, checkpoint.MetadataFile)
	raw, err := fs.ReadFile(fsys, checkpoint.MetadataFile)
	if err != nil {
		return m, nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	var of struct {
		Spec struct {
			Model   string
			Options any
		}
	}
	if json.Unmarshal(raw, &of) != nil { // ReadMetadata says so
	} else if of.Spec.Options == nil {
		err = checkpoint.ErrEarlier
	} else if registry[of.Spec.Model].Build == nil {
		err = fmt.Errorf("model %s is not registered in this program: %s", of.Spec.Model, suggest.Import)
	}
	err = cmp.Or(err, checkpoint.ReadMetadata(raw, &m))
	if err != nil {
		return m, nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	file, missing := fs.ReadFile(fsys, checkpoint.GraphFile)
	graph, err = affinity.Parse(checkpoint.GraphFile, file)
	if err := cmp.Or(missing, checkpoint.CheckGraph(raw, file), err); err != nil {
		return m, nil, nil, fmt.Errorf("%s: %w", filepath.Join(name, checkpoint.GraphFile), err)
	}
	err = m.Spec.Check()
	if err == nil && graph.N() != m.Spec.Nodes {
		err = fmt.Errorf("the graph has %d nodes, the model %d", graph.N(), m.Spec.Nodes)
	}
	if err == nil {
		err = m.Info.Check()
	}
	if err != nil {
		return m, nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, graph, raw, nil
}

// Save writes the classifier as a checkpoint in dir, which Load reads. The directory must be new or empty. Each file
// is written whole or not at all. If another Save or a training writes in dir meanwhile, Save returns an error.
func (c *Classifier) Save(dir string) error {
	c.mu.Lock() // writing changes the store's maps
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	unlock, err := files.Lock(filepath.Join(dir, checkpoint.LockFile))
	if err != nil {
		return fmt.Errorf("%w; choose another directory for the classifier", err)
	}
	defer unlock(true)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(entries) > 1 { // there is the lock
		return fmt.Errorf("%s is not empty; choose another directory for the classifier", dir)
	}
	if err := checkpoint.Start(dir, c.Metadata, c.Graph.WriteFile); err != nil {
		return err
	}
	skip := func(v *model.Variable) bool { return !variables.IsWeight(v) }
	state := held{c.Calibration, c.Along, c.Conformal, c.Early}
	return checkpoint.Save(dir, checkpoint.Best, c.Step, 1, c.store, state, skip)
}

// LoadOptions say how to load a classifier.
type LoadOptions struct {
	// Backend computes. nil is pure Go for little work, unless GOMLX_BACKEND names another, and else the best.
	Backend compute.Backend
	// Open opens the best backend when it is needed. nil is the best that is installed, which is opened once for all
	// classifiers and trainings of the process, and stays open.
	Open func() (compute.Backend, error)
	// Signals is about how many are to be classified. 0 is an unknown number: many for Load, while a Reloader counts
	// them.
	Signals int
	// Notice gets what a person should know although it is no error, such as a damaged snapshot; it may be nil.
	Notice func(line string)
	// Unfinished lets a Reloader take the weights of a training that has not ended. Load always does.
	Unfinished bool
}

// choose returns the backend for the network of a spec: o.Backend; else pure Go if there is little work and nobody
// names a backend; else what o.Open opens; else the best that is installed, or the one that GOMLX_BACKEND names.
func (o LoadOptions) choose(s Spec) (compute.Backend, error) {
	switch {
	case o.Backend != nil:
		return o.Backend, nil
	case o.prefersPure(s):
		return backend.Shared("go")
	case o.Open != nil:
		return o.Open()
	}
	return backend.Shared("")
}

// prefersPure reports whether choose takes pure Go for the network of a spec because there is little work.
func (o LoadOptions) prefersPure(s Spec) bool { return o.unnamed() && s.isLittleWork(o.Signals) }

// unnamed reports whether nobody names a backend, neither the caller nor the variable GOMLX_BACKEND.
func (o LoadOptions) unnamed() bool { return o.Backend == nil && os.Getenv(compute.ConfigEnvVar) == "" }

// isLittleWork reports whether pure Go is done with so many signals before XLA would have compiled: if they need at
// most 2²⁹ multiply-adds. A signal needs those of all filters in all hierarchies, and about 2²⁰ for the rest. It is
// false where the two backends round differently, which a network in bfloat16 would show, and where the work is
// unknown: of models without clusters, and of 0 signals.
func (s Spec) isLittleWork(signals int) bool {
	work := 0.0
	for _, l := range s.Layers() {
		work += l.Products
	}
	work = work*float64(s.Hierarchies()) + 1<<20
	return s.Clusters() && s.Options.DType != nn.BFloat16 && signals > 0 && float64(signals)*work <= 1<<29
}

// Load reads the checkpoint in dir: the snapshot that the training kept, or the newest if there is none yet. Errors
// name the directory and the file.
func Load(dir string, o LoadOptions) (*Classifier, error) {
	return o.read(os.DirFS(resolved(dir)), dir)
}

// resolved follows links, so that all files come from one folder, also if a link changes meanwhile.
func resolved(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// Read is Load for a checkpoint in a file system: embedded in the program, in a zip archive, or elsewhere. Errors
// name the file.
func Read(fsys fs.FS, o LoadOptions) (*Classifier, error) { return o.read(fsys, "") }

// read reads a checkpoint from a file system, which messages call name, or nothing.
func (o LoadOptions) read(fsys fs.FS, name string) (_ *Classifier, err error) {
	fsys = checkpoint.FS(fsys)
	defer func() { // values that no training wrote, under sums that fit, must not end a server
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: its values are damaged: %v", cmp.Or(name, "the checkpoint"), p)
		}
	}()
	m, graph, description, err := readMetadata(fsys, name)
	if err == nil {
		o.Backend, err = o.choose(m.Spec)
	}
	if err != nil {
		return nil, err
	}
	c, err := NewClassifier(o.Backend, m, graph)
	if err != nil {
		return nil, err
	}
	for _, kind := range []string{checkpoint.Best, checkpoint.Last} {
		var state held
		step, passedOver, loadErr := checkpoint.Read(fsys, name, kind, description, c.store, &state)
		for _, line := range passedOver {
			if o.Notice != nil {
				o.Notice(line)
			}
		}
		if loadErr == nil {
			c.Snapshot, c.Step = fmt.Sprintf("%s-%08d", kind, step), step
			c.Calibration, c.Along, c.Conformal, c.Early = state.Calibration, state.Along, state.Conformal, state.Early
			classes := len(c.ClassNames)
			if err := cmp.Or(c.Along.Check(classes), c.Conformal.Check(classes), c.Early.Check(classes), c.openRidge(),
				c.openLooks()); err != nil {
				return nil, err
			}
			if kind == checkpoint.Best {
				return c, nil
			}
			return c, c.Update(c.store) // the training took it, and its hierarchy is not frozen yet
		}
		err = errors.Join(err, loadErr)
	}
	return nil, err
}

// InstallBackend opens the best backend: XLA on a GPU, XLA on the CPU, or pure Go. GOMLX_BACKEND overrides the
// choice. If XLA is missing, it is installed first, unless CCP_OFFLINE=1. For a CPU that is 60 MB. For an NVIDIA GPU
// it is several GB, and the installer prints to os.Stdout. docs/dependencies.md says where the files come from. log
// receives notices. It may be nil.
//
// In the whole library a nil backend means the best that is installed, and to a classifier that the work chooses.
// Then nothing is downloaded or printed.
func InstallBackend(log io.Writer) (compute.Backend, error) {
	b, _, err := backend.Open(backend.Options{Install: true, Log: log})
	return b, err
}
