package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
)

// contributionsFile is contributions.csv: a row for each node of each sample whose contribution is not 0.
type contributionsFile struct {
	file *os.File
	rows *csv.Writer
}

func newContributionsFile(folder string) (*contributionsFile, error) {
	file, rows, err := createCSV(folder, "contributions.csv", "sample", "true", "predicted", "explained", "node", "name", "contribution")
	return &contributionsFile{file, rows}, err
}

// createCSV begins a file with its heading, in a folder that is made if need be.
func createCSV(folder, name string, heading ...string) (*os.File, *csv.Writer, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, nil, err
	}
	file, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		return nil, nil, err
	}
	rows := csv.NewWriter(file)
	return file, rows, rows.Write(heading)
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
	file, rows, err := createCSV(folder, "classes.csv", "class", "samples", "node", "name", "mean", "mean_absolute")
	if err != nil {
		return err
	}
	defer file.Close()
	for k, mean := range means {
		for node, v := range mean.Signed {
			row := []string{d.ClassNames[k], strconv.Itoa(mean.Samples), strconv.Itoa(node), names[node], number(v), number(mean.Absolute[node])}
			if err := rows.Write(row); err != nil {
				return err
			}
		}
	}
	rows.Flush()
	return rows.Error()
}

// number is v with the digits that a float32 has.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 7, 64) }
