package training

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/gomlx/ml/model"
)

// The files of a run beside those of its checkpoint.
const (
	metadataFile = checkpoint.MetadataFile
	configFile   = checkpoint.ConfigFile
	dataFile     = "data.json" // the fingerprint of the data
	historyFile  = "history.csv"
	resultFile   = checkpoint.ResultFile
	lockFile     = checkpoint.LockFile
)

// runFiles returns the names of a run's files. Where configFile is missing there is no run, so it comes first and
// goes last.
func runFiles() []string {
	return []string{metadataFile, checkpoint.GraphFile, resultFile, historyFile, dataFile, configFile}
}

// save writes a snapshot to resume from, after which no run before is needed any more.
func (r *run) save() error {
	if err := r.snapshot(); err != nil {
		return err
	}
	return r.takeOver()
}

// snapshot writes a snapshot to resume from.
func (r *run) snapshot() error {
	r.clock()
	r.saved = time.Now()
	return checkpoint.Save(r.dir, checkpoint.Last, r.state.Step, 2, r.store, r.state,
		func(v *model.Variable) bool { return !resumable(v) })
}

// resumable reports whether a snapshot must hold a variable so that a training can go on. It must hold the weights,
// their averages, the optimizer's state, the step, and where GoMLX's own random numbers are, which its dropout and
// noise draw.
func resumable(v *model.Variable) bool {
	if variables.IsWeight(v) || v.Path() == model.JoinPath("/", model.RNGStateVariableName) {
		return true
	}
	for _, prefix := range []string{variables.Average + "/", "/AdamOptimizer/", "/optimizers/", "/global_step"} {
		if strings.HasPrefix(v.Path(), prefix) {
			return true
		}
	}
	return false
}

// begun reports whether dir holds a snapshot or the result of a run. A training that failed before its first snapshot
// leaves nothing that another must spare.
func begun(dir string) bool {
	fsys := os.DirFS(dir)
	return hasEnded(dir) || checkpoint.Exists(fsys, checkpoint.Last) || checkpoint.Exists(fsys, checkpoint.Best)
}

// own returns an error if a training in dir would replace something that no training wrote, or the file of its data.
// What a training writes first is configFile, so own reads it after it has listed the rest.
func own(dir, data string) error {
	best, wrongBest := checkpoint.Newest(os.DirFS(dir), checkpoint.Best)
	last, wrongLast := checkpoint.Newest(os.DirFS(dir), checkpoint.Last)
	there := ""
	set, _ := os.Stat(data)
	for _, name := range append(runFiles(), hierarchyFolder, trialFolder, featuresFolder, best, last) {
		info, err := os.Stat(filepath.Join(dir, name))
		if name == "" || err != nil {
			continue
		}
		there = filepath.Join(dir, name)
		if os.SameFile(info, set) {
			return params.Sentencef("checkpoint", "%s is the data set, and a training there would replace it; choose "+
				"another %v", there, params.Named("checkpoint"))
		}
	}
	var began map[string]any
	_ = files.ReadJSON(filepath.Join(dir, configFile), &began)                 // one that cannot be read is not its own
	if there != "" && began["training"] == nil && began["split_seed"] == nil { // which earlier versions wrote
		return params.Sentencef("checkpoint", "%s is there, and %s shows no training that wrote it; choose another %v, or "+
			"move it away", there, filepath.Join(dir, configFile), params.Named("checkpoint"))
	}
	return cmp.Or(wrongBest, wrongLast)
}

// openRun makes dir, which is own, the directory of a run with this configuration on this data, or checks that the
// run begun there is this one. If it is another run, the error says in what it differs.
func openRun(dir string, c Config, m models.Metadata, graph *affinity.Matrix, data datasets.Fingerprint) error {
	if !begun(dir) {
		err := writeConfig(dir, c, m)
		if err == nil {
			err = checkpoint.Start(dir, m, graph.WriteFile)
		}
		if err == nil {
			err = files.WriteJSON(filepath.Join(dir, dataFile), data)
		}
		return err
	}
	before, err := ReadConfig(dir)
	if err != nil {
		return err
	}
	var other []string
	was, err := ReadFingerprint(dir)
	if differences := was.Differences(data); len(differences) > 0 {
		other = append(other, fmt.Sprintf("on data that differs in %s", strings.Join(differences, ", ")))
	}
	if differences := differ(before.Values(), c.Values()); len(differences) > 0 {
		other = append(other, fmt.Sprintf("with other settings (%s)", strings.Join(differences, "; ")))
	}
	if err != nil || other == nil {
		return err
	}
	return params.Sentencef("checkpoint", "%s holds a run %s: give what began it to go on with it, choose another %v, or "+
		"pass %v", dir, strings.Join(other, " and "), params.Named("checkpoint"), params.Named("overwrite"))
}

// differ lists the settings in which two configurations differ, by name.
func differ(before, now map[string]any) (differences []string) {
	both := maps.Clone(before)
	maps.Copy(both, now)
	for _, name := range sorted(both) {
		text := func(values map[string]any) string {
			if values[name] == nil {
				return "not given"
			}
			return fmt.Sprint(values[name])
		}
		if was, is := text(before), text(now); was != is {
			differences = append(differences, fmt.Sprintf("%s was %s, is %s", name, was, is))
		}
	}
	return differences
}

// ErrBusy says that another process is training in a directory.
var ErrBusy = errors.New("another process is training in")

// lock keeps two processes from training in the same directory.
func lock(dir string) (unlock func(remove bool), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	unlock, err = files.Lock(filepath.Join(dir, lockFile))
	if errors.Is(err, files.ErrLocked) {
		err = params.Sentencef("checkpoint", "%w %s; wait for it, or choose another %v", ErrBusy, dir,
			params.Named("checkpoint"))
	}
	return unlock, err
}

// Versions returns the versions of what a result may depend on. on names the backend.
func Versions(on string) map[string]string {
	v := backend.Versions()
	v["platform"], v["backend"] = runtime.GOOS+"/"+runtime.GOARCH, on
	return v
}

// removeFiles deletes what a training writes in dir, apart from its lock, which the caller holds.
func removeFiles(dir string) error {
	return errors.Join(checkpoint.Remove(dir), sweep(dir), removeHierarchies(dir), removeTrials(dir),
		files.Remove(dir, append([]string{checkpoint.RateFile}, runFiles()...)...))
}

// removeTrials deletes the runs of trials.
func removeTrials(dir string) error { return os.RemoveAll(filepath.Join(dir, trialFolder)) }

// sweep deletes what a killed training left half written in dir. The caller holds the lock.
func sweep(dir string) error {
	err := files.Sweep(dir, func(name string) bool { return slices.Contains(runFiles(), name) })
	return errors.Join(err, files.Sweep(filepath.Join(dir, hierarchyFolder), func(string) bool { return true }),
		os.RemoveAll(filepath.Join(dir, featuresFolder)))
}
