package main

import (
	"testing"

	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// --epochs are passes, --steps that many steps, both that many steps in as many parts; without them it is by the samples.
func TestStepsAndEpochs(t *testing.T) {
	for _, c := range []struct {
		args  []string
		steps int // of 1,000 samples
		parts int
	}{
		{nil, 1200, 20},
		{[]string{"--epochs", "7"}, 0, 7},
		{[]string{"--steps", "1000"}, 1000, 20},
		{[]string{"--steps", "1001"}, 1001, 20},
		{[]string{"--steps", "1000", "--epochs", "3"}, 1000, 3},
	} {
		config := training.Config{Data: "ring.npz", Model: "ccp"}
		f := pflag.NewFlagSet("train", pflag.ContinueOnError)
		f.IntVar(&config.Epochs, "epochs", 0, "")
		f.IntVar(&config.Steps, "steps", 0, "")
		for _, name := range []string{"hierarchy", "dtype"} {
			f.String(name, "", "")
		}
		require.NoError(t, f.Parse(c.args))
		require.NoError(t, complete(&config, f, models.DefaultRecipe, nil, nil))
		budget := config.Budget(1000)
		assert.Equal(t, []int{c.steps, c.parts}, []int{budget.Steps, budget.Epochs}, "%v", c.args)
	}
}

// A recipe for prepared hierarchies leaves out what another plan cannot have; what was given stays, and is an error.
func TestRecipeOfAnotherPlan(t *testing.T) {
	for _, c := range []struct {
		settings      []string
		search, slots string
	}{
		{nil, "cut", "directed"},
		{[]string{"ccp_hierarchy=learned"}, "anneal", "rank"},
		{[]string{"ccp_hierarchy=learned", "ccp_slots=directed"}, "anneal", "directed"},
		{[]string{"ccp_hierarchy=random", "ccp_slots=random"}, "anneal", "random"},
	} {
		config := training.Config{Data: "cifar10", Model: "ccp"}
		f := pflag.NewFlagSet("train", pflag.ContinueOnError)
		for _, name := range []string{"hierarchy", "dtype"} {
			f.String(name, "", "")
		}
		require.NoError(t, complete(&config, f, models.DefaultRecipe, nil, c.settings))
		o := config.Settings.Of("")
		assert.Equal(t, []string{c.search, c.slots}, []string{o.Search, o.Slots}, "%v", c.settings)
	}
}

// The line that an interrupted training prints must not delete what it has saved.
func TestGoingOn(t *testing.T) {
	assert.Equal(t, []string{"train", "--seed", "2"}, goingOn([]string{"train", "--overwrite", "--seed", "2"}))
	assert.Equal(t, []string{"train", "--seed", "2"}, goingOn([]string{"train", "--seed", "2", "--overwrite=true"}))
}
