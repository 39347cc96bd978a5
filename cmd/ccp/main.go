// Command ccp trains and uses classifiers of signals on a fixed graph by convolutional cluster pooling.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"syscall"

	_ "github.com/clusterpool/ccp/internal/heap" // the memory that XLA frees stays for its next step
	_ "github.com/clusterpool/ccp/models/baselines"
)

func main() {
	results := os.Stdout
	os.Stdout = os.Stderr // go-xla's installer prints there what is no result
	os.Exit(run(os.Args[1:], results, os.Stderr))
}

// run executes one command line, its results to stdout, all else to stderr, and returns the exit code: 0, 1 for a
// failure, 2 for wrong usage.
func run(args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(stderr, "ccp: internal error: %v\nThis is a bug; with CCP_DEBUG=1 the same command shows where.\n", p)
			if os.Getenv("CCP_DEBUG") != "" {
				fmt.Fprintf(stderr, "%s", debug.Stack())
			}
			code = 1
		}
	}()
	root := newRoot(args)
	root.SetArgs(append([]string{}, args...)) // not nil: cobra would read os.Args
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteC()
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "ccp: %s\nSee `%s --help`.\n", withFlags(cmd, err.Error()), usage.command)
		return 2
	case errors.Is(err, context.Canceled):
		err = errors.New("stopped early; the same command starts it again or continues")
	case errors.Is(err, syscall.ENOSPC):
		err = fmt.Errorf("%w; make room, and give the same command again", err)
	}
	fmt.Fprintln(stderr, "ccp:", withFlags(cmd, err.Error()))
	return 1
}
