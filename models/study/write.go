package study

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/text"
)

// Write keeps the table in folder as NAME.json, by which Free knows its own, NAME.csv and NAME.md, each whole or not at
// all. The CSV file has all digits, and a row for each row of the table, on each set if there are sets.
func (s Summary) Write(folder string) error {
	path := filepath.Join(folder, s.Name)
	err := os.MkdirAll(folder, 0o777)
	if err = errors.Join(err, files.WriteJSON(path+".json", s)); err != nil {
		return err
	}
	heading := "table,row,paper,runs,accuracy,deviation,validation,parameters,epochs,seconds,signals_per_second," +
		"reduced,machine,backend,note"
	if s.Sets != nil {
		heading = "set,model,runs,accuracy,deviation,rank,validation,parameters,epochs,seconds,signals_per_second," +
			"folds,reduced,machine,backend,error"
	}
	err = text.WriteCSV(path+".csv", strings.Split(heading, ","), func(row func(cells ...any)) error {
		for _, t := range s.tables() {
			for _, l := range t.Lines {
				if s.Sets == nil {
					row(s.Name, l.Name, l.Paper, l.Runs, 100*l.Accuracy, 100*l.Deviation, 100*l.Validation, l.Parameters, l.Epochs,
						l.Seconds, l.PerSecond, s.Reduced, s.Origin.Machine, s.Origin.Backend, l.Note)
				} else {
					row(t.Title, l.Name, l.Runs, 100*l.Accuracy, 100*l.Deviation, l.Rank, 100*l.Validation, l.Parameters, l.Epochs,
						l.Seconds, l.PerSecond, s.Folds, t.Reduced, s.Origin.Machine, s.Origin.Backend, l.Error)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return files.WriteBytes(path+".md", []byte(s.show("markdown", math.MaxInt, math.MaxInt)))
}

// Free returns an error if Write of a table with this name would replace a file in folder that Write did not write.
func Free(folder, name string) error {
	path := filepath.Join(folder, name)
	var kept Summary
	err := files.ReadJSON(path+".json", &kept)
	for _, ending := range []string{".json", ".csv", ".md"} {
		if _, missing := os.Stat(path + ending); missing == nil && (err != nil || kept.Name != name || kept.Origin.Command == "") {
			return fmt.Errorf("%s is there, and is no table of ccp; choose another folder, or move it away", path+ending)
		}
	}
	return nil
}
