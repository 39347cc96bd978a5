// Package tables registers the paper's tables, which `ccp reproduce` makes anew. Import it for its effect.
package tables

import (
	"bytes"
	"cmp"
	_ "embed" // the paper's tables
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	_ "github.com/clusterpool/ccp/benchmarks/paper/data" // whose recipes the rows begin with
	"github.com/clusterpool/ccp/benchmarks/paper/figures"
	_ "github.com/clusterpool/ccp/benchmarks/paper/networks" // whose options some rows ask for
	"github.com/clusterpool/ccp/models/study"
	"github.com/clusterpool/ccp/models/training"
)

// table is one of the paper's tables.
type table struct {
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

// init registers the tables that paper.json describes.
func init() {
	var tables []table // in the order of the paper
	d := json.NewDecoder(bytes.NewReader(paperJSON))
	d.DisallowUnknownFields()
	if err := d.Decode(&tables); err != nil {
		panic(err) // the file is part of the program
	}
	for _, p := range tables {
		study.Register(study.Published{Name: p.Name, Data: p.Data[0], Any: p.Also == "any", Make: p.on})
	}
}

// on returns the table on a data set. If epochs is above 0, it shortens each training. A reduced table has a quarter of
// the filters and hidden widths, and 10 epochs if epochs is 0. Networks whose size is no setting (cnn, resnet) keep
// their size. Table.Reduced says what was reduced.
func (p table) on(data string, epochs int, reduced bool) (study.Table, error) {
	t := study.Table{Title: "Table " + p.Name + ": " + p.About, Instead: strings.TrimPrefix(p.Also, "any")}
	if p.Name == "figures" {
		t.Draw = figures.Draw
	}
	own, sets := slices.Contains(p.Data, data), strings.Join(p.Data, " and ")
	switch {
	case !own && p.Also != "any" && p.Also != data:
		return t, fmt.Errorf("table %s is about %s; filters, loss, order, graph and figures can be made for other data",
			p.Name, sets)
	case !own:
		t.Title += fmt.Sprintf(", on %s in place of the paper's %s", data, sets)
	case p.Also == "any":
		t.Title += ", on " + data
	}
	if reduced {
		epochs = cmp.Or(epochs, 10)
	}
	var whole []string // the numbers of epochs before they were reduced
	for _, r := range p.Rows {
		asked := training.Patch{"data": data, "recipe": training.PaperRecipe}
		maps.Copy(asked, r.Set)
		c, err := training.Preview(asked)
		if err != nil {
			return t, fmt.Errorf("table %s, row %q: %w", p.Name, r.Name, err)
		}
		if epochs > 0 && epochs < c.EpochCount() {
			if all := fmt.Sprint(c.EpochCount()); !slices.Contains(whole, all) {
				whole = append(whole, all)
			}
			asked["epochs"] = epochs
		}
		if reduced {
			asked["narrow"] = 4 // divides filters and hidden widths
		}
		t.Rows = append(t.Rows, study.Row{Name: r.Name, Asked: asked, Paper: r.Paper[data], Note: r.Note})
	}
	if whole != nil {
		t.Reduced = fmt.Sprintf("%d of %s epochs", epochs, strings.Join(whole, " or "))
	}
	if reduced {
		t.Reduced = strings.TrimSuffix("a quarter of the widths, "+t.Reduced, ", ")
	}
	return t, nil
}
