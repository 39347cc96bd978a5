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

// checkRecorders returns an error that says what reads them if one of some files is a recorder's. input is what the
// user gave: the file, or its folder.
func checkRecorders(input string, files ...string) error {
	for _, file := range files {
		if slices.Contains(recorderEndings, extension(file)) {
			return fmt.Errorf("%s is a file of a recorder, which the Python package reads: pip install 'clusterpool[read]', "+
				"then python -m clusterpool.read %s --out mine.npz", file, input)
		}
	}
	return nil
}
