package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/clusterpool/ccp/internal/backend"
	"github.com/gomlx/compute"
	"github.com/spf13/cobra"
)

// shared is what the commands have in common: the command line, and the flags that each of them takes.
type shared struct {
	args    []string
	backend string
	offline bool
	json    bool
}

func newRoot(args []string) *cobra.Command {
	s := &shared{args: args}
	root := &cobra.Command{
		Use:   "ccp",
		Short: "Classify signals on a fixed graph by convolutional cluster pooling",
		Long: `ccp trains, evaluates and uses classifiers of signals on a fixed graph: one graph of
nodes shared by all samples, one feature vector per node in each sample. It follows
Convolutional Cluster Pooling (Porrello et al., AISTATS 2019).`,
		Example:           "  ccp train                      # learn to read the embedded digits\n  ccp train --data mine.npz      # your own signals and graph",
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	group(root)
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().StringVar(&s.backend, "backend", "", "backend by its `NAME`: go, xla:cpu, xla:cuda or xla:/path/plugin.so (default: $GOMLX_BACKEND, else the best there is)")
	root.PersistentFlags().BoolVar(&s.offline, "offline", false, "never download anything")
	root.PersistentFlags().BoolVar(&s.json, "json", false, "print results as JSON on stdout")
	root.AddCommand(newTrain(s), newEval(s), newPredict(s), newExplain(s), newExport(s), newClusters(s), newReport(s), newServe(s), newCompare(s), newReproduce(s), newData(s), newGraph(s), newDoctor(s), newVersion(s))
	return root
}

// group makes cmd one that only holds others: alone it prints its help.
func group(cmd *cobra.Command) {
	cmd.DisableFlagsInUseLine = true
	cmd.Args = noArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

func (s *shared) open(cmd *cobra.Command) (compute.Backend, backend.Info, error) {
	status := newStatusLine(cmd.ErrOrStderr())
	defer status.clear()
	return backend.Open(backend.Options{Name: s.backend, Offline: s.offline, Log: status, Progress: status.download})
}

// dataDirFlag is for the commands that read a data set.
func dataDirFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "data-dir", "", "`FOLDER` with the data set's files (default: $CCP_DATA, else here)")
}

// dataFolder is where to look for a data set's files.
func dataFolder(flag string) string {
	if flag != "" {
		return flag
	}
	return os.Getenv("CCP_DATA")
}

// printJSON prints v on one line of its own.
func printJSON(w io.Writer, v any) error {
	raw, err := json.Marshal(v)
	if err == nil {
		_, err = fmt.Fprintln(w, string(raw))
	}
	return err
}

// inFile names the file that an error is about, unless it does so itself.
func inFile(path string, err error) error {
	if err == nil || strings.Contains(err.Error(), path) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}
