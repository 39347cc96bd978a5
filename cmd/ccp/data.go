package main

import (
	"fmt"
	"path/filepath"

	"github.com/clusterpool/ccp/datasets"
	"github.com/gomlx/compute"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newData(s *shared) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "data",
		Short:   "The data sets: which there are, what they need, what is in them",
		Example: "  ccp data list\n  ccp data get mnist\n  ccp data info digits",
	}
	group(cmd)
	cmd.AddCommand(newDataList(s), newDataGet(s), newDataInfo(s), newDataCheck(s), newDataExport(s))
	return cmd
}

func newDataList(s *shared) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the data sets",
		Example: "  ccp data list",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			if s.json {
				return printJSON(out, datasets.Names())
			}
			for i, info := range datasets.Names() {
				if i > 0 {
					fmt.Fprintln(out)
				}
				fmt.Fprintf(out, "%s\n  %s\n", info.Name, fold(info.Description, 78, 2))
				if info.Samples > 0 {
					fmt.Fprintf(out, "  %s of %s x %s in %d classes\n", count(info.Samples, "sample"), count(info.Nodes, "node"), count(info.Channels, "channel"), info.Classes)
				}
				fmt.Fprintf(out, "  %s\n  %s\n", fold("needs: "+info.Needs, 78, 4), fold("licence: "+info.Licence, 78, 4))
			}
			return nil
		},
	}
}

// addDataFlags adds the flags that say which of its forms a data set is wanted in.
func addDataFlags(f *pflag.FlagSet, protocol *string, tfidf *bool, vectors *string) {
	f.StringVar(protocol, "protocol", "", "`NAME` of the split, where a data set has several (default: its usual one)")
	f.BoolVar(tfidf, "tfidf", false, "weigh the words of texts by how rare they are")
	f.StringVar(vectors, "vectors", "", "`FILE` of word vectors for the graph of words: word2vec, fastText or GloVe (default: learned from the texts)")
}

// addSplitFlags adds the flags that say how samples are split and own files joined to a graph.
func addSplitFlags(f *pflag.FlagSet, o *datasets.Options) {
	f.IntVar(&o.KNN, "knn", 0, "`K` neighbours of each node in the graph made for an .npz without one")
	f.Uint64Var(&o.Seed, "split-seed", 0, "`SEED` of the splits, where the data set brings none")
	f.Float64Var(&o.Validation, "validation", 0, "`SHARE` held out for validation (default: the data set's protocol)")
}

// loadData loads a data set, showing on stderr what takes long.
func (s *shared) loadData(cmd *cobra.Command, name string, o datasets.Options) (*datasets.Dataset, error) {
	status := newStatusLine(cmd.ErrOrStderr())
	defer status.clear()
	o.Backend, o.Progress = s.backendFor(cmd), status.loading
	return datasets.Load(name, o)
}

// backendFor opens the backend when it is called.
func (s *shared) backendFor(cmd *cobra.Command) func() (compute.Backend, error) {
	return func() (compute.Backend, error) {
		b, _, err := s.open(cmd)
		return b, err
	}
}

// absolute is a path that holds in any folder; "" stays.
func absolute(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	return filepath.Abs(path)
}
