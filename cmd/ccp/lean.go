//go:build lean

package main

// The tag lean makes a program for a first try. It trains, evaluates, exports and checks data, and compiles in three
// quarters of the time: import of Parquet tables, HTTP with Prometheus, pictures and the paper's laboratory stay out.

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// These are the commands that the program lacks.
var (
	newPredict, newExplain, newClusters = lacking("predict"), lacking("explain"), lacking("clusters")
	newReport, newServe, newReproduce   = lacking("report"), lacking("serve"), lacking("reproduce")
	newWatch                            = lacking("watch")
	newDataImport                       = lacking("data import")
)

// lacking returns a command that says how to obtain the program that has it.
func lacking(path string) func(*shared) *cobra.Command {
	return func(*shared) *cobra.Command {
		cmd := command(path, "")
		cmd.DisableFlagParsing, cmd.Args = true, cobra.ArbitraryArgs
		cmd.RunE = func(*cobra.Command, []string) error {
			return errors.New("this program was compiled with -tags lean and has no ccp " + path +
				"; compile it without that, as go install ./cmd/ccp does")
		}
		return cmd
	}
}

// namedTwice reports that checkpoints to serve have one name, which serve alone has.
func namedTwice(error) bool { return false }

// evalStreams are the flags of `ccp eval` for streams, of which this program has none.
type evalStreams struct{}

func (evalStreams) flags(*pflag.FlagSet) {}

func (evalStreams) asked() bool { return false }

func (evalStreams) unasked(*cobra.Command) error { return nil }

func (evalStreams) ofTable(_ string, err error) error { return err }

func (evalStreams) run(*shared, *cobra.Command, string, string) error { return nil }
