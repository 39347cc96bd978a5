package training

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/files"
)

// hierarchyFolder holds a file for each epoch: 0003.json.
const hierarchyFolder = "hierarchy"

// HierarchyEpoch is a hierarchy as it was at the end of an epoch of its training.
type HierarchyEpoch struct {
	Epoch    int                `json:"epoch"` // from 1
	Clusters hierarchy.Clusters `json:"clusters"`
	Health   []hierarchy.Health `json:"health"` // of each level
}

// ReadHierarchies reads the hierarchies of a run by epoch, in ascending order, also while the training goes on. A
// hierarchy that does not change in the training has its first epoch only. Models without clusters have none.
func ReadHierarchies(dir string) ([]HierarchyEpoch, error) {
	names, err := fs.Glob(checkpoint.FS(os.DirFS(dir)), hierarchyFolder+"/*.json")
	if err != nil {
		return nil, err
	}
	epochs := make([]HierarchyEpoch, len(names))
	for i, name := range names {
		if err := checkpoint.ReadJSON(dir, filepath.FromSlash(name), &epochs[i]); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(epochs, func(a, b HierarchyEpoch) int { return a.Epoch - b.Epoch })
	return epochs, nil
}

// record keeps the hierarchy at the end of an epoch, unless it is frozen and kept already. It gives notice of a level
// that has collapsed.
func (r *run) record(epoch int, objective []float64) error {
	if !r.spec.Clusters() || !r.hasNetwork() || epoch > 1 && !r.spec.Learns() {
		return nil
	}
	levels, err := r.classifier.ClusterLevels(0)
	if err != nil {
		return err
	}
	h := HierarchyEpoch{Epoch: epoch, Clusters: levels.Hard(), Health: levels.Health(objective)}
	r.warn(h.Health)
	raw, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("the hierarchy of epoch %d: %w", epoch, err)
	}
	folder := filepath.Join(r.dir, hierarchyFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return files.WriteBytes(filepath.Join(folder, fmt.Sprintf("%04d.json", epoch)), append(raw, '\n'))
}

// warn gives notice of levels that have collapsed since the last epoch.
func (r *run) warn(health []hierarchy.Health) {
	if r.collapsed == nil {
		r.collapsed = make([]bool, len(health))
	}
	for i, level := range health {
		if level.Collapsed() && !r.collapsed[i] {
			r.notice("warning: " + level.Warnings[0])
		}
		r.collapsed[i] = level.Collapsed()
	}
}

// dropStaleEpochs removes the hierarchies of epochs that the run, begun again at an earlier epoch, has not reached.
func (r *run) dropStaleEpochs() error {
	epochs, err := ReadHierarchies(r.dir)
	for _, h := range epochs {
		if h.Epoch > len(r.state.History) {
			err = errors.Join(err, os.Remove(filepath.Join(r.dir, hierarchyFolder, fmt.Sprintf("%04d.json", h.Epoch))))
		}
	}
	return err
}

// removeHierarchies deletes what record wrote, and its folder if nothing else is in it.
func removeHierarchies(dir string) error {
	folder := filepath.Join(dir, hierarchyFolder)
	names, err := fs.Glob(os.DirFS(folder), "*.json")
	err = errors.Join(err, files.Remove(folder, names...))
	_ = os.Remove(folder)
	return err
}

// writeHistory writes the learning curves as CSV, all or nothing. What was not measured is NaN.
func writeHistory(path string, history []Epoch) error {
	header := []string{"epoch", "train_loss", "train_accuracy", "validation_loss", "validation_accuracy", "seconds",
		"input_wait"}
	for i := range history[0].Objective {
		header = append(header, fmt.Sprintf("objective_%d", i+1))
	}
	rows := [][]string{header}
	for _, e := range history {
		row := []string{strconv.Itoa(e.Epoch)}
		none := Score{Loss: math.NaN(), Accuracy: math.NaN()}
		train, validation := e.Train, none
		if train == (Score{}) {
			train = none
		}
		if e.Validation != nil {
			validation = *e.Validation
		}
		for _, v := range append([]float64{train.Loss, train.Accuracy, validation.Loss, validation.Accuracy,
			e.Seconds, e.InputWait}, e.Objective...) {
			row = append(row, strconv.FormatFloat(v, 'g', 6, 64))
		}
		rows = append(rows, row)
	}
	return files.WriteCSV(path, rows)
}

// ReadHistory returns the learning curves of a run, as its newest snapshot has them, also while it goes on; before
// the first snapshot there are none.
func ReadHistory(dir string) ([]Epoch, error) {
	var s trainState
	err := checkpoint.State(dir, checkpoint.Last, &s)
	if !checkpoint.Exists(checkpoint.FS(os.DirFS(dir)), checkpoint.Last) {
		err = nil
	}
	return s.History, err
}
