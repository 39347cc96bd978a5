// Command ntu writes a set of recordings in the format and in the numbers of NTU RGB+D, at a tenth of the frames, to a
// new folder. Their values are made up: they show what the true set costs to read, split and train on.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/clusterpool/ccp/benchmarks"
)

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, "ntu:", err)
		os.Exit(1)
	}
}

func write() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("usage: go run ./benchmarks/ntu FOLDER")
	}
	dir := filepath.Join(os.Args[1], "nturgb+d_skeletons")
	if err := os.MkdirAll(os.Args[1], 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil { // never into a folder that holds real recordings
		return fmt.Errorf("%w; choose another folder, or delete this one", err)
	}
	size, err := benchmarks.WriteRecordings(dir, benchmarks.NTURecordings, 0.1)
	if err == nil {
		fmt.Printf("%d recordings of %.2f GB in %s\n", benchmarks.NTURecordings, float64(size)/1e9, dir)
	}
	return err
}
