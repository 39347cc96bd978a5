package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/clusterpool/ccp/internal/backend"
	"github.com/gomlx/compute"
	"github.com/spf13/cobra"
)

// shared are the flags of every command that computes.
type shared struct {
	backend string
	offline bool
	json    bool
}

func newRoot() *cobra.Command {
	s := &shared{}
	root := &cobra.Command{
		Use:   "ccp",
		Short: "Classify signals on a fixed graph by convolutional cluster pooling",
		Long: `ccp trains, evaluates and uses classifiers of signals on a fixed graph: one graph of
nodes shared by all samples, one feature vector per node in each sample. It follows
Convolutional Cluster Pooling (Porrello et al., AISTATS 2019).`,
		Example:       "  ccp train                      # learn to read the embedded digits\n  ccp train --data mine.npz      # your own signals and graph",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          args(cobra.NoArgs),
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(usage)
	root.PersistentFlags().StringVar(&s.backend, "backend", "", `"go", "xla:cpu", "xla:cuda" or "xla:/path/plugin.so" (default: $GOMLX_BACKEND, else the best there is)`)
	root.PersistentFlags().BoolVar(&s.offline, "offline", false, "never download anything")
	root.PersistentFlags().BoolVar(&s.json, "json", false, "print results as JSON on stdout")
	root.AddCommand(newTrain(s), newEval(s), newPredict(s), newData(s), newGraph(s), newDoctor(s), newVersion(s))
	return root
}

func (s *shared) open() (compute.Backend, backend.Info, error) {
	return backend.Open(backend.Options{Name: s.backend, Offline: s.offline, Log: os.Stderr})
}

// printJSON prints v on one line of its own.
func printJSON(w io.Writer, v any) error {
	raw, err := json.Marshal(v)
	if err == nil {
		_, err = fmt.Fprintln(w, string(raw))
	}
	return err
}
