package training

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/internal/layout"
	"github.com/clusterpool/ccp/models/internal/transforms"
)

// Patch is what somebody asks of a training, and nothing else. It holds values by the names of Config's fields and of
// the network's options: "epochs": 10 or "ccp_dropout": 0.1.
//
// The recipe gives what is not asked. Auto leaves a number to the data. nil removes a value of the recipe.
type Patch = models.Patch

// The length of a training that is left to the data.
const (
	leastSteps  = 1200 // fewer leave the networks under-trained, even if there are few samples
	usualPasses = 40
	usualSeen   = 300_000 // samples, all passes together
	leastPasses = 10
	usualEpochs = 20 // how often such a training is looked at and saved
	// The least multiply-adds of the levels in a step that are faster in bfloat16: a network with 2³⁰ was, one with 2²⁷ was not.
	bfloat16Products = 1 << 29
	// Recordings of so many frames, and at most so many nodes, are read by a network for series. Package datasets gives most
	// recordings no more nodes.
	manyFrames, fewNodes = 64, 2048
	manyNodes            = 16 // nodes for each training sample: with more, the samples are few
)

// What takes the place of a recipe's options for a prepared hierarchy, if another is asked for; nil is nothing. A learned
// one does best if it begins at the search's clusters.
var (
	dropIfLearned   = map[string]any{"ccp_search": nil, "ccp_slots": nil, "ccp_hierarchies": nil}
	learnedDefaults = map[string]any{"ccp_start": "searched", "ccp_slots": "directed"}
)

// open are the values that can be left to the data.
var open = []string{"levels", "hidden", "epochs", "steps", "batch", "ccp_stem", "ccp_hierarchies", "transforms", "dtype", "augment",
	"ccp_blocks", "ccp_readout", "ccp_slots"}

// What the data decide besides: recordings of many frames are long, and the network of other data is plain. Signals on a graph that
// is no image have directed slots, too.
var (
	ofPlain = map[string]any{"augment": false, "ccp_blocks": "1", "ccp_readout": "last", "ccp_slots": "rank"}
	ofLong  = map[string]any{"augment": true, "ccp_blocks": "1,1,1", "ccp_readout": "levels", "ccp_slots": "directed"}
)

// Resolve returns the whole configuration of a training on a data set. It starts from the defaults, then applies the
// recipe for data set and model, then what is asked. Numbers that are still open get values that suit the data: its
// nodes, channels and training samples. The error names the option that is wrong, and says what it must be.
func Resolve(asked Patch, d *datasets.Dataset) (Config, error) {
	p, err := draft(asked, d)
	if err != nil {
		return Config{}, err
	}
	d, err = p.withValidation(d)
	if err != nil {
		return Config{}, err
	}
	c, _, _, err := p.resolve(d)
	return c, settings(err)
}

// Preview returns what is known of a configuration before the data is read. A number that depends on the data is 0.
func Preview(asked Patch) (Config, error) {
	p, err := draft(asked, nil)
	return p.Config, err
}

// draftConfig is a configuration before the data has filled its open values.
type draftConfig struct {
	Config
	asked Patch
	open  map[string]bool
}

// draft lays what is asked over the recipe. A data set in memory is the one if nobody asks for another. It was loaded, so the
// recipe's options of loading do not count.
func draft(a Patch, memory *datasets.Dataset) (p draftConfig, err error) {
	defer func() { err = settings(err) }()
	p = draftConfig{Config: params.Defaults[Config](), asked: a, open: map[string]bool{}}
	if memory != nil {
		p.Name = cmp.Or(memory.Name, p.Name)
	}
	text := func(name, usual string) string {
		if value := a[name]; value != nil {
			return fmt.Sprint(value)
		}
		return usual
	}
	p.Name, p.Model, p.Recipe = text("data", p.Name), text("model", p.Model), text("recipe", p.Recipe)
	if !slices.Contains(models.Names(), p.Model) {
		return p, fmt.Errorf("model: there is no %q; %s", p.Model, suggest.Model(p.Model, models.Names()))
	}
	if names := RecipeNames(p.Model, p.Name); !slices.Contains(names, p.Recipe) {
		return p, fmt.Errorf("recipe: there is no %q for model %s on %s; %s", p.Recipe, p.Model, p.Name,
			suggest.Among(p.Recipe, names))
	}
	values := recipeOf(p.Name, p.Model, p.Recipe)
	before := fmt.Sprint(values["ccp_hierarchy"])
	if memory != nil {
		maps.DeleteFunc(values, func(name string, _ any) bool { return ofLoading(name) })
	}
	overlay(values, a)
	for _, name := range []string{"epochs", "steps", "batch"} {
		if value, given := a[name]; given && value == nil {
			values[name] = Auto
		}
	}
	if way := fmt.Sprint(values["ccp_hierarchy"]); way != string(ccp.Prepared) {
		instead := dropIfLearned
		if before == string(ccp.Prepared) && way == string(ccp.Learned) && p.Recipe != PaperRecipe {
			instead = learnedDefaults
		}
		for name, value := range instead {
			if _, given := a[name]; given {
				continue
			}
			values[name] = value
			if value == nil {
				delete(values, name)
			}
		}
	}
	for _, name := range sorted(values) {
		if values[name] == Auto {
			if !slices.Contains(open, name) {
				return p, fmt.Errorf("%s=%s: only %s can be left to the data", name, Auto, strings.Join(open, ", "))
			}
			p.open[name] = true
		} else if err := p.put(name, values[name]); err != nil {
			var wrong *params.Error
			if errors.As(err, &wrong) && slices.Contains(open, name) {
				wrong.Must = strings.Replace(wrong.Must, "must be ", "must be "+Auto+", or ", 1)
				err = wrong
			}
			return p, err
		}
	}
	return p, p.check()
}

// resolve returns the whole configuration for a data set, the network, and the data set to train it on.
func (p draftConfig) resolve(d *datasets.Dataset) (Config, models.Spec, *datasets.Dataset, error) {
	c, n, err := p.Config, len(d.Train), error(nil)
	if n == 0 {
		return c, models.Spec{}, d, fmt.Errorf("data set %s has no training samples", d.Name)
	}
	if c.Frames > 0 && d.Form == nil {
		return c, models.Spec{}, d, fmt.Errorf("frames: %d; data set %s has no recordings to resample: leave frames out", c.Frames, d.Name)
	}
	levels, hidden := PresetOf(c.Model, c.Name, c.Recipe, d.Nodes)
	if p.isDefault("levels") {
		c.Levels = levels
	}
	if p.isDefault("hidden") {
		c.Hidden = hidden
	}
	for _, change := range ablations {
		d, err = change(&c, d)
		if err != nil {
			return c, models.Spec{}, d, err
		}
	}
	if p.open["batch"] { // an eighth of the samples, as a power of two
		for c.Batch = 16; c.Batch < 64 && 16*c.Batch <= n; {
			c.Batch *= 2
		}
	}
	c.Batch = min(c.Batch, n)
	long := c.Model == "ccp" && d.Form != nil && d.Form.Frames >= manyFrames && d.Nodes <= fewNodes && p.isDefault("levels")
	signals := d.Form == nil && d.Grid == nil || d.Form != nil && d.Form.Frames == 1 // those with gaps are recordings of a frame
	for name := range ofPlain {
		if value := ofPlain[name]; p.open[name] {
			if long || name == "ccp_slots" && signals {
				value = ofLong[name]
			}
			if err := c.put(name, value); err != nil {
				return c, models.Spec{}, d, err
			}
		}
	}
	if p.open["transforms"] && suitsTransforms(c, d) && p.isDefault("ccp_hierarchy") && p.isDefault("levels") {
		// who asks for these wants the network
		c.Transforms = transforms.All
	}
	switch {
	case p.open["epochs"]:
		if p.open["steps"] {
			c.Steps = max(leastSteps, min(usualSeen, usualPasses*n)/c.Batch)
			switch {
			case long:
				c.Steps *= 2
			case few(d) && c.Model == "ccp":
				c.Steps /= 2 // on few samples a network predicts as well after half the steps
			}
			c.Steps = max(c.Steps, leastPasses*n/c.Batch)
		}
		c.Epochs = min(usualEpochs, c.Steps)
	case p.open["steps"]:
		if perEpoch := n / c.Batch; c.Epochs > mostSteps/perEpoch {
			return c, models.Spec{}, d, fmt.Errorf("epochs: %s epochs of %s are more than the %s steps that a training may have; lower epochs",
				text.Thousands(c.Epochs), text.Count(perEpoch, "step"), text.Thousands(mostSteps))
		}
		c.Steps = c.Epochs * (n / c.Batch)
	}
	if c.Steps > mostSteps {
		return c, models.Spec{}, d, fmt.Errorf("steps: %s are more than the %s that a training may have; lower steps",
			text.Thousands(c.Steps), text.Thousands(mostSteps))
	}
	s, err := c.spec(d)
	if err != nil {
		return c, s, d, err
	}
	s = AutoFill(s, p.autoFilled(d)...)
	if pooling, _ := products(s); p.open["dtype"] && backend.MultipliesBFloat16() && float64(c.Batch)*pooling >= bfloat16Products {
		s.Options.DType = nn.BFloat16
	}
	c.Options, c.Levels = s.Options, s.Levels
	fit, err := transforms.For(&d.Info, d.Affinity, c.Transforms)
	err = cmp.Or(s.Check(), err)
	if err == nil && fit.Only != nil { // asked for by their names
		err = fit.Suits(transformSamples(d))
	}
	return c, s, d, err
}

// products counts the multiplications of a network's filters for one signal, in one hierarchy. pooling counts those of filters whose
// results are pooled.
func products(s models.Spec) (pooling, all float64) {
	for _, l := range s.Layers() {
		all += l.Products
		if l.Pools {
			pooling += l.Products
		}
	}
	return pooling, all
}

// Series returns the frames and sensors that the nodes of a graph are, by its grid, {rows, columns}, and its edges. Both are 0 if
// they are none.
func Series(graph *affinity.Matrix, grid []int) (frames, sensors int) {
	l := layout.Of(graph, grid)
	return l.Frames, l.Sensors
}

// UnsaidFrames says that the graph of a data set without a grid looks like sensors in frames, and how a file would say that they are;
// "" if it does not look so.
func UnsaidFrames(d *datasets.Dataset) string {
	if d.Form != nil || d.Grid != nil {
		return ""
	}
	l := layout.Seems(d.Affinity)
	grid := []int{l.Frames, l.Sensors}
	if l.SensorWise {
		slices.Reverse(grid)
	}
	if l.Frames == 0 {
		return ""
	}
	return fmt.Sprintf("by its edges the graph could be %d frames of %s; its nodes are taken for places, not for time points. If they are "+
		"frames, store the recordings as series, or the array grid = [%d, %d]", l.Frames, text.Count(l.Sensors, "sensor"), grid[0], grid[1])
}

// few reports whether a data set has few samples for its nodes.
func few(d *datasets.Dataset) bool { return d.Nodes > manyNodes*len(d.Train) }

// autoFilled lists the open values that AutoFill decides. It leaves out the stem where a stem takes most of the time and gives
// nothing. That is so if the samples are few.
func (p draftConfig) autoFilled(d *datasets.Dataset) []string {
	return slices.DeleteFunc(sorted(p.open), func(name string) bool { return few(d) && name == "ccp_stem" })
}

// inheritDType gives an open dtype the value of the run begun in dir, if there is one: another machine may have begun it.
func (p *draftConfig) inheritDType(dir string) {
	if kept, err := ReadConfig(dir); err == nil && begun(dir) && p.open["dtype"] {
		p.open["dtype"] = false
		p.DType = kept.DType
	}
}

// isDefault reports that nobody asks for a value: it is the recipe's, or open.
func (p draftConfig) isDefault(name string) bool { return p.asked[name] == nil || p.open[name] }

// sorted returns the keys of a map in order.
func sorted[V any](values map[string]V) []string { return slices.Sorted(maps.Keys(values)) }
