package training

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/models"
)

// nextOf is the folder in dir in which a run is until it takes the place of the one in dir.
func nextOf(dir string) string { return filepath.Join(dir, checkpoint.NextFolder) }

// settleIn returns the folder in which a run with this configuration on this data has its files, and makes it. over
// is the directory whose run is to be replaced, or "".
//
// The folder is dir, unless a run there is to be overwritten: then it is a folder inside of dir, so that the run
// before stays whole and loadable until the new one has its first snapshot, see takeOver. A new run that was
// interrupted before that goes on where it was: with overwrite, or if it has something to go on from and the run in
// dir is not the one that is asked for. The caller holds the lock of dir.
func settleIn(dir string, overwrite bool, c Config, m models.Metadata,
	data datasets.Fingerprint) (at, over string, err error) {
	next := nextOf(dir)
	if !begun(dir) {
		return dir, "", discard(next)
	}
	inDir := isRun(dir, c, data)
	if isRun(next, c, data) && (overwrite || goesOn(next) && !inDir) {
		return next, dir, nil
	}
	if !overwrite || inDir && !hasEnded(dir) && sameVersions(dir, m) {
		// With overwrite it is the run that was overwriting another, which ends as one that is begun anew would.
		return dir, "", nil
	}
	if err := discard(next); err != nil {
		return "", "", err
	}
	return next, dir, os.MkdirAll(next, 0o755)
}

// discard deletes the run in next, if there is one, whose place another takes or that has failed. What no training
// has written there stays, and is an error: somebody may keep it there.
func discard(next string) error {
	entries, err := os.ReadDir(next)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: a run before its first snapshot has its files in a folder of that name; move it away",
			err)
	}
	for _, e := range entries {
		if !ofRun(e.Name()) {
			return fmt.Errorf("%s is not of a training, and %s is the folder of a run before its first snapshot; "+
				"move it away",
				filepath.Join(next, e.Name()), next)
		}
	}
	if err := own(next, ""); err != nil {
		return err
	}
	return errors.Join(removeFiles(next), os.Remove(next))
}

// ofRun reports whether a training writes a file or a folder of that name, complete or not, in its own folder.
func ofRun(name string) bool {
	unfinished, _ := strings.CutPrefix(name, files.Unfinished)
	for _, known := range append(runFiles(), checkpoint.RateFile, hierarchyFolder, trialFolder, featuresFolder) {
		if name == known || name != unfinished && strings.HasPrefix(unfinished, known+"-") {
			return true
		}
	}
	return strings.HasPrefix(unfinished, checkpoint.Last+"-") || strings.HasPrefix(unfinished, checkpoint.Best+"-")
}

// hasEnded reports whether dir has the result of its run.
func hasEnded(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, resultFile))
	return err == nil
}

// sameVersions reports whether the run in dir was begun with the versions that m names.
func sameVersions(dir string, m models.Metadata) bool {
	kept, _, err := models.ReadMetadata(dir)
	return err == nil && maps.Equal(kept.Versions, m.Versions)
}

// isRun reports whether dir holds a run with this configuration on this data, even if it has no snapshot yet.
func isRun(dir string, c Config, data datasets.Fingerprint) bool {
	kept, err := ReadConfig(dir)
	if err != nil || len(differ(kept.Values(), c.Values())) > 0 {
		return false
	}
	was, err := ReadFingerprint(dir)
	return err == nil && len(was.Differences(data)) == 0
}

// takeOver puts the run in the place of the one that it overwrites, once it has a snapshot.
func (r *run) takeOver() error {
	if r.over == "" {
		return nil
	}
	if err := checkpoint.TakeOver(r.over, removeFiles); err != nil {
		return fmt.Errorf("%s: the new run, which has its first snapshot, could not take the place of the one "+
			"before (%w): give the same command to go on", r.over, err)
	}
	r.dir, r.over = r.over, ""
	return nil
}

// giveUp removes a run that is to overwrite another and cannot go on from anything. It has failed, and the other
// stays.
func (r *run) giveUp(failure error) error {
	if r.over == "" || begun(r.dir) || errors.Is(failure, ErrInterrupted) && goesOn(r.dir) {
		return failure
	}
	return errors.Join(failure, discard(r.dir))
}

// goesOn reports whether dir has something to go on from: a snapshot, or what a network's trial has done.
func goesOn(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, trialFolder))
	return err == nil || begun(dir)
}
