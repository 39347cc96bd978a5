package tables

import (
	"testing"

	"github.com/clusterpool/ccp/benchmarks/paper/figures"
	_ "github.com/clusterpool/ccp/benchmarks/paper/networks"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/models/study"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every row of every table is a configuration that can be run. On CIFAR-10 the paper's network is one run, whichever
// table has it.
func TestPaperTables(t *testing.T) {
	shared := map[string]bool{}
	for _, name := range study.TableNames("") {
		table, err := study.Make(name, "", 0, false)
		require.NoError(t, err)
		assert.Empty(t, table.Reduced)
		paper := 0
		for _, row := range table.Rows {
			_, err := training.Preview(row.Asked)
			assert.NoError(t, err, "%s, %s", name, row.Name)
			if row.Paper > 0 {
				paper++
			}
			if row.Paper == 84.4 {
				shared[row.Dirs("", 1)[0]] = true
			}
		}
		assert.True(t, paper >= 2 || name == "deep", name)
	}
	assert.Len(t, shared, 1)
	table, err := study.Make("loss", "nw-ucla", 7, false)
	require.NoError(t, err)
	assert.Equal(t, "loss-nw-ucla", table.Name)
	messagetest.Names(t, table.Title, "nw-ucla … cifar10 and ntu")
	assert.Equal(t, "7 of 150 epochs", table.Reduced)
	for _, row := range table.Rows {
		assert.Equal(t, 7, row.Asked["epochs"])
		assert.Zero(t, row.Paper, "the paper has no number for it")
	}
	table, err = study.Make("graph", "/data/My Ring.npz", 0, false)
	require.NoError(t, err)
	assert.Equal(t, "graph-data-my-ring", table.Name)
	assert.Equal(t, true, table.Rows[1].Asked["random_graph"])

	table, err = study.Make("filters", "", 0, true)
	require.NoError(t, err)
	messagetest.Names(t, table.Reduced, "quarter … widths … 10 of 100 … 16 epochs")
	for _, row := range table.Rows {
		assert.Equal(t, 10, row.Asked["epochs"])
		if row.Name == "ccp" {
			grid, err := affinity.Grid(32, 32, 8)
			require.NoError(t, err)
			c, err := training.Resolve(row.Asked,
				&datasets.Dataset{Name: "cifar10",
					Info: signal.Info{Nodes: 1024, Channels: 3, ClassNames: []string{"a", "b"}}, Affinity: grid,
					Train: make([]int, 64)})
			require.NoError(t, err)
			assert.Equal(t, "256x64/16,64x96/16,16x128/8,4x192/8,1x256/4", c.Levels.String())
			assert.Equal(t, training.Widths{256}, c.Hidden)
		}
	}

	table, err = study.Make("figures", "digits", 0, false)
	require.NoError(t, err)
	for i, row := range []string{figures.TaskAndC, figures.TaskOnly, figures.OrderByRank, figures.RandomOrder} {
		assert.Equal(t, row, table.Rows[i].Name)
	}
	assert.NotNil(t, table.Draw)

	_, err = study.Make("cifar10", "digits", 0, false)
	messagetest.Names(t, err, "table cifar10")
	_, err = study.Make("x", "", 0, false)
	messagetest.Names(t, err, `"x" … cross-subject, cross-view, cifar10`)
}
