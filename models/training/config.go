// Package training trains, resumes and evaluates classifiers: everything between a data set and a checkpoint.
package training

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/suggest"
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
	// Fold is the part of a cross-validation to test on; zero: the data's own test.
	Fold datasets.Fold `json:"fold,omitzero"`
	// RandomGraph puts a connected graph drawn from Seed, with as many edges, in the place of the data's: the paper's ablation.
	RandomGraph bool `json:"random_graph,omitempty"`

	Model    string          `json:"model"`
	Levels   string          `json:"levels"` // as models.ParseLevels reads them; "" are those of the recipe
	Hidden   []int           `json:"hidden"` // nil: those of the recipe
	Settings models.Settings `json:"params,omitzero"`

	// Epochs are passes over the training samples or, where Steps is set, equal shares of these, to a step. Where neither is set they are by the
	// number of samples, as Batch is where it is 0: see Budget.
	Epochs       int     `json:"epochs,omitempty"`
	Steps        int     `json:"steps,omitempty"`
	Batch        int     `json:"batch,omitempty"`
	LearningRate float64 `json:"learning_rate"`
	Schedule     string  `json:"schedule"`          // "cosine", to zero; "one-cycle", up from zero in the first quarter, then so; or "constant"
	Average      float64 `json:"average,omitempty"` // decay of the moving average of the weights; 0 is none
	// Keep is which weights are kept: those of the epoch that did "best" in validation, or the "last". For the last no samples are held
	// out for validation, unless the data names them or Validation asks for it.
	Keep     string `json:"keep,omitempty"`
	Patience int    `json:"patience,omitempty"`
	// LabelSmoothing is the share of each label that is spread over all classes.
	LabelSmoothing float64 `json:"label_smoothing,omitempty"`
	// Stretch slows down or speeds up each training sample by a factor drawn from 1-Stretch to 1+Stretch, if the nodes are a
	// grid of frames and sensors.
	Stretch float64 `json:"stretch,omitempty"`
	Seed    int64   `json:"seed"`
}

// The schedules of the learning rate, and which weights can be kept.
var (
	Schedules = []string{"cosine", oneCycle, "constant"}
	Keeps     = []string{"best", KeepLast}
)

const (
	oneCycle = "one-cycle"
	// KeepLast keeps the weights after the last step.
	KeepLast = "last"
)

// Defaults are the settings that suit a data set and a model, by their names: the recipe models.DefaultRecipe.
func Defaults(data, model string) Config {
	c, err := Recipe(data, model, models.DefaultRecipe)
	if err != nil {
		panic(err) // there is one for all
	}
	return c
}

// Recipe are the settings of a recipe for a data set and a model, by their names, see models.RecipeFor. The error lists the recipes
// that there are.
func Recipe(data, model, name string) (Config, error) {
	if names := models.RecipeNames(data, model); !slices.Contains(names, name) {
		return Config{}, fmt.Errorf("there is no recipe %q for model %s on %s; there are %s", name, model, data, strings.Join(names, ", "))
	}
	r, usual := models.RecipeFor(data, model, name), models.RecipeFor(data, model, models.DefaultRecipe)
	c := Config{Data: data, Model: model, Settings: r.Settings, Epochs: r.Epochs, Batch: r.Batch, LearningRate: r.LearningRate,
		Schedule: r.Schedule, Keep: r.Keep, Average: r.Average, LabelSmoothing: r.LabelSmoothing, Augment: r.Augment, TFIDF: r.TFIDF, Seed: 1}
	if r.Levels != usual.Levels {
		c.Levels, c.Hidden = r.Levels, r.Hidden
	}
	return c, nil
}

// Check says what is wrong with the settings that need no data to judge.
func (c Config) Check() error {
	switch {
	case c.Epochs < 0:
		return fmt.Errorf("epochs: %d; there must be at least 1, or 0 for a number that suits the samples", c.Epochs)
	case c.Steps < 0:
		return fmt.Errorf("steps: %d; there must be at least 1, or 0 for a number that suits the samples", c.Steps)
	case c.Steps > 0 && c.Steps < c.Epochs:
		return fmt.Errorf("steps: %d in %d epochs; there must be at least 1 in each", c.Steps, c.Epochs)
	case c.Epochs > 1 && models.Spec{Model: c.Model}.Fitted():
		return fmt.Errorf("epochs: %d; the weights of model %s are computed in one pass, not trained: there must be 1", c.Epochs, c.Model)
	case c.Steps > 0 && models.Spec{Model: c.Model}.Fitted():
		return fmt.Errorf("steps: %d; the weights of model %s are computed in one pass, not trained: leave steps out", c.Steps, c.Model)
	case c.LabelSmoothing > 0 && models.Spec{Model: c.Model}.Margins():
		return fmt.Errorf("label smoothing: share %g; model %s is trained by its margins, whose labels cannot be smoothed: it must be 0", c.LabelSmoothing, c.Model)
	case c.Batch < 2 && c.Batch != 0:
		return fmt.Errorf("batch: %d; batch normalisation needs at least 2 samples, or 0 for a number that suits the samples", c.Batch)
	case !(c.LearningRate > 0) || math.IsInf(c.LearningRate, 1):
		return fmt.Errorf("learning rate: %g; it must be positive and finite", c.LearningRate)
	case !slices.Contains(Schedules, c.Schedule):
		return fmt.Errorf("schedule: %q is none of %s", c.Schedule, strings.Join(Schedules, ", "))
	case !slices.Contains(Keeps, c.Keep):
		return fmt.Errorf("keep: %q is none of %s", c.Keep, strings.Join(Keeps, ", "))
	case c.Keep == KeepLast && c.Patience > 0:
		return fmt.Errorf("patience: %d epochs without a better validation, but the last weights are kept: keep the best ones to stop early", c.Patience)
	case !(c.Average >= 0 && c.Average < 1):
		return fmt.Errorf("average: decay %g is outside [0, 1)", c.Average)
	case !(c.LabelSmoothing >= 0 && c.LabelSmoothing < 1):
		return fmt.Errorf("label smoothing: share %g is outside [0, 1)", c.LabelSmoothing)
	case c.Patience < 0:
		return fmt.Errorf("patience: %d epochs; it must not be negative", c.Patience)
	case !(c.Validation >= 0 && c.Validation < 1):
		return fmt.Errorf("validation: share %g is outside [0, 1)", c.Validation)
	case !slices.Contains(models.Names(), c.Model):
		return fmt.Errorf("model: there is no %q; %s", c.Model, suggest.Among(c.Model, models.Names()))
	case !(c.Stretch >= 0 && c.Stretch < 1):
		return fmt.Errorf("stretch: share %g is outside [0, 1)", c.Stretch)
	case c.Stretch > 0 && models.Spec{Model: c.Model}.Fitted():
		return fmt.Errorf("stretch: %g; the weights of model %s are computed in one pass, not trained: it must be 0", c.Stretch, c.Model)
	}
	return c.Settings.Check()
}

// dataOptions are the options to load the data set with: what the configuration says of it, and from o what does not decide
// which samples it has: DataDir, Augment, Backend and Progress.
func (c Config) dataOptions(o datasets.Options) datasets.Options {
	o.Seed, o.Validation, o.Fold, o.KNN = c.SplitSeed, c.Validation, c.Fold, c.KNN
	o.Protocol, o.TFIDF = c.Protocol, c.TFIDF
	o.HoldOut = c.Keep != KeepLast
	return o
}

// spec is the network for a data set: the levels and widths asked for, the preset's where none are.
func (c Config) spec(d *datasets.Dataset) (models.Spec, error) {
	s := models.Spec{Model: c.Model, Architecture: models.PresetOf(c.Model, d.Name, d.Nodes),
		Nodes: d.Nodes, Channels: d.Channels, Classes: d.Classes(), Grid: d.Grid, Parts: d.Parts, Bodies: d.Bodies, Settings: c.Settings}
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
	s = s.Suited()
	if err := s.Check(); err != nil {
		return s, err
	}
	return s, s.CheckGraph(d.Affinity)
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
