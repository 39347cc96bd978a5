// Package training trains, resumes and evaluates classifiers: everything between a data set and a checkpoint.
package training

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/internal/removed"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/early"
)

// Config is everything that decides what a training computes. Resolve makes it from what is asked and the data. Two
// runs with equal configurations on the same backend end with the same weights. A run is resumed only by the
// configuration that began it.
//
// A field's param tag is its name in Patch and in --set, and in JSON, which is one object of all names. In a
// checkpoint model.json has the network, and config.json the data and the training.
type Config struct {
	Data
	Network
	Training
	// More holds what differs from its default of the options of the data set's source and of ablations, see
	// Register.
	More Patch
}

// The values of Data.Split.
const splitOfData, splitOfFamilies, splitOfNone = "data", "families", "none"

// Data is the part of a configuration that decides which samples there are, and on which graph.
type Data struct {
	Name string `param:"data" default:"digits"` // of a data set, or an .npz file
	KNN  int    `param:"knn" rule:"from 0" phase:"loading"`
	// Frames is the number of time points that the network reads of a recording; 0 is the median length of the
	// training samples, at most 256.
	Frames    int    `param:"frames" rule:"from 0" phase:"loading"`
	SplitSeed uint64 `param:"split_seed"`
	// Validation is the share of the training samples held out. 0 is none, or the usual number if Keep is "best".
	Validation float64 `param:"validation" rule:"share"`
	// Fold is the part of a cross-validation to test on. The zero fold is the data's own test.
	Fold datasets.Fold `param:"fold" phase:"loading"`
	// Split says what a drawn split keeps together: "data", groups, copies and recordings that overlap; "families",
	// also samples that seem to belong together. "none" draws no test: all samples train.
	Split string `param:"split" default:"data" rule:"one of data|families|none" phase:"loading"`
}

// Network is the part of a configuration that models.Spec has, apart from the data's sizes.
type Network struct {
	Model  string `param:"model" default:"ccp"`
	Levels Levels `param:"levels" phase:"network" auto:"yes"`
	// Hidden holds the widths of the hidden fully connected layers.
	Hidden         Widths `param:"hidden" phase:"network" auto:"yes"`
	models.Options `phase:"network"`
}

// Training is the part of a configuration that says how the network's weights come about.
type Training struct {
	Recipe string `param:"recipe" default:"default"` // names what suits the data; the other values change it
	// Augment changes training samples at random: in the data set's own way, or recordings by windows of the time,
	// factors and short cuts.
	Augment bool `param:"augment" auto:"false|true"`
	// Epochs divide the steps into equal parts for validation and saving.
	Epochs       int     `param:"epochs" rule:"count" phase:"steps" auto:"yes"`
	Steps        int     `param:"steps" rule:"count" phase:"steps" auto:"yes"`
	Batch        int     `param:"batch" rule:"count" phase:"steps" auto:"yes"` // is the number of samples in a step
	LearningRate float64 `param:"learning_rate" default:"0.001" rule:"positive" phase:"steps"`
	// Schedule of the learning rate: "cosine", to zero; "one-cycle", up from zero in the first quarter, then to zero;
	// "constant".
	Schedule string `param:"schedule" default:"cosine" rule:"one of cosine|one-cycle|constant" phase:"steps"`
	// Average is the decay of the moving average of the weights; 0 is none.
	Average float64 `param:"average" rule:"share" phase:"steps"`
	// Keep is which weights are kept: those of the epoch that did "best" in validation, or the "last". For the last
	// no samples are held out, unless the data names them or Validation asks for them.
	Keep string `param:"keep" default:"best" rule:"one of best|last"`
	// LabelSmoothing is the share of each label that is spread over all classes.
	LabelSmoothing float64 `param:"label_smoothing" rule:"share" phase:"steps"`
	// WeightDecay is λ of AdamW (Loshchilov & Hutter 2019): each step takes λ times its rate off every trained
	// variable. The network's L2 adds to the gradient instead, which Adam then scales.
	WeightDecay float64 `param:"weight_decay" rule:"not negative" phase:"steps"`
	// Early has the training also learn when the class of a recording can be told before it ends: by the "loss" of
	// accuracy, as early as EarlyLoss allows; by the "mean", where the harmonic mean of the accuracy and the share that
	// is not seen is largest; "none", not at all.
	Early string `param:"early" default:"none" rule:"one of none|loss|mean"`
	// EarlyLoss is how many points of accuracy (percent) early decisions may lose.
	EarlyLoss float64 `param:"early_loss" default:"2" rule:"percent"`
	// Seed draws weights, batches and the like. Of a searched hierarchy HierarchySeed is the seed.
	Seed int64 `param:"seed" default:"1"`
}

const (
	oneCycle = "one-cycle"
	// KeepLast keeps the weights after the last step.
	KeepLast = "last"
)

var configType = reflect.TypeFor[Config]()

// ownFields are the fields of a configuration apart from the network's options.
var ownFields = slices.DeleteFunc(slices.Clone(params.Fields(configType)), func(f params.Field) bool {
	return params.Find(params.Fields(reflect.TypeFor[models.Options]()), f.Name) != nil
})

// phaseOf returns which part of a training follows an option, see package params. The options that only some data
// sets have are for loading, and those that only some networks have are theirs. An ablation takes something from the
// network.
func phaseOf(name string) string {
	if f := params.Find(params.Fields(configType), name); f != nil {
		return f.Phase
	}
	if slices.Contains(sourceNames(), name) {
		return params.Loading
	}
	return params.Network
}

// canBeAuto reports whether an option can be left to the data.
func canBeAuto(name string) bool {
	f := params.Find(params.Fields(configType), name)
	return f != nil && f.Auto != ""
}

// autoNames returns the names of the options that can be left to the data.
func autoNames() []string {
	return slices.DeleteFunc(params.Names(params.Fields(configType)),
		func(name string) bool { return !canBeAuto(name) })
}

// Names returns the names that a Patch can have: of a configuration's own fields, and of the options of all networks,
// all data sets and all ablations. Those that are gone are only in checkpoints.
func Names() []string {
	all := slices.Concat(params.Names(ownFields), optionNames(), sourceNames(), params.Names(ablationFields))
	return slices.DeleteFunc(all, func(name string) bool { return removed.Instead(name) != "" })
}

// checkRemoved returns an error if an option is asked for that is gone, with another value than the one that all
// trainings have now: the values of an earlier configuration can be asked for as they are.
func checkRemoved(asked Patch) error {
	for _, name := range sorted(asked) {
		instead := removed.Instead(name)
		if f := params.Find(params.Fields(configType), name); f != nil && fmt.Sprint(f.Default()) == fmt.Sprint(asked[name]) {
			continue
		}
		if instead != "" && asked[name] != nil {
			return params.Errorf(name, asked[name], "there is no such option any more: %s", instead)
		}
	}
	return nil
}

// sourceNames returns the names of the options that only some data sets have.
func sourceNames() (names []string) {
	for _, s := range datasets.Names() {
		names = append(names, params.Names(params.Fields(reflect.TypeOf(s.Options)))...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// more returns the options that Config.More can have.
func more(data string) []params.Field {
	source, _ := datasets.Named(data)
	return slices.Concat(params.Fields(reflect.TypeOf(source.Options)), ablationFields)
}

// ablation changes a training for a study of what a result owes to what, see Register.
type ablation = func(c *Config, d *datasets.Dataset) (*datasets.Dataset, error)

var ablations []ablation

var ablationFields []params.Field // their options

// Register adds an ablation and its options, the zero value of a struct with the tags that models.Network tells of,
// which datasets.OptionsOf reads from Config.More. The ablation changes a training whose levels and widths are set,
// for a study of what a result owes to what, and returns the data set to train on. Register panics if a name is taken.
// Call it in an init function.
func Register(options any, a func(c *Config, d *datasets.Dataset) (*datasets.Dataset, error)) {
	for _, f := range params.Fields(reflect.TypeOf(options)) {
		if slices.Contains(Names(), f.Name) {
			panic(fmt.Sprintf("training: an ablation has an option %s, which there is already", f.Name))
		}
		ablationFields = append(ablationFields, f)
	}
	ablations = append(ablations, a)
}

// optionNames returns the names of the options of all networks.
func optionNames() []string {
	all := map[string]any{}
	for _, name := range models.Names() {
		maps.Copy(all, models.Spec{Model: name, Options: models.DefaultOptions()}.Values())
	}
	return sorted(all)
}

// put sets a field, or an option of the network, by its name. The error says what the value must be, or what was
// meant.
func (c *Config) put(name string, value any) error {
	own, further := params.Find(ownFields, name), params.Find(more(c.Name), name)
	switch {
	case own != nil:
		return own.Set(c, value)
	case further != nil:
		typed, err := further.Parse(value)
		if params.Plain(typed) != params.Plain(further.Default()) {
			changed := Patch{} // a map of its own: copies of c stay as they are
			maps.Copy(changed, c.More)
			changed[name] = typed
			c.More = changed
		}
		return err
	case slices.Contains(optionNames(), name):
		s := models.Spec{Model: c.Model, Options: c.Options}
		err := s.Put(name, value)
		c.Options = s.Options
		return err
	case slices.Contains(sourceNames(), name): // of other data sets
		return datasets.Source{Name: c.Name}.Accepts(datasets.Options{Own: Patch{name: value}})
	}
	return unknownOption(name)
}

// OptionError is an error about an option of a training, a model or a data set, in the tree of an error of this module.
type OptionError interface {
	error
	// About returns the option's name, and the value that it cannot have; nil if the error is about any value.
	About() (option string, value any)
	// Spell returns the message with options as a program spells them, such as its flags. A nil value is none.
	Spell(spelled func(option string, value any) string) string
}

var _ OptionError = (*params.Error)(nil)

// unknownOption returns the error that there is no field or option of a name. It says what could be meant, and where
// all options are listed.
func unknownOption(name string) *params.Error {
	meant := cmp.Or(suggest.Meant(name[strings.LastIndex(name, "/")+1:], Names()), ";")
	return params.Unknown(name, meant+" docs/options.md lists all")
}

// Values returns the whole configuration by name, as its JSON has it.
func (c Config) Values() models.Patch {
	values := models.Spec{Model: c.Model, Options: c.Options}.Values()
	for _, f := range ownFields {
		values[f.Name] = f.Value(c)
	}
	for _, f := range more(c.Name) {
		values[f.Name] = params.Plain(cmp.Or(c.More[f.Name], f.Default()))
	}
	return values
}

// MarshalJSON writes Values.
func (c Config) MarshalJSON() ([]byte, error) { return json.Marshal(c.Values()) }

// EpochCount returns the number of epochs, also before the data has decided it.
func (c Config) EpochCount() int {
	switch {
	case c.Epochs > 0:
		return c.Epochs
	case c.Steps > 0:
		return min(usualEpochs, c.Steps)
	}
	return usualEpochs
}

// check returns an error if values do not go together that need no data to judge. The open values are 0.
func (c Config) check() error {
	of := registered(c.Model)
	const fitted = "the weights of model %s are computed in one pass, not trained: %s"
	switch {
	case c.Steps > 0 && c.Steps < c.Epochs:
		return params.Errorf("steps", c.Steps, "there must be at least 1 in each of %d epochs", c.Epochs)
	case c.Epochs > 1 && of.Fitted:
		return params.Errorf("epochs", c.Epochs, fitted, c.Model, "there must be 1")
	case c.Steps > 0 && of.Fitted:
		return params.Errorf("steps", c.Steps, fitted, c.Model, "leave them out")
	case c.WeightDecay > 0 && of.Fitted:
		return params.Errorf("weight_decay", c.WeightDecay, fitted, c.Model, "it must be 0")
	case c.LabelSmoothing > 0 && of.Loss != nil:
		return params.Errorf("label_smoothing", c.LabelSmoothing, "model %s has a loss of its own, whose labels are not "+
			"smoothed: it must be 0", c.Model)
	case c.Early == notEarly && c.EarlyLoss != params.Defaults[Config]().EarlyLoss:
		return params.Errorf("early_loss", c.EarlyLoss, "it bounds what decisions before the end may lose; give %v, too, "+
			"or leave it out", params.With("early", early.ByLoss))
	case c.Early == string(early.ByMean) && c.EarlyLoss != params.Defaults[Config]().EarlyLoss:
		return params.Errorf("early_loss", c.EarlyLoss, "%v has no bound of what may be lost; leave one of them out",
			params.With("early", early.ByMean))
	case c.Batch == 1:
		return params.Errorf("batch", c.Batch, "batch normalisation needs at least 2 samples")
	}
	return nil
}

// dataOptions returns the options to load the data set with. DataDir, Augment, Backend and Progress are those of o:
// they do not decide which samples the data set has.
func (c Config) dataOptions(o datasets.Options) datasets.Options {
	o.Seed, o.Validation, o.Fold, o.KNN = c.SplitSeed, c.Validation, c.Fold, c.KNN
	o.SplitFamilies, o.NoTest = c.Split == splitOfFamilies, c.Split == splitOfNone
	o.Frames, o.HoldOut, o.Own = c.Frames, c.Keep != KeepLast, maps.Clone(c.More)
	maps.DeleteFunc(o.Own, func(name string, _ any) bool { return phaseOf(name) != params.Loading })
	return o
}

// spec returns the Spec of the configured network for a data set. Options of the network that are auto are still auto:
// suitNetwork fills them in by the Spec. It is an error if the network and the data do not fit together.
func (c Config) spec(d *datasets.Dataset) (models.Spec, error) {
	s := models.Spec{Model: c.Model, Levels: c.Levels, Hidden: c.Hidden,
		Info: d.Info, Options: c.Options}
	err := s.Check()
	check := s.Network().Check
	if err == nil && check != nil {
		err = check(s, d.Affinity)
	}
	return s, err
}

// DefaultCheckpoint returns the directory of a run that is not told one: runs/DATA-MODEL-SEED, and -2of5 for a fold.
func (c Config) DefaultCheckpoint() string {
	name := strings.TrimSuffix(filepath.Base(c.Name), filepath.Ext(c.Name))
	name = fmt.Sprintf("%s-%s-%d", name, c.Model, c.Seed)
	if c.Fold != (datasets.Fold{}) {
		name += "-" + strings.ReplaceAll(c.Fold.String(), "/", "of")
	}
	return filepath.Join("runs", name)
}
