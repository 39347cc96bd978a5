package recordings

import (
	"fmt"
	"slices"
)

// recorderEndings are those of the files that the Python package reads: EEG, motion capture, test benches and the like.
// They are the endings in python/src/clusterpool/read/formats.py.
var recorderEndings = []string{".edf", ".bdf", ".vhdr", ".set", ".gdf", ".hea", ".xdf", ".xdfz", ".tdms", ".mf4",
	".mdf", ".c3d", ".mat", ".nc", ".nc4", ".cwa", ".gt3x", ".cfg", ".cff", ".mseed", ".miniseed", ".msd", ".sac", ".gse2",
	".mcap"}

// RecorderError says that a file is a recorder's, which the Python package reads.
type RecorderError struct {
	File  string
	Input string // what the user gave: the file, or its folder
}

func (e *RecorderError) Error() string { return e.advice("--out mine.npz") }

// ToPredict says how to make the file one to predict.
func (e *RecorderError) ToPredict() string { return e.advice("--label none --out new.npz") }

// toStream says how to make the file one to test on along time.
func (e *RecorderError) toStream() error {
	return fmt.Errorf("%s is a file of a recorder; %s", e.File, asTables)
}

// asTables says how what the Python package reads becomes a stream whose classes are known.
const asTables = "a test along time takes tables: python -m clusterpool.read FILE --out new.csv makes two of a " +
	"recorder's file, new.csv and new-events.csv, which --labels takes"

func (e *RecorderError) advice(flags string) string {
	return fmt.Sprintf("%s is a file of a recorder, which the Python package reads: pip install 'clusterpool[read]', "+
		"then python -m clusterpool.read %s %s", e.File, e.Input, flags)
}

// checkRecorders returns a RecorderError if one of some files is a recorder's. input is what the user gave.
func checkRecorders(input string, files ...string) error {
	for _, file := range files {
		if slices.Contains(recorderEndings, extension(file)) {
			return &RecorderError{file, input}
		}
	}
	return nil
}
