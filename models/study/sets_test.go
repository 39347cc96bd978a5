package study

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRanks(t *testing.T) {
	assert.Equal(t, []float64{2, 1, 3}, ranks([]float64{50, 70, 10}))
	assert.Equal(t, []float64{1.5, 1.5, 4, 3}, ranks([]float64{70, 70, 10, 20}))
	assert.Equal(t, []float64{2, 2, 2}, ranks([]float64{(0.1 + 0.2) + 0.3, (0.3 + 0.2) + 0.1, 0.6}),
		"sums in different orders are equal")
	assert.Empty(t, ranks(nil))
}

// tableOf is a table of models on a data set, each with 2 folds.
func tableOf(data string, models ...string) Table {
	t := Table{Name: data, Title: data}
	for _, model := range models {
		c := short(model)
		c["data"] = "/data/" + data + ".npz"
		t.Rows = append(t.Rows, Row{Name: model, Asked: c, Folds: []datasets.Fold{{Number: 1, Of: 2}, {Number: 2, Of: 2}}})
	}
	return t
}

// Within a seed all rows come with the first fold, then with the second.
func TestCellsOfFolds(t *testing.T) {
	tables := []Table{tableOf("a", "ccp", "fc"), tableOf("b", "ccp", "fc")}
	tables[1].Rows[1].Folds = nil
	var order []string
	dirs := map[string]bool{}
	for _, c := range Cells("runs", tables, 2) {
		order = append(order, strings.Join([]string{DataName(c.Config.Name), c.Row, c.Config.Fold.String()}, " "))
		dirs[c.Dir] = true
	}
	seed := []string{"a ccp 1/2", "a fc 1/2", "b ccp 1/2", "b fc ", "a ccp 2/2", "a fc 2/2", "b ccp 2/2"}
	assert.Equal(t, append(seed, seed...), order)
	assert.Len(t, dirs, 14)
	assert.Len(t, tables[0].Rows[0].Dirs("runs", 3), 6)
}

func TestSets(t *testing.T) {
	folder := t.TempDir()
	names := []string{"ccp", "fc", "svm", "gcn"}
	tables := []Table{tableOf("a", names...), tableOf("A very long name of a set", names...), tableOf("c", names...)}
	for set, accuracies := range [][]float64{{0.9, 0.8, 0.8}, {0.5, 0.5, 0.4}, {0.7, 0.7}} {
		for model, accuracy := range accuracies {
			dirs := tables[set].Rows[model].Dirs(folder, 1)
			keep(t, dirs[0], accuracy, 10, 100)
			if set < 2 || model == 0 {
				keep(t, dirs[1], accuracy+0.02, 20, 100)
			}
		}
	}
	errs := map[string]error{}
	for set, name := range []string{"a", "A very long name of a set", "c"} {
		for _, model := range []int{2, 3} {
			reason := "model " + names[model] + " is never right"
			if model == 3 {
				reason = "sample 7 of " + name + ".npz is -0.5e-3; choose another model"
			}
			if model == 3 || set == 2 {
				errs[tables[set].Rows[model].Dirs(folder, 1)[0]] = errors.New(reason)
			}
		}
	}
	s := Summarize(folder, Table{Name: "compare", Title: "Models on 3 data sets: x", Sets: tables}, 1,
		Origin{Command: "ccp x", Machine: "a machine", Backend: "xla"}, errs)
	assert.Equal(t, `Models on 3 data sets: x (reduced: 15 of 24 runs)
accuracy %               ccp          fc         svm
a                 91.0 ± 1.4  81.0 ± 1.4  81.0 ± 1.4
A very long nam…  51.0 ± 1.4  51.0 ± 1.4  41.0 ± 1.4
c                 71.0 ± 1.4        70.0

mean accuracy           71.0        66.0        61.0
mean log-loss          0.290       0.340       0.390
mean rank               1.25        2.00        2.75
sets won                   2           1           0
training s                30          30          30
parameters             1,234       1,234       1,234

means, ranks and sums are over 2 of 3 sets, of which all models have as many runs: a, A very long name of a set
not run: svm on c: model svm is never right
not run: gcn on a, A very long name of a set, c: sample 7 of a.npz is -0.5e-3; choose another model
`, s.Text())

	for i := range 2 {
		s.Sets[i].Lines[0].PredictedBy, s.Sets[i].Lines[1].PredictedBy = "lags and values (75%), with the network (25%)",
			"the network"
		s.Sets[i].Lines[0].Ensemble = true
	}
	assert.Contains(t, s.Text(), ": a, A very long name of a set\nccp is predicted by lags and values (75%), "+
		"with the network (25%) on a, A very long name of a set\nnot run")
	assert.Equal(t, []string{"ccp is predicted by lags and values (75%), with the network (25%)"}, s.Sets[0].Ensembles())

	s.Sets[1].Lines[0].PredictedBy = "forest and values"
	assert.Equal(t, []string{"ccp is predicted by lags and values (75%), with the network (25%) on a",
		"ccp is predicted by forest and values on A very long name of a set"}, s.Ensembles())

	many := Summary{Name: "compare", Lines: s.Lines[:1]}
	for i := range 4 {
		many.Sets = append(many.Sets,
			Summary{Title: "x", Lines: []Line{{PredictedBy: fmt.Sprintf("forest (%d%%) and values", 50+i), Ensemble: true}}})
	}
	assert.Equal(t, []string{"ccp is predicted by 4 ensembles; compare.json has those of each set as predicted_by"},
		many.Ensembles())

	require.NoError(t, s.Write(folder))
	markdown, err := os.ReadFile(filepath.Join(folder, "compare.md"))
	require.NoError(t, err)
	assert.Contains(t, string(markdown), "\n| accuracy % | ccp | fc | svm |\n|---|---|---|---|\n| a | 91.0 ± 1.4 | ")
	assert.Contains(t, string(markdown), "\n| A very long name of a set | 51.0 ± 1.4 |")
	assert.Contains(t, string(markdown), "Test accuracy in %, mean ± standard deviation over 2 folds, seed 1;")
	raw, err := os.ReadFile(filepath.Join(folder, "compare.csv"))
	require.NoError(t, err)
	rows, err := csv.NewReader(strings.NewReader(string(raw))).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+3*4)
	assert.Equal(t, []string{"a", "fc", "2", "81", "1.414214", "0.19", "2.5"}, rows[2][:7])
	raw, err = os.ReadFile(filepath.Join(folder, "compare.json"))
	require.NoError(t, err)
	var back Summary
	require.NoError(t, json.Unmarshal(raw, &back))
	assert.Equal(t, s, back)

	tables[0].Rows, tables[1].Rows = append(tables[0].Rows,
		tableOf("a", "chebyshev", "gat", "bayes", "softmax", "transforms").Rows...),
		append(tables[1].Rows, tableOf("b", "chebyshev", "gat", "bayes", "softmax", "transforms").Rows...)
	for _, row := range tables[0].Rows[4:] {
		keep(t, row.Dirs(folder, 1)[0], 0.5, 1, 1)
	}
	wide := Summarize(folder, Table{Name: "compare", Title: "Wide", Sets: tables[:2]}, 1, Origin{}, nil).Text()
	assert.Contains(t, wide, "\naccuracy %        transforms\n", "seven models go into a line")
	assert.Contains(t, wide, "no mean and no rank: there is no set of which all models have as many runs")
	for line := range strings.Lines(wide) {
		assert.LessOrEqual(t, len([]rune(line)), 101, line)
	}

	nothing := Summarize(t.TempDir(), Table{Name: "compare", Title: "Nothing", Sets: tables[:2]}, 1, Origin{}, nil)
	assert.Equal(t, "Nothing (reduced: 0 of 36 runs)\nno mean and no rank: there is no set of which all models have "+
		"as many runs\n", nothing.Text())
}
