// Command ccp trains and uses classifiers of signals on a fixed graph by convolutional cluster pooling.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

func main() { os.Exit(run(os.Args[1:])) }

// run executes one command line and returns the exit code: 0, 1 for a failure, 2 for wrong usage.
func run(args []string) (code int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(os.Stderr, "ccp: internal error: %v\nThis is a bug; with CCP_DEBUG=1 the same command shows where.\n", p)
			if os.Getenv("CCP_DEBUG") != "" {
				fmt.Fprintf(os.Stderr, "%s", debug.Stack())
			}
			code = 1
		}
	}()
	root := newRoot()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		fmt.Fprintf(os.Stderr, "ccp: %v\nSee `%s --help`.\n", err, usage.command)
		return 2
	}
	fmt.Fprintln(os.Stderr, "ccp:", err)
	return 1
}

// usageError is a command line that cannot be carried out as it stands.
type usageError struct {
	error
	command string
}

func (e usageError) Unwrap() error { return e.error }

func usage(cmd *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	return usageError{err, cmd.CommandPath()}
}

// args makes a cobra check of arguments report as wrong usage.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error { return usage(cmd, check(cmd, args)) }
}

// self is how the user called this program: by its name, or through `go run`.
func self() string {
	if path, err := os.Executable(); err == nil && strings.Contains(path, "/go-build") {
		return "go run ./cmd/ccp"
	}
	return "ccp"
}
