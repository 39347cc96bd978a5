package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/models"
)

// contributionsFile is contributions.csv: a row for each node of each sample whose contribution is not 0.
type contributionsFile struct {
	file *os.File
	rows *csv.Writer
}

// newContributionsFile begins the file with its heading, in a folder that is made if need be.
func newContributionsFile(folder string) (*contributionsFile, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	file, err := os.Create(filepath.Join(folder, "contributions.csv"))
	if err != nil {
		return nil, err
	}
	f := &contributionsFile{file, csv.NewWriter(file)}
	return f, f.rows.Write([]string{"sample", "true", "predicted", "explained", "node", "name", "contribution"})
}

// add writes the rows of a sample of d.
func (f *contributionsFile) add(d *datasets.Dataset, names []string, sample int, a models.Attribution) error {
	for node, v := range a.Nodes {
		if v == 0 {
			continue
		}
		row := []string{strconv.Itoa(sample), d.ClassNames[d.Labels[sample]], a.Prediction.Name, d.ClassNames[a.Class], strconv.Itoa(node), names[node], number(v)}
		if err := f.rows.Write(row); err != nil {
			return err
		}
	}
	f.rows.Flush() // what went wrong at the end would come too late for an error
	return f.rows.Error()
}

func (f *contributionsFile) close() { f.file.Close() }

// writeClassContributions writes classes.csv: each class's mean contributions of all nodes.
func writeClassContributions(folder string, d *datasets.Dataset, names []string, means []models.MeanAttribution) error {
	rows := [][]string{{"class", "samples", "node", "name", "mean", "mean_absolute"}}
	for k, mean := range means {
		for node, v := range mean.Signed {
			rows = append(rows, []string{d.ClassNames[k], strconv.Itoa(mean.Samples), strconv.Itoa(node), names[node], number(v), number(mean.Absolute[node])})
		}
	}
	return files.WriteCSV(filepath.Join(folder, "classes.csv"), rows)
}

// number is v with the digits that a float32 has.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 7, 64) }
