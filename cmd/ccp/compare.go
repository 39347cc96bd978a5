package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/study"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/spf13/cobra"
)

func newCompare(s *shared) *cobra.Command {
	var o studyFlags
	var data string
	var names []string
	var tfidf bool
	cmd := command("compare", "")
	cmd.Long += "\n\nModels:"
	for _, name := range models.Names() {
		cmd.Long += fmt.Sprintf("\n  %-12s %s", name, models.About(name))
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&data, "data", "digits", "data set by its `NAME` in \"ccp data list\", or a FILE.npz of your own")
	f.StringSliceVar(&names, "models", []string{"ccp", "chebyshev", "gcn", "gat", "fc", "svm"}, "`NAMES` of the models")
	f.BoolVar(&tfidf, "tfidf", false, "weigh the words of texts by how rare they are (default: as each model does best)")
	o.add(cmd, "")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		for _, name := range names {
			if !slices.Contains(models.Names(), name) {
				return usage(cmd, fmt.Errorf("--models: there is no model %q; there are %s", name, strings.Join(models.Names(), ", ")))
			}
		}
		path, err := absolute(data, true)
		if err != nil {
			return err
		}
		short := strings.TrimSuffix(filepath.Base(data), filepath.Ext(data))
		if o.folder == "" {
			o.folder = filepath.Join("runs", "compare-"+short)
		}
		t := study.Table{Name: "compare", Title: "Models on " + short}
		for _, name := range names {
			c := training.Defaults(path, name)
			if f.Changed("tfidf") {
				c.TFIDF = tfidf
			}
			if o.epochs > 0 && o.epochs < c.Epochs {
				c.Epochs = o.epochs
				t.Reduced = fmt.Sprintf("%d epochs", o.epochs)
			}
			t.Rows = append(t.Rows, study.Row{Name: name, Config: &c})
		}
		return s.runStudy(cmd, o, []study.Table{t})
	}
	return cmd
}
