package models

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/ml/model"
)

// The files of a checkpoint beside its snapshots.
const (
	metadataFile = "model.json"
	graphFile    = "graph.npz"
)

// Metadata is all that a checkpoint must hold, beside weights and graph, to classify again.
type Metadata struct {
	Spec       Spec              `json:"spec"`
	Data       string            `json:"data"`
	ClassNames []string          `json:"class_names"`
	Mean       []float32         `json:"mean"` // input = (raw − mean) / std, by channel
	Std        []float32         `json:"std"`
	Provenance string            `json:"provenance"`
	Command    string            `json:"command"`
	Versions   map[string]string `json:"versions"`
}

// WriteMetadata starts a checkpoint in dir: its description and its graph, each written all or nothing.
func WriteMetadata(dir string, m Metadata, graph *affinity.Matrix) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := graph.WriteFile(filepath.Join(dir, graphFile)); err != nil {
		return err
	}
	return files.WriteJSON(filepath.Join(dir, metadataFile), m)
}

// ReadMetadata reads what WriteMetadata wrote. A directory that is no checkpoint is an os.ErrNotExist.
func ReadMetadata(dir string) (m Metadata, graph *affinity.Matrix, err error) {
	if err = files.ReadJSON(filepath.Join(dir, metadataFile), &m); err != nil {
		return m, nil, err
	}
	if graph, err = affinity.ReadFile(filepath.Join(dir, graphFile)); err != nil {
		return m, nil, err
	}
	if err = m.Spec.Check(); err == nil && graph.N() != m.Spec.Nodes {
		err = fmt.Errorf("the graph has %d nodes, the model %d", graph.N(), m.Spec.Nodes)
	}
	if err != nil {
		return m, nil, fmt.Errorf("%s: %w", filepath.Join(dir, metadataFile), err)
	}
	return m, graph, nil
}

// Save writes the classifier as a checkpoint in dir, which Load reads. The directory must be new or empty. Each file is written all or
// nothing.
func (c *Classifier) Save(dir string) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return ErrClosed
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty; choose another directory for the classifier", dir)
	}
	if err := WriteMetadata(dir, c.Metadata, c.Graph); err != nil {
		return err
	}
	return checkpoint.Save(dir, checkpoint.Best, c.Step, 1, c.store, nil, func(v *model.Variable) bool { return !IsWeight(v) })
}

// Option of Load.
type Option func(*options)

type options struct {
	backend compute.Backend
	notice  func(string)
}

// WithBackend computes on a backend already open. Without it Load uses OpenBackend.
func WithBackend(b compute.Backend) Option { return func(o *options) { o.backend = b } }

// WithNotices calls notice for what a person should know though it is no error, such as a damaged snapshot passed over.
func WithNotices(notice func(string)) Option { return func(o *options) { o.notice = notice } }

// Load reads the checkpoint in dir: the snapshot that training kept, or the newest if there is none yet. The
// errors name the directory and file.
func Load(dir string, opts ...Option) (*Classifier, error) {
	o := options{notice: func(string) {}}
	for _, option := range opts {
		option(&o)
	}
	if err := files.CheckDirectory(dir); err != nil {
		return nil, err
	}
	m, graph, err := ReadMetadata(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s is not a checkpoint: %w", dir, err)
	} else if err != nil {
		return nil, err
	}
	if o.backend == nil {
		if o.backend, err = OpenBackend(); err != nil {
			return nil, err
		}
	}
	c, err := NewClassifier(o.backend, m, graph)
	if err != nil {
		return nil, err
	}
	for _, kind := range []string{checkpoint.Best, checkpoint.Last} {
		var state any
		step, passedOver, loadErr := checkpoint.Load(dir, kind, c.store, &state)
		for _, line := range passedOver {
			o.notice(line)
		}
		if loadErr == nil {
			c.Snapshot, c.Step = fmt.Sprintf("%s-%08d", kind, step), step
			if kind == checkpoint.Best {
				return c, nil
			}
			return c, c.Update(c.store) // it was taken in training, and is not frozen yet
		}
		err = errors.Join(err, loadErr)
	}
	return nil, err
}

// RemoveMetadata deletes what WriteMetadata wrote.
func RemoveMetadata(dir string) error {
	for _, name := range []string{metadataFile, graphFile} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}
