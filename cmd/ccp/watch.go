package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/clusterpool/ccp/cmd/internal/report"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/spf13/pflag"
)

// watchFlag is --watch of `ccp train`.
func watchFlag(f *pflag.FlagSet, address *string) {
	f.StringVar(address, "watch", "", "show the training in a browser, live; =`ADDR` to listen on (default 127.0.0.1 and a free port)")
	f.Lookup("watch").NoOptDefVal = "127.0.0.1:0"
}

// watch serves a page that follows the training in dir, and says where on log. stop ends it, when open pages have been told that the
// training has ended.
func watch(address, dir string, o *training.Observer, log io.Writer) (stop func(), err error) {
	server, err := report.Listen(address, dir)
	if err != nil {
		return nil, fmt.Errorf("--watch: %w", err)
	}
	fmt.Fprintf(log, "watch  %s\n", server.URL())
	if server.Public() {
		fmt.Fprintln(log, "watch  anybody on the network can see this page")
	}
	begin := o.Begin
	o.Begin = func(d *datasets.Dataset, spec models.Spec, from, steps int) {
		server.Begin(d)
		begin(d, spec, from, steps)
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := server.End(ctx); err != nil {
			fmt.Fprintf(log, "watch: %v\n", err)
		}
	}, nil
}
