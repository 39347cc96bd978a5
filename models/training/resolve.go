package training

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/internal/transforms"
)

// Patch is what somebody asks of a training, and nothing else. It holds values by the names of Config's fields and of
// the network's options: "epochs": 10 or "ccp_dropout": 0.1.
//
// The recipe gives what is not asked. Auto leaves a number to the data. nil removes a value of the recipe.
type Patch = models.Patch

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
	return c, asSettingsError(err)
}

// Preview returns what is known of a configuration before the data is read. A number that depends on the data is 0.
func Preview(asked Patch) (Config, error) {
	p, err := draft(asked, nil)
	return p.Config, err
}

// layered returns the values of a training by name, from their three sources. What is asked takes the place of the
// recipe's values, see overlay. Where the result is Auto, the value that suits the data takes its place; what the
// data has not decided stays Auto.
func layered(recipe, asked, suited Patch) Patch {
	values := maps.Clone(recipe)
	overlay(values, asked)
	for _, name := range []string{"epochs", "steps", "batch"} {
		if value, given := asked[name]; given && value == nil {
			values[name] = Auto // there is no training without them
		}
	}
	for name, value := range suited {
		if values[name] == Auto {
			values[name] = value
		}
	}
	return values
}

// draftConfig is a configuration before the data has filled its open values.
type draftConfig struct {
	Config
	recipe, asked Patch           // see layered
	open          map[string]bool // the names that are Auto
}

// draft lays what is asked over the recipe. A data set in memory is the one if nobody asks for another. It was
// loaded, so the recipe's options of loading do not count.
func draft(asked Patch, memory *datasets.Dataset) (p draftConfig, err error) {
	defer func() { err = asSettingsError(err) }()
	p = draftConfig{Config: params.Defaults[Config](), asked: asked, open: map[string]bool{}}
	if err := checkRemoved(asked); err != nil {
		return p, err
	}
	if memory != nil {
		p.Name = cmp.Or(memory.Name, p.Name)
	}
	text := func(name, usual string) string {
		if value := asked[name]; value != nil {
			return fmt.Sprint(value)
		}
		return usual
	}
	p.Name, p.Model, p.Recipe = text("data", p.Name), text("model", p.Model), text("recipe", p.Recipe)
	if !slices.Contains(models.Names(), p.Model) {
		return p, params.Errorf("model", nil, "there is no %q; %s", p.Model, suggest.Model(p.Model, models.Names()))
	}
	if names := RecipeNames(p.Model, p.Name); !slices.Contains(names, p.Recipe) {
		return p, params.Errorf("recipe", nil, "there is no %q for model %s on %s; %s", p.Recipe, p.Model, p.Name,
			suggest.Among(p.Recipe, names))
	}
	p.recipe = p.recipeFor(memory != nil)
	if err := p.putAll(layered(p.recipe, asked, nil)); err != nil {
		return p, err
	}
	return p, p.check()
}

// recipeFor returns the values of the recipe, for the plan of the hierarchy that is asked. Without those of loading
// if the data is loaded already.
func (p *draftConfig) recipeFor(loaded bool) Patch {
	recipe := Patch(recipeOf(p.Name, p.Model, p.Recipe))
	if loaded {
		maps.DeleteFunc(recipe, func(name string, _ any) bool { return phaseOf(name) == params.Loading })
	}
	before := fmt.Sprint(recipe["ccp_hierarchy"])
	plan := fmt.Sprint(layered(recipe, p.asked, nil)["ccp_hierarchy"])
	switch {
	case plan == string(ccp.Prepared):
	case plan == string(ccp.Learned) && before == string(ccp.Prepared) && p.Recipe != PaperRecipe:
		// A learned hierarchy does best if it begins at the clusters that the recipe's search finds.
		recipe["ccp_start"], recipe["ccp_slots"] = searchedStart, directedSlots
	default: // what is for a prepared hierarchy alone
		for _, name := range []string{"ccp_search", "ccp_slots", "ccp_hierarchies"} {
			delete(recipe, name)
		}
	}
	return recipe
}

// Values of options, see models.Options.
const (
	searchedStart = "searched"
	directedSlots = "directed"
)

// putAll sets values by name, and notes which are Auto.
func (p *draftConfig) putAll(values Patch) error {
	for _, name := range sorted(values) {
		if values[name] == Auto {
			if !canBeAuto(name) {
				return params.Errorf(name, Auto, "only %s can be left to the data", strings.Join(autoNames(), ", "))
			}
			p.open[name] = true
			continue
		}
		err := p.put(name, values[name])
		if wrong, is := errors.AsType[*params.Error](err); is && wrong.Allows != "" && canBeAuto(name) {
			wrong.Allows = Auto + ", or " + wrong.Allows
			return wrong
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// resolve returns the whole configuration for a data set, the network, and the data set to train it on. Each step
// needs those before it: the ablations need the levels, the length of the training needs the samples that these
// leave, and what suits the network needs all of the configuration.
func (p draftConfig) resolve(d *datasets.Dataset) (Config, models.Spec, *datasets.Dataset, error) {
	c, n := p.Config, len(d.Train)
	if n == 0 {
		return c, models.Spec{}, d, fmt.Errorf("data set %s has no training samples", d.Name)
	}
	if c.Frames > 0 && d.Form == nil {
		return c, models.Spec{}, d, params.Errorf("frames", c.Frames, "data set %s has no recordings to resample: "+
			"leave it out", d.Name)
	}
	levels, hidden := PresetOf(c.Model, c.Name, c.Recipe, d.Nodes)
	if p.isDefault("levels") {
		c.Levels = levels
	}
	if p.isDefault("hidden") {
		c.Hidden = hidden
	}
	var err error
	for _, change := range ablations {
		d, err = change(&c, d)
		if err != nil {
			return c, models.Spec{}, d, err
		}
	}
	suited, err := p.suited(c, d)
	if err != nil {
		return c, models.Spec{}, d, err
	}
	values := layered(p.recipe, p.asked, suited)
	for _, name := range sorted(p.open) {
		if p.open[name] && values[name] != Auto {
			err = cmp.Or(err, c.put(name, values[name]))
		}
	}
	c.Batch = min(c.Batch, n)
	if err != nil {
		return c, models.Spec{}, d, err
	}
	if c.Steps > mostSteps {
		return c, models.Spec{}, d, params.Errorf("steps", c.Steps, "a training may have %s at most; lower them",
			text.Thousands(mostSteps))
	}
	s, err := c.spec(d)
	if err != nil {
		return c, s, d, err
	}
	s = p.suitNetwork(s, c.Batch, d)
	c.Options, c.Levels = s.Options, s.Levels
	fit, err := transforms.For(&d.Info, d.Affinity, c.Transforms)
	err = cmp.Or(s.Check(), err)
	if err == nil && fit.Only != nil { // asked for by their names
		err = fit.Suits(transformSamples(d))
	}
	return c, s, d, err
}

// inheritDType gives an open dtype the value of the run begun in dir, if there is one: another machine may have begun
// it.
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
