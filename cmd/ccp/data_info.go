package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"github.com/spf13/cobra"
)

// datasetJSON is what `ccp data info --json` prints.
type datasetJSON struct {
	Name       string         `json:"name"`
	Samples    int            `json:"samples"`
	Nodes      int            `json:"nodes"`
	Channels   int            `json:"channels"`
	Classes    []string       `json:"classes"`
	Train      int            `json:"train"` // samples
	Validation int            `json:"validation"`
	Test       int            `json:"test"`
	Counts     []countJSON    `json:"counts"` // of each class
	Mean       []float32      `json:"mean"`   // of each channel, or of each channel of each sensor
	Std        []float32      `json:"std"`
	Graph      affinity.Stats `json:"graph"`
	Frames     int            `json:"frames"` // of a series, see models.Series; else 0
	Sensors    int            `json:"sensors"`
	Provenance string         `json:"provenance"`
	Notes      []string       `json:"notes"`
	Warnings   []string       `json:"warnings"`

	Data *datasets.Dataset `json:"-"`
}

// countJSON is the number of samples of a class in each split.
type countJSON struct {
	Class      string `json:"class"` // its number, and its name if that says more
	Train      int    `json:"train"`
	Validation int    `json:"validation"`
	Test       int    `json:"test"`
}

// describe returns what is to be printed of a data set; nil for no data set.
func describe(d *datasets.Dataset) *datasetJSON {
	if d == nil {
		return nil
	}
	counts := make([]countJSON, d.Classes())
	for class := range counts {
		in := func(split []int) (n int) {
			for _, i := range split {
				if d.Labels[i] == int32(class) {
					n++
				}
			}
			return n
		}
		counts[class] = countJSON{fmt.Sprint(class), in(d.Train), in(d.Validation), in(d.Test)}
		if name := d.ClassNames[class]; name != counts[class].Class {
			counts[class].Class += " (" + name + ")"
		}
	}
	frames, sensors := models.Series(d.Affinity, d.Grid)
	return &datasetJSON{Name: d.Name, Samples: d.Signals.Len(), Counts: counts, Data: d, Nodes: d.Nodes,
		Channels: d.Channels, Classes: d.ClassNames,
		Train: len(d.Train), Validation: len(d.Validation), Test: len(d.Test), Mean: d.Mean, Std: d.Std,
		Graph: d.Affinity.Stats(), Frames: frames, Sensors: sensors, Provenance: d.Provenance,
		Notes: append([]string{}, d.Notes...), Warnings: append([]string{}, d.Warnings...)}
}

// nodeJSON is what `ccp data info --node --json` prints.
type nodeJSON struct {
	neighbourJSON
	Neighbours []neighbourJSON `json:"neighbours"` // heaviest first
}

// neighbourJSON is a node, by its name if it has one, and how close it is.
type neighbourJSON struct {
	Index  int     `json:"index"`
	Name   string  `json:"name,omitempty"`
	Weight float64 `json:"weight,omitempty"`
}

func newDataInfo(s *shared) *cobra.Command {
	var o datasets.Options
	var dataDir, node string
	cmd := command("data info", "NAME or FILE.npz")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		d, err := s.loadData(cmd, names[0], dataDir, o)
		if err != nil {
			return err
		}
		if !cmd.Flags().Changed("node") {
			return s.print(cmd, describe(d), render("data-info", describe(d)))
		}
		n, err := neighbours(d, node)
		if err != nil {
			return err
		}
		return s.print(cmd, n, render("data-info-node", n))
	}
	f := cmd.Flags()
	dataDirFlag(cmd, &dataDir)
	graphFlags(f, &o.KNN, &o.Seed, &o.Validation)
	formFlags(f, &o.Protocol, &o.TFIDF)
	f.StringVar(&node, "node", "", "`NAME` or number of a node whose neighbours to list")
	return cmd
}

// neighbours looks a node up, by its name or else its number, and lists its neighbours, heaviest first (lower number
// first at ties).
func neighbours(d *datasets.Dataset, node string) (nodeJSON, error) {
	at := func(i int, weight float64) neighbourJSON {
		n := neighbourJSON{Index: i, Weight: weight}
		if d.NodeNames != nil {
			n.Name = d.NodeNames[i]
		}
		return n
	}
	i := slices.Index(d.NodeNames, node)
	if i < 0 {
		number, err := strconv.Atoi(node)
		if err != nil || number < 0 || number >= d.Nodes {
			what := "nodes have no names"
			if d.NodeNames != nil {
				what = fmt.Sprintf("names are such as %q", d.NodeNames[0])
			}
			return nodeJSON{}, fmt.Errorf("%s: there is no node %q; %s, numbers go from 0 to %d", d.Name, node, what,
				d.Nodes-1)
		}
		i = number
	}
	out := nodeJSON{neighbourJSON: at(i, 0), Neighbours: []neighbourJSON{}}
	columns, weights := d.Affinity.Row(i)
	for k, j := range columns {
		out.Neighbours = append(out.Neighbours, at(int(j), weights[k]))
	}
	slices.SortStableFunc(out.Neighbours, func(a, b neighbourJSON) int { return cmp.Compare(b.Weight, a.Weight) })
	return out, nil
}
