// Package training trains, resumes and evaluates classifiers: everything between a data set and a checkpoint.
package training

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/nn"
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
	// RandomGraph puts a connected graph drawn from Seed, with as many edges, in the place of the data's: the paper's ablation.
	RandomGraph bool `json:"random_graph,omitempty"`

	Model  string         `json:"model"`
	Levels string         `json:"levels"` // "" is the data set's preset
	Hidden []int          `json:"hidden"`
	Params map[string]any `json:"params,omitempty"`

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

// Defaults are the training settings that suit a data set and a model; the paper's where it gives them (Adam from 1e-3), batches of 64
// (100 for 20NEWS). For 20NEWS they are those that did best in validation, see docs/data.md: one cluster whose neighbourhood is the
// whole graph, and batch norm that does not rescale; not the paper's levels, which models.Preset has.
func Defaults(data, model string) Config {
	c := Config{Data: data, Model: model, Epochs: 30, Batch: 64, LearningRate: 1e-3, Schedule: "cosine", Seed: 1}
	switch data {
	case "digits":
		c.Epochs, c.Params = 100, map[string]any{models.ParamReadoutDropout: 0.2}
		if model == "cnn" || model == "resnet" {
			c.Epochs = 30
		}
	case "cifar10":
		c.Epochs, c.Augment = 100, true
	case "20news":
		c.Epochs, c.Batch, c.Average, c.LabelSmoothing, c.TFIDF = 8, 100, 0.99, 0.1, true
		c.Params = map[string]any{models.ParamInputDropout: 0.3, models.ParamReadoutDropout: 0.7}
		switch model {
		case "ccp":
			c.Levels, c.Hidden = "1x360/10000", []int{}
			c.Params[ccp.ParamHierarchy], c.Params["level_1/"+nn.ParamBatchNormEpsilon] = ccp.Prepared, 1e4
		case "chebyshev", "gcn", "gat": // their first level must not be scaled up either
			c.Epochs, c.LabelSmoothing = 6, 0
			c.Params["level_1/"+nn.ParamBatchNormEpsilon] = 1e4
		case "fc", "softmax", "svm", "bayes": // on counts, as they were published; by validation
			c.Epochs, c.Average, c.LabelSmoothing, c.TFIDF = 10, 0, 0, false
			c.Params = map[string]any{models.ParamBayesAlpha: 0.002}
			switch model {
			case "fc":
				c.Epochs = 5
			case "svm":
				c.LearningRate = 1e-4
			}
		}
	case "mnist":
		c.Epochs, c.Params = 10, map[string]any{ccp.ParamHierarchy: ccp.Prepared}
	case "fashion-mnist":
		c.Epochs, c.Params = 8, map[string]any{ccp.ParamHierarchy: ccp.Prepared}
	case "nw-ucla":
		c.Epochs, c.Augment, c.Average = 150, true, 0.99
		// An epoch is 14 steps only: with the usual rate learned memberships hardly leave their start, see docs/results.md.
		c.Params = map[string]any{ccp.ParamHierarchy: ccp.Prepared, ccp.ParamDropout: 0.1, ccp.ParamMembershipRate: 100.0}
	case "ntu":
		c.Augment = true
	}
	if (models.Spec{Model: model}).Fitted() {
		c.Epochs, c.Average, c.Augment = 1, 0, false
	}
	if c.Params = models.ParamsOf(model, c.Params); len(c.Params) == 0 {
		c.Params = nil
	}
	return c
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
	return models.CheckParams(c.Params)
}

// dataOptions are the options to load the data set with: what the configuration says of it, and from o what does not decide
// which samples it has: DataDir, Augment, Backend and Progress.
func (c Config) dataOptions(o datasets.Options) datasets.Options {
	o.Seed, o.Validation, o.KNN = c.SplitSeed, c.Validation, c.KNN
	o.Protocol, o.TFIDF, o.Vectors = c.Protocol, c.TFIDF, c.Vectors
	return o
}

// spec is the network for a data set: the levels and widths asked for, the preset's where none are.
func (c Config) spec(d *datasets.Dataset) (models.Spec, error) {
	s := models.Spec{Model: c.Model, Architecture: models.PresetOf(c.Model, d.Name, d.Nodes),
		Nodes: d.Nodes, Channels: d.Channels, Classes: d.Classes(), Grid: d.Grid, Parts: d.Parts, Params: c.Params}
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

// DefaultCheckpoint is where a run keeps its checkpoint if it is not told: runs/DATA-MODEL-SEED.
func (c Config) DefaultCheckpoint() string {
	name := strings.TrimSuffix(filepath.Base(c.Data), filepath.Ext(c.Data))
	return filepath.Join("runs", fmt.Sprintf("%s-%s-%d", name, c.Model, c.Seed))
}
