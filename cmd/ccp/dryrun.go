package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/text"
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
	return s.print(cmd, f, footprintText(f))
}

func footprintText(f training.Footprint) string {
	source := "as compiled"
	if f.Estimated {
		source = "estimated, this backend does not tell"
	}
	arguments := "weights, Adam's averages, graph, batch"
	if f.Resident > 0 {
		arguments = "weights, Adam's averages, graph, samples"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "model %s on %s: %s parameters; batch %d on %s, %s\n", f.Model, f.Data, text.Thousands(f.Parameters), f.Batch, text.Count(f.Devices, "device"), f.Backend)
	fmt.Fprintf(&b, "memory of a training step on each device, %s:\n", source)
	line := func(name string, bytes int64, shape string) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("  %-46s %-10s %s", name, text.Megabytes(bytes), shape), " ") + "\n")
	}
	line(arguments, f.Memory.Arguments, "")
	line("the same after the step", f.Memory.Results, "")
	line("activations and gradients", f.Memory.Temporary, "")
	line("code", f.Memory.Code, "")
	line("peak", f.Memory.Peak(), "")
	fmt.Fprintf(&b, "batches prepared ahead, on the host: %s\nlargest tensors:\n", text.Megabytes(f.Input))
	for _, t := range f.Largest {
		line(t.Name, t.Bytes, t.Shape)
	}
	return b.String()
}
