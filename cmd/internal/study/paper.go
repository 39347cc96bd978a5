package study

import (
	"bytes"
	"cmp"
	_ "embed" // the paper's tables
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models/training"
)

// Figures is the name of the table whose runs the paper's figures are drawn from. They are runs of the tables loss and
// order. The other constants are its rows.
const (
	Figures     = "figures"
	TaskAndC    = "task + C"
	TaskOnly    = "task only"
	OrderByRank = "order by rank"
	RandomOrder = "random order"
)

// paperTable is one of the paper's tables.
type paperTable struct {
	Name  string
	About string
	Data  []string // the paper's data sets; the first is the default
	Also  string   // another set that the table can be made for, or "any"
	Rows  []struct {
		Name  string
		Paper map[string]float64 // the paper's accuracy on each of its data sets, in percent
		Note  string
		Set   training.Patch // what is asked beside the data; without a recipe, the paper's
	}
}

//go:embed paper.json
var paperJSON []byte

// paperTables are in the order of the paper.
var paperTables = func() (tables []paperTable) {
	if err := decode(paperJSON, &tables); err != nil {
		panic(err) // the file is part of the program
	}
	return tables
}()

// decode reads a document. It is an error if the document has a field that v lacks.
func decode(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// TableNames lists the paper's tables that can be made for a data set. "" means the paper's own sets and gives all.
func TableNames(data string) (names []string) {
	for _, p := range paperTables {
		if data == "" || p.Also == "any" {
			names = append(names, p.Name)
		}
	}
	return names
}

// The size of a reduced table.
const (
	reducedEpochs = 10
	reducedWidths = 4 // filters and hidden widths are divided by this
)

// PaperTable returns one of the paper's tables for a data set, "" for its usual one. If epochs is above 0, it shortens
// each training. A reduced table has a quarter of the filters and hidden widths, and 10 epochs if epochs is 0. Networks
// whose size is no setting (cnn, resnet) keep their size. Table.Reduced says what was reduced.
func PaperTable(name, data string, epochs int, reduced bool) (Table, error) {
	i := slices.IndexFunc(paperTables, func(p paperTable) bool { return p.Name == name })
	if i < 0 {
		return Table{}, fmt.Errorf("there is no table %q; %s", name, suggest.Among(name, append(TableNames(""), "all")))
	}
	p := paperTables[i]
	if data == "" {
		data = p.Data[0]
	}
	t := Table{Name: name, Title: "Table " + name + ": " + p.About, Drawn: name == Figures}
	if data != name {
		t.Name = name + "-" + strings.Trim(fileName(strings.TrimSuffix(data, ".npz")), "-")
	}
	own, sets := slices.Contains(p.Data, data), strings.Join(p.Data, " and ")
	switch {
	case !own && p.Also != "any" && p.Also != data:
		return t, fmt.Errorf("table %s is about %s; filters, loss, order, graph and figures can be made for other data", name, sets)
	case !own:
		t.Title += fmt.Sprintf(", on %s in place of the paper's %s", data, sets)
	case p.Also == "any":
		t.Title += ", on " + data
	}
	if reduced {
		epochs = cmp.Or(epochs, reducedEpochs)
	}
	var whole []string // the numbers of epochs before they were reduced
	for _, r := range p.Rows {
		asked := training.Patch{"data": data, "recipe": training.PaperRecipe}
		maps.Copy(asked, r.Set)
		c, err := training.Preview(asked)
		if err != nil {
			return t, fmt.Errorf("table %s, row %q: %w", name, r.Name, err)
		}
		if epochs > 0 && epochs < c.EpochCount() {
			if all := fmt.Sprint(c.EpochCount()); !slices.Contains(whole, all) {
				whole = append(whole, all)
			}
			asked["epochs"] = epochs
		}
		if reduced {
			asked["narrow"] = reducedWidths
		}
		t.Rows = append(t.Rows, Row{Name: r.Name, Asked: asked, Paper: r.Paper[data], Note: r.Note})
	}
	if whole != nil {
		t.Reduced = fmt.Sprintf("%d of %s epochs", epochs, strings.Join(whole, " or "))
	}
	if reduced {
		t.Reduced = strings.TrimSuffix("a quarter of the widths, "+t.Reduced, ", ")
	}
	return t, nil
}
