// Command ccp trains and uses classifiers of signals on a fixed graph by convolutional cluster pooling.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend"
	_ "github.com/clusterpool/ccp/internal/heap/keep" // sets malloc, before main
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/internal/text"
	_ "github.com/clusterpool/ccp/models/baselines"
	"github.com/clusterpool/ccp/models/training"
)

func main() {
	results := os.Stdout
	os.Stdout = os.Stderr // go-xla's installer prints there what is no result
	os.Exit(run(os.Args[1:], results, os.Stderr))
}

// exitCode returns the exit code of a failure. Programs that search settings and queues answer each in their own way;
// docs/ecosystem.md has the table.
func exitCode(err error) int {
	switch {
	case errors.As(err, new(usageError)) || errors.Is(err, training.ErrSettings) ||
		errors.Is(err, datasets.ErrOptions) || errors.Is(err, backend.ErrUnknown) || namedTwice(err):
		return 2
	case errors.Is(err, training.ErrDiverged):
		return 3
	case backend.IsOutOfMemory(err):
		return 4
	case errors.Is(err, training.ErrInterrupted) || errors.Is(err, context.Canceled):
		return 130 // as the shell's of a program that Ctrl-C ended
	}
	return 1
}

// firstError is a writer that remembers its first error: cobra drops the errors of writing help.
type firstError struct {
	io.Writer
	err error
}

func (f *firstError) Write(content []byte) (n int, err error) {
	n, err = f.Writer.Write(content)
	f.err = cmp.Or(f.err, err)
	return n, err
}

// message returns the text of an error. That a file is missing it says in words, with the nearest name in the folder.
func message(err error) string {
	if at, found := errors.AsType[*fs.PathError](err); found && errors.Is(at, fs.ErrNotExist) {
		return strings.Replace(err.Error(), at.Error(), at.Path+": there is no such file or folder", 1) +
			suggest.Beside(at.Path, "")
	}
	return err.Error()
}

// run executes one command line, its results to stdout, all else to stderr, and returns the exit code.
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
	root.SetArgs(append([]string{}, args...)) // never nil: for nil, cobra would read os.Args
	out := &firstError{Writer: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	strict(root, args)
	cmd, err := root.ExecuteC()
	err = cmp.Or(err, out.err)
	code = exitCode(err)
	var wrongUsage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &wrongUsage):
		fmt.Fprintf(stderr, "ccp: %s\nSee `%s --help`.\n", text.Plain(withFlags(cmd, message(err), err)), wrongUsage.command)
		return code
	case errors.Is(err, context.Canceled) && !errors.Is(err, training.ErrInterrupted): // ErrInterrupted itself says more
		err = errors.New("stopped early; the same command starts it again or continues")
	case errors.Is(err, syscall.ENOSPC):
		if at, found := errors.AsType[*fs.PathError](err); found {
			err = at // the errors around it only repeat the path
		}
		err = fmt.Errorf("%w; make room, and give the same command again", err)
	}
	fmt.Fprintln(stderr, "ccp:", text.Plain(withFlags(cmd, message(err), err)))
	return code
}
