package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
)

// paperTable makes one of the paper's tables for a data set.
type paperTable struct {
	about string
	// data are the sets that the paper has it for; the first is the default.
	data []string
	// also says whether the table can be made for another set.
	also func(data string) bool
	rows func(data string) []Row
}

var paperTables = map[string]paperTable{
	"ntu":     {"NTU RGB+D: skeletons", []string{"ntu"}, func(data string) bool { return data == standIn }, ntuRows},
	"cifar10": {"CIFAR-10: images", []string{"cifar10"}, noOther, cifarRows},
	"20news":  {"20NEWS: texts", []string{"20news"}, noOther, newsRows},
	"filters": {"filters and ways to coarsen, of the same sizes", []string{"cifar10", "ntu"}, others, filterRows},
	"loss":    {"what the memberships learn from", []string{"cifar10", "ntu"}, others, lossRows},
	"order":   {"the order of the nodes in a neighbourhood", []string{"cifar10"}, others, orderRows},
	"graph":   {"the data's graph against a random one", []string{"cifar10", "ntu"}, others, graphRows},
	Figures:   {"the runs that the figures are drawn from", []string{"cifar10"}, others, figureRows},
}

// standIn is the skeleton data set that takes the place of NTU RGB+D where its files are not at hand.
const standIn = "nw-ucla"

func noOther(string) bool { return false }
func others(string) bool  { return true }

// tableOrder is that of the paper.
var tableOrder = []string{"ntu", "cifar10", "20news", "filters", "loss", "order", "graph", Figures}

// Figures is the name of the table of the runs that the paper's figures are drawn from; its rows are the other constants.
const (
	Figures     = "figures"
	TaskAndC    = "task + C"
	TaskOnly    = "task only"
	OrderByRank = "order by rank"
	RandomOrder = "random order"
)

// TableNames lists the paper's tables.
func TableNames() []string { return slices.Clone(tableOrder) }

// PaperTable is one of the paper's tables for a data set, "" for its usual one. epochs above 0 shortens each training, and the
// table says so.
func PaperTable(name, data string, epochs int) (Table, error) {
	p, ok := paperTables[name]
	if !ok {
		return Table{}, fmt.Errorf("there is no table %q; there are %s", name, strings.Join(tableOrder, ", "))
	}
	if data == "" {
		data = p.data[0]
	}
	t := Table{Name: name, Title: "Table " + name + ": " + p.about, Rows: p.rows(data), Drawn: name == Figures}
	if !slices.Contains(p.data, data) {
		if !p.also(data) {
			return t, fmt.Errorf("table %s is about %s; filters, loss, order, graph and figures can be made for other data", name, strings.Join(p.data, " and "))
		}
		t.Title += fmt.Sprintf(", on %s in place of the paper's %s", data, strings.Join(p.data, " and "))
	} else if len(p.data) > 1 || p.also("") {
		t.Title += ", on " + data
	}
	if data != name {
		t.Name = name + "-" + base(data)
	}
	var whole []int
	for i := range t.Rows {
		c := t.Rows[i].Config
		if c == nil || epochs <= 0 || epochs >= c.Epochs {
			continue
		}
		if !slices.Contains(whole, c.Epochs) {
			whole = append(whole, c.Epochs)
		}
		c.Epochs = epochs
	}
	if len(whole) > 0 {
		t.Reduced = fmt.Sprintf("%d of %s epochs", epochs, strings.Trim(strings.ReplaceAll(fmt.Sprint(whole), " ", " or "), "[]"))
	}
	return t, nil
}

func base(data string) string {
	return strings.Trim(unfit.ReplaceAllString(strings.ToLower(strings.TrimSuffix(data, ".npz")), "-"), "-")
}

// row is a configuration with the data set's defaults for a model, and what is set on top of them.
func row(name, data, model string, paper float64, note string, set ...func(*training.Config)) Row {
	c := training.Defaults(data, model)
	for _, f := range set {
		f(&c)
	}
	return Row{Name: name, Config: &c, Paper: paper, Note: note}
}

// quoted is a row of which the paper has a number only.
func quoted(name string, paper float64) Row {
	return Row{Name: name, Paper: paper, Note: "quoted by the paper"}
}

// with sets options of the model.
func with(params ...any) func(*training.Config) {
	return func(c *training.Config) {
		all := map[string]any{}
		for name, value := range c.Params {
			all[name] = value
		}
		for i := 0; i < len(params); i += 2 {
			all[params[i].(string)] = params[i+1]
		}
		c.Params = all
	}
}

func protocol(name string) func(*training.Config) {
	return func(c *training.Config) { c.Protocol = name }
}

// of is a number of the paper for a data set; 0: none.
func of(data string, cifar, ntu float64) float64 {
	return map[string]float64{"cifar10": cifar, "ntu": ntu}[data]
}

func ntuRows(data string) []Row {
	rows := []Row{}
	for _, p := range []struct {
		name string
		view int
	}{{"cross-subject", 0}, {"cross-view", 1}} {
		rows = append(rows,
			row("ccp, "+p.name, data, "ccp", of(data, 0, []float64{80.1, 86.8}[p.view]), "", protocol(p.name)),
			row("tcn, "+p.name, data, "tcn", of(data, 0, []float64{74.3, 83.1}[p.view]), "", protocol(p.name)),
			row("p-lstm, "+p.name, data, "p-lstm", of(data, 0, []float64{62.9, 70.3}[p.view]), "", protocol(p.name)))
		if data == standIn {
			continue
		}
		rows = append(rows,
			quoted("Lie group, "+p.name, []float64{50.1, 52.8}[p.view]),
			quoted("HBRNN-L, "+p.name, []float64{59.1, 64.0}[p.view]),
			quoted("ST-LSTM+TS, "+p.name, []float64{69.2, 77.7}[p.view]),
			quoted("TGCNN, "+p.name, []float64{71.4, 82.9}[p.view]),
			quoted("Deep STGC_K, "+p.name, []float64{74.9, 86.3}[p.view]),
			quoted("C-CNN+MTLN, "+p.name, []float64{79.6, 84.8}[p.view]))
	}
	return rows
}

func cifarRows(string) []Row {
	return []Row{
		row("ccp", "cifar10", "ccp", 84.4, ""),
		row("ccp, prepared", "cifar10", "ccp", 0, "the hierarchy made before the training", with(ccp.ParamHierarchy, ccp.Prepared)),
		row("graph-cnn", "cifar10", "graph-cnn", 68.3, ""),
		row("fc", "cifar10", "fc", 78.6, "the paper quotes a network with unsupervised pretraining"),
		row("cnn, stochastic pooling", "cifar10", "cnn", 84.9, ""),
		row("resnet", "cifar10", "resnet", 93.6, "depth 20; the paper's number is of depth 110"),
	}
}

func newsRows(string) []Row {
	counts := func(c *training.Config) { c.TFIDF = false }
	return []Row{
		row("ccp", "20news", "ccp", 70.1, "one level of one cluster, which did best in validation; counts", counts),
		row("ccp, tf-idf", "20news", "ccp", 0, "the same on tf-idf, the default of this program"),
		row("ccp, the paper's levels", "20news", "ccp", 70.1, "prepared hierarchy; counts; 3 epochs", counts, paperLevels),
		row("chebyshev, GC32", "20news", "chebyshev", 68.3, "one layer of 32 filters, as published", counts, gc32),
		row("naive Bayes", "20news", "bayes", 68.5, "", counts),
		row("linear SVM", "20news", "svm", 65.9, "", counts),
		row("softmax", "20news", "softmax", 66.3, "", counts),
		row("FC2500-FC500", "20news", "fc", 65.8, "", counts),
	}
}

// paperLevels are the paper's six levels for 20NEWS, with a hierarchy prepared.
func paperLevels(c *training.Config) {
	a := models.Preset("20news", 10_000)
	c.Levels, c.Hidden, c.Epochs = a.LevelsString(), a.Hidden, 3
	c.Params = map[string]any{ccp.ParamHierarchy: ccp.Prepared, models.ParamReadoutDropout: 0.5}
}

// gc32 is the network of Defferrard et al. 2016 for 20NEWS: one graph convolution of 32 filters and 5 terms, then the classes.
func gc32(c *training.Config) { c.Levels, c.Hidden = "10000x32/5", []int{} }

func filterRows(data string) []Row {
	return []Row{
		row("chebyshev + graclus", data, "chebyshev", of(data, 78.15, 74.85), ""),
		row("gcn + graclus", data, "gcn", of(data, 67.01, 62.00), ""),
		row("gat + graclus", data, "gat", of(data, 72.82, 59.48), ""),
		row("gat + global average", data, "gat-average", of(data, 66.39, 26.74), ""),
		row("ccp", data, "ccp", of(data, 84.4, 80.1), ""),
	}
}

func lossRows(data string) []Row {
	return []Row{
		row(TaskAndC, data, "ccp", of(data, 84.4, 80.1), "", with(ccp.ParamHierarchy, ccp.Learned)),
		row(TaskOnly, data, "ccp", of(data, 66.7, 73.1), "", with(ccp.ParamHierarchy, ccp.TaskOnly)),
		row("task only, its gradient to U cut", data, "ccp", of(data, 56.8, 70.6), "", with(ccp.ParamHierarchy, ccp.Random)),
		row("task + C, the task's gradient to U cut", data, "ccp", of(data, 83.8, 78.6), "", with(ccp.ParamHierarchy, ccp.ObjectiveOnly)),
		row("C first, then the task", data, "ccp", 0, "the hierarchy prepared and frozen", with(ccp.ParamHierarchy, ccp.Prepared)),
	}
}

func orderRows(data string) []Row {
	return []Row{
		row("by rank", data, "ccp", of(data, 84.4, 0), ""),
		row("random", data, "ccp", of(data, 80.3, 0), "one fixed random permutation for each cluster", with(ccp.ParamSlots, ccp.SlotsRandom)),
	}
}

// figureRows are rows of the tables loss and order, whose runs they share.
func figureRows(data string) []Row {
	order := orderRows(data)
	order[0].Name, order[1].Name = OrderByRank, RandomOrder
	return append(lossRows(data)[:2], order...)
}

func graphRows(data string) []Row {
	return []Row{
		row("the data's", data, "ccp", of(data, 84.4, 80.1), ""),
		row("random", data, "ccp", of(data, 69.0, 76.6), "connected, with as many nodes and edges, another for each seed",
			func(c *training.Config) { c.RandomGraph = true }),
	}
}
