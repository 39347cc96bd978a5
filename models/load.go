package models

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/files"
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

// WriteMetadata starts a checkpoint in dir. It writes the description and the graph, each file whole or not at all.
func WriteMetadata(dir string, m Metadata, graph *affinity.Matrix) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := graph.WriteFile(filepath.Join(dir, checkpoint.GraphFile)); err != nil {
		return err
	}
	text, err := json.MarshalIndent(summed{m, noSum}, "", "  ")
	if err != nil {
		return err
	}
	return files.WriteBytes(filepath.Join(dir, checkpoint.MetadataFile), bytes.Replace(text, []byte(noSum), []byte(sumOf(text)), 1))
}

// summed is the content of checkpoint.MetadataFile. Sum is the SHA-256, in hexadecimal digits, of the file with noSum in place of
// Sum. Files of before have none.
type summed struct {
	Metadata
	Sum string `json:"sha256"`
}

var noSum = strings.Repeat("-", 2*sha256.Size)

func sumOf(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// ReadMetadata reads what WriteMetadata wrote. If dir is no checkpoint, the error is an os.ErrNotExist.
func ReadMetadata(dir string) (m Metadata, graph *affinity.Matrix, err error) {
	return readMetadata(os.DirFS(dir), dir)
}

// readMetadata is ReadMetadata for a file system, which messages call name, or nothing.
func readMetadata(fsys fs.FS, name string) (m Metadata, graph *affinity.Matrix, err error) {
	if name != "" {
		if err := files.CheckDirectory(name); err != nil {
			return m, nil, err
		}
	}
	defer func() {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s is not a checkpoint: %w", cmp.Or(name, "it"), err)
		}
	}()
	path := filepath.Join(name, checkpoint.MetadataFile)
	raw, err := fs.ReadFile(fsys, checkpoint.MetadataFile)
	if err != nil {
		return m, nil, fmt.Errorf("%s: %w", path, err)
	}
	var of struct {
		Spec struct {
			Model   string
			Classes int
		}
	}
	if err := json.Unmarshal(raw, &of); err == nil && of.Spec.Classes > 0 {
		return m, nil, fmt.Errorf("%s: an earlier version of ccp wrote this checkpoint; train anew", path)
	} else if err == nil && of.Spec.Model != "" && registry[of.Spec.Model].Build == nil {
		return m, nil, fmt.Errorf("%s: model %s is not registered in this program: import the package that registers it, "+
			"such as _ %q", path, of.Spec.Model, "github.com/clusterpool/ccp/models/baselines")
	}
	var read summed
	if err := json.Unmarshal(raw, &read); err != nil {
		return m, nil, fmt.Errorf("%s: %w", path, err)
	}
	m = read.Metadata
	if read.Sum != "" && sumOf(bytes.Replace(raw, []byte(read.Sum), []byte(noSum), 1)) != read.Sum {
		return m, nil, fmt.Errorf("%s: it is damaged or was changed by hand: its checksum differs; copy the file again from "+
			"where it is whole, or train anew", path)
	}
	if graph, err = affinity.ReadFS(fsys, checkpoint.GraphFile); err != nil {
		return m, nil, fmt.Errorf("%s: %w", filepath.Join(name, checkpoint.GraphFile), err)
	}
	if err = m.Spec.Check(); err == nil && graph.N() != m.Spec.Nodes {
		err = fmt.Errorf("the graph has %d nodes, the model %d", graph.N(), m.Spec.Nodes)
	}
	if err == nil {
		err = m.Info.Check()
	}
	if err != nil {
		return m, nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, graph, nil
}

// Save writes the classifier as a checkpoint in dir, which Load reads. The directory must be new or empty. Each file is
// written whole or not at all. If another Save or a training writes in dir meanwhile, Save returns an error.
func (c *Classifier) Save(dir string) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
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
	if err := WriteMetadata(dir, c.Metadata, c.Graph); err != nil {
		return err
	}
	skip := func(v *model.Variable) bool { return !IsWeight(v) }
	return checkpoint.Save(dir, checkpoint.Best, c.Step, 1, c.store, held{c.Calibration}, skip)
}

// Option is an option of Load and NewReloader.
type Option func(*options)

type options struct {
	backend    compute.Backend
	notice     func(string)
	unfinished bool
}

// WithBackend computes on an open backend. Without it Load and NewReloader use the one of OpenBackend. It is opened
// once for all of the process's classifiers, and stays open.
func WithBackend(b compute.Backend) Option { return func(o *options) { o.backend = b } }

// WithNotices calls notice for what a person should know although it is no error, such as a damaged snapshot.
func WithNotices(notice func(string)) Option { return func(o *options) { o.notice = notice } }

// WithUnfinished lets a Reloader take the weights of a training that has not ended. Load always does.
func WithUnfinished() Option { return func(o *options) { o.unfinished = true } }

// resolved applies the options.
func resolved(opts []Option) options {
	o := options{notice: func(string) {}}
	for _, option := range opts {
		option(&o)
	}
	return o
}

// Load reads the checkpoint in dir: the snapshot that the training kept, or the newest if there is none yet. Errors
// name the directory and the file.
func Load(dir string, opts ...Option) (*Classifier, error) {
	return resolved(opts).read(os.DirFS(dir), dir)
}

// Read is Load for a checkpoint in a file system: embedded in the program, in a zip archive, or elsewhere. Errors name
// the file.
func Read(fsys fs.FS, opts ...Option) (*Classifier, error) { return resolved(opts).read(fsys, "") }

// read reads a checkpoint from a file system, which messages call name, or nothing.
func (o options) read(fsys fs.FS, name string) (*Classifier, error) {
	m, graph, err := readMetadata(fsys, name)
	if err == nil && o.backend == nil {
		o.backend, err = sharedBackend()
	}
	if err != nil {
		return nil, err
	}
	c, err := NewClassifier(o.backend, m, graph)
	if err != nil {
		return nil, err
	}
	for _, kind := range []string{checkpoint.Best, checkpoint.Last} {
		var state held
		step, passedOver, loadErr := checkpoint.Read(fsys, name, kind, c.store, &state)
		for _, line := range passedOver {
			o.notice(line)
		}
		if loadErr == nil {
			c.Snapshot, c.Step, c.Calibration = fmt.Sprintf("%s-%08d", kind, step), step, state.Calibration
			if err := c.openVoices(); err != nil {
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
