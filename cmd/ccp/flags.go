package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// choice is a flag whose value is one of a few words.
type choice struct {
	value *string
	words []string
}

func choiceVar(f *pflag.FlagSet, value *string, name, initial, usage string, words ...string) {
	*value = initial
	f.Var(choice{value, words}, name, usage)
}

func (c choice) String() string { return *c.value }
func (c choice) Type() string   { return "string" }

func (c choice) Set(text string) error {
	if !slices.Contains(c.words, text) {
		return fmt.Errorf("is none of %s", strings.Join(c.words, ", "))
	}
	*c.value = text
	return nil
}

// number is a flag whose value is a whole number within bounds.
type number struct {
	value       *int
	least, most int
}

func numberVar(f *pflag.FlagSet, value *int, name string, initial, least, most int, usage string) {
	*value = initial
	f.Var(number{value, least, most}, name, usage)
}

func (n number) String() string { return strconv.Itoa(*n.value) }
func (n number) Type() string   { return "int" }

func (n number) Set(text string) error {
	v, err := strconv.Atoi(text)
	switch {
	case err != nil:
		return errors.New("is not a whole number")
	case v >= n.least && v <= n.most:
		*n.value = v
		return nil
	case n.most == math.MaxInt:
		return fmt.Errorf("must be at least %d", n.least)
	}
	return fmt.Errorf("must be from %d to %d", n.least, n.most)
}

// needs makes a flag mandatory; what describes its value.
func needs(cmd *cobra.Command, flag, what string) {
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if before != nil {
			if err := before(cmd, args); err != nil {
				return err
			}
		}
		if cmd.Flags().Lookup(flag).Value.String() == "" {
			return usage(cmd, fmt.Errorf("--%s %s", flag, what))
		}
		return nil
	}
}

// whatCheckpoint describes the value of --checkpoint.
const whatCheckpoint = "DIR is needed: the directory that `ccp train` named last"

// checkpointFlag is for the commands that cannot do without a checkpoint.
func checkpointFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "checkpoint", "", "`DIR` that \"ccp train\" made")
	needs(cmd, "checkpoint", whatCheckpoint)
}

// splitFlag is for the commands that look at a split.
func splitFlag(cmd *cobra.Command, split *string) {
	choiceVar(cmd.Flags(), split, "split", "test", "`NAME` of the split: train, validation or test", "train", "validation", "test")
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

// formFlags say which of its forms a data set is wanted in.
func formFlags(f *pflag.FlagSet, protocol *string, tfidf *bool, vectors *string) {
	f.StringVar(protocol, "protocol", "", "`NAME` of the split, where a data set has several (default: its usual one)")
	f.BoolVar(tfidf, "tfidf", false, "weigh the words of texts by how rare they are")
	f.StringVar(vectors, "vectors", "", "`FILE` of word vectors for the graph of words: word2vec, fastText or GloVe (default: learned from the texts)")
}

// graphFlags say how samples are split and the nodes of own files joined to a graph.
func graphFlags(f *pflag.FlagSet, knn *int, seed *uint64, validation *float64) {
	f.IntVar(knn, "knn", 0, "`K` neighbours of each node in the graph made for an .npz without one")
	f.Uint64Var(seed, "split-seed", 0, "`SEED` of the splits, where the data set brings none")
	f.Float64Var(validation, "validation", 0, "`SHARE` held out for validation (default: the data set's protocol)")
}

// absoluteData is a data set's name, or the whole path of an .npz, which is kept with the runs.
func absoluteData(data string) (string, error) {
	if !strings.HasSuffix(strings.ToLower(data), ".npz") {
		return data, nil
	}
	return filepath.Abs(data)
}

// target is the file or folder that a command writes to, and whether it replaces what is there.
type target struct {
	path      string
	overwrite bool
}

// targetFlags are for the commands that write. replaced says what --overwrite replaces.
func targetFlags(cmd *cobra.Command, t *target, name, usage, replaced string) {
	cmd.Flags().StringVar(&t.path, name, "", usage)
	cmd.Flags().BoolVar(&t.overwrite, "overwrite", false, "replace "+replaced)
}

const (
	replacesFile  = "the file if it exists"
	replacesFiles = "files in the folder if it exists"
)

// freeFile says what stands in the way of writing a file.
func (t target) freeFile() error {
	_, err := os.Stat(t.path)
	switch {
	case err == nil && !t.overwrite:
		return fmt.Errorf("%s exists; --overwrite replaces it", t.path)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

// freeFolder says what stands in the way of writing into a folder, unless it is "". The folder need not exist.
func (t target) freeFolder() error {
	if t.path == "" {
		return nil
	}
	if err := checkpoint.CheckDirectory(t.path); err != nil {
		return err
	}
	entries, err := os.ReadDir(t.path)
	switch {
	case len(entries) > 0 && !t.overwrite:
		return fmt.Errorf("%s exists; --overwrite replaces its files", t.path)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}
