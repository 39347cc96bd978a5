// Package training trains, resumes and evaluates classifiers: everything between a data set and a checkpoint.
package training

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
)

// Config is everything that decides what a training computes. Two runs with equal configurations on the same backend end
// with the same weights; a checkpoint is resumed only by the configuration that began it.
type Config struct {
	Data       string  `json:"data"`
	KNN        int     `json:"knn,omitempty"`
	SplitSeed  uint64  `json:"split_seed,omitempty"`
	Validation float64 `json:"validation,omitempty"`
	Augment    bool    `json:"augment,omitempty"`
	Protocol   string  `json:"protocol,omitempty"`
	TFIDF      bool    `json:"tfidf,omitempty"`
	Vectors    string  `json:"vectors,omitempty"` // an absolute path
	// Fold is the part of a cross-validation to test on; zero: the data's own test.
	Fold datasets.Fold `json:"fold,omitzero"`
	// RandomGraph puts a connected graph drawn from Seed, with as many edges, in the place of the data's: the paper's ablation.
	RandomGraph bool `json:"random_graph,omitempty"`

	Model    string          `json:"model"`
	Levels   string          `json:"levels"` // as models.ParseLevels reads them; "" are those of the recipe
	Hidden   []int           `json:"hidden"` // nil: those of the recipe
	Settings models.Settings `json:"params,omitzero"`

	Epochs       int     `json:"epochs"`
	Batch        int     `json:"batch"`
	LearningRate float64 `json:"learning_rate"`
	Schedule     string  `json:"schedule"`          // "cosine", to zero, or "constant"
	Average      float64 `json:"average,omitempty"` // decay of the moving average of the weights; 0 is none
	Patience     int     `json:"patience,omitempty"`
	// LabelSmoothing is the share of each label that is spread over all classes.
	LabelSmoothing float64 `json:"label_smoothing,omitempty"`
	Seed           int64   `json:"seed"`
}

// Defaults are the settings that suit a data set and a model, by their names, see models.RecipeFor.
func Defaults(data, model string) Config {
	r := models.RecipeFor(data, model)
	return Config{Data: data, Model: model, Settings: r.Settings, Epochs: r.Epochs, Batch: r.Batch, LearningRate: r.LearningRate,
		Schedule: "cosine", Average: r.Average, LabelSmoothing: r.LabelSmoothing, Augment: r.Augment, TFIDF: r.TFIDF, Seed: 1}
}

// Check says what is wrong with the settings that need no data to judge.
func (c Config) Check() error {
	switch {
	case c.Epochs < 1:
		return fmt.Errorf("epochs: %d; there must be at least 1", c.Epochs)
	case c.Epochs > 1 && models.Spec{Model: c.Model}.Fitted():
		return fmt.Errorf("epochs: %d; the weights of model %s are computed in one pass, not trained: there must be 1", c.Epochs, c.Model)
	case c.LabelSmoothing > 0 && models.Spec{Model: c.Model}.Margins():
		return fmt.Errorf("label smoothing: share %g; model %s is trained by its margins, whose labels cannot be smoothed: it must be 0", c.LabelSmoothing, c.Model)
	case c.Batch < 2:
		return fmt.Errorf("batch: %d; batch normalisation needs at least 2 samples", c.Batch)
	case !(c.LearningRate > 0) || math.IsInf(c.LearningRate, 1):
		return fmt.Errorf("learning rate: %g; it must be positive and finite", c.LearningRate)
	case !slices.Contains([]string{"cosine", "constant"}, c.Schedule):
		return fmt.Errorf("schedule: %q is neither cosine nor constant", c.Schedule)
	case !(c.Average >= 0 && c.Average < 1):
		return fmt.Errorf("average: decay %g is outside [0, 1)", c.Average)
	case !(c.LabelSmoothing >= 0 && c.LabelSmoothing < 1):
		return fmt.Errorf("label smoothing: share %g is outside [0, 1)", c.LabelSmoothing)
	case c.Patience < 0:
		return fmt.Errorf("patience: %d epochs; it must not be negative", c.Patience)
	case !(c.Validation >= 0 && c.Validation < 1):
		return fmt.Errorf("validation: share %g is outside [0, 1)", c.Validation)
	case !slices.Contains(models.Names(), c.Model):
		return fmt.Errorf("model: there is no %q; there are %s", c.Model, strings.Join(models.Names(), ", "))
	}
	return c.Settings.Check()
}

// dataOptions are the options to load the data set with: what the configuration says of it, and from o what does not decide
// which samples it has: DataDir, Augment, Backend and Progress.
func (c Config) dataOptions(o datasets.Options) datasets.Options {
	o.Seed, o.Validation, o.Fold, o.KNN = c.SplitSeed, c.Validation, c.Fold, c.KNN
	o.Protocol, o.TFIDF, o.Vectors = c.Protocol, c.TFIDF, c.Vectors
	return o
}

// spec is the network for a data set: the levels and widths asked for, the preset's where none are.
func (c Config) spec(d *datasets.Dataset) (models.Spec, error) {
	s := models.Spec{Model: c.Model, Architecture: models.PresetOf(c.Model, d.Name, d.Nodes),
		Nodes: d.Nodes, Channels: d.Channels, Classes: d.Classes(), Grid: d.Grid, Parts: d.Parts, Settings: c.Settings}
	if c.Levels != "" {
		levels, err := models.ParseLevels(c.Levels)
		if err != nil {
			return s, err
		}
		s.Levels = levels
	}
	if c.Hidden != nil {
		s.Hidden = c.Hidden
	}
	return s, s.Check()
}

// DefaultCheckpoint is where a run keeps its checkpoint if it is not told: runs/DATA-MODEL-SEED, and -2of5 for a fold.
func (c Config) DefaultCheckpoint() string {
	name := strings.TrimSuffix(filepath.Base(c.Data), filepath.Ext(c.Data))
	name = fmt.Sprintf("%s-%s-%d", name, c.Model, c.Seed)
	if c.Fold != (datasets.Fold{}) {
		name += "-" + strings.ReplaceAll(c.Fold.String(), "/", "of")
	}
	return filepath.Join("runs", name)
}
