package main

import (
	"context"
	"fmt"
	"io"

	"github.com/clusterpool/ccp/models/training"
	"github.com/spf13/cobra"
)

// dryRun prints what a step of a training needs.
func (s *shared) dryRun(cmd *cobra.Command, c training.Config, o training.Options) error {
	b, info, err := s.open(cmd)
	if err != nil {
		return err
	}
	o.Backend = info.Name
	display := newDisplay(cmd.ErrOrStderr(), c, info.Name)
	o.Observer = display.observer()
	f, err := training.DryRun(context.Background(), b, c, o)
	display.clear()
	if err != nil {
		return err
	}
	if s.json {
		return printJSON(cmd.OutOrStdout(), f)
	}
	printFootprint(cmd.OutOrStdout(), f)
	return nil
}

func printFootprint(w io.Writer, f training.Footprint) {
	fmt.Fprintf(w, "model %s on %s: %s parameters; batch %d on %s, %s\n", f.Model, f.Data, thousands(f.Parameters), f.Batch, count(f.Devices, "device"), f.Backend)
	source := "as compiled"
	if f.Estimated {
		source = "estimated, this backend does not tell"
	}
	arguments := "weights, Adam's averages, graph, batch"
	if f.Resident > 0 {
		arguments = "weights, Adam's averages, graph, samples"
	}
	m := f.Memory
	fmt.Fprintf(w, "memory of a training step on each device, %s:\n", source)
	for _, part := range []struct {
		name  string
		bytes int64
	}{
		{arguments, m.Arguments},
		{"the same after the step", m.Results},
		{"activations and gradients", m.Temporary},
		{"code", m.Code},
		{"peak", m.Peak()},
	} {
		fmt.Fprintf(w, "  %-46s %s\n", part.name, megabytes(part.bytes))
	}
	fmt.Fprintf(w, "batches prepared ahead, on the host: %s\nlargest tensors:\n", megabytes(f.Input))
	for _, t := range f.Largest {
		fmt.Fprintf(w, "  %-46s %-10s %s\n", t.Name, megabytes(t.Bytes), t.Shape)
	}
}
