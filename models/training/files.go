package training

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/models"
	"github.com/gofrs/flock"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/metric"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/gomlx/gomlx/ui/plot"
)

// The files of a run beside those of its checkpoint.
const (
	configFile  = "config.json"
	historyFile = "history.csv"
	resultFile  = "result.json"
	lockFile    = ".lock"
)

// resumable says whether a variable must be in a snapshot to go on from it: the network's weights, their averages, the
// optimizer's state and the step.
func resumable(v *model.Variable) bool {
	for _, prefix := range []string{models.AverageScope + "/", "/AdamOptimizer/", "/optimizers/", "/global_step"} {
		if strings.HasPrefix(v.Path(), prefix) {
			return true
		}
	}
	return models.IsWeight(v)
}

// openRun makes dir the directory of a run with this configuration, or checks that it is one already.
func openRun(dir string, c Config, m models.Metadata, graph *affinity.Matrix) error {
	var before Config
	path := filepath.Join(dir, configFile)
	err := files.ReadJSON(path, &before)
	if errors.Is(err, os.ErrNotExist) {
		if err := models.WriteMetadata(dir, m, graph); err != nil {
			return err
		}
		return files.WriteJSON(path, c)
	}
	if err != nil {
		return err
	}
	if differences := differ(before, c); len(differences) > 0 {
		return fmt.Errorf("%s holds a run with other settings (%s): give its settings to go on with it, or another --checkpoint", dir, strings.Join(differences, "; "))
	}
	saved, _, err := models.ReadMetadata(dir)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(saved.Mean, m.Mean) || !reflect.DeepEqual(saved.ClassNames, m.ClassNames) || saved.Provenance != m.Provenance {
		return fmt.Errorf("%s holds a run on other data under the same name (%s); choose another --checkpoint", dir, saved.Provenance)
	}
	return nil
}

// differ lists the settings in which two configurations differ.
func differ(before, now Config) (differences []string) {
	flat := func(c Config) (out map[string]any) {
		raw, _ := json.Marshal(c) // of plain values: cannot fail
		_ = json.Unmarshal(raw, &out)
		return out
	}
	before.Keep = cmp.Or(before.Keep, Keeps[0]) // a run of before there was a choice
	a, b := flat(before), flat(now)
	t := reflect.TypeFor[Config]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if !reflect.DeepEqual(a[name], b[name]) {
			differences = append(differences, fmt.Sprintf("%s was %v, is %v", name, a[name], b[name]))
		}
	}
	return differences
}

// finished returns the result of a run that has already ended with this configuration.
func finished(c Config, dir string) (result Result, done bool, err error) {
	err = files.ReadJSON(filepath.Join(dir, resultFile), &result)
	if errors.Is(err, os.ErrNotExist) {
		return Result{}, false, nil
	}
	if err != nil {
		return Result{}, false, err
	}
	var before Config
	if err := files.ReadJSON(filepath.Join(dir, configFile), &before); err != nil {
		return Result{}, false, err
	}
	if differences := differ(before, c); len(differences) > 0 {
		return Result{}, false, fmt.Errorf("%s holds a finished run with other settings (%s); choose another --checkpoint", dir, strings.Join(differences, "; "))
	}
	result.Resumed = true
	return result, true, nil
}

// described are the settings of a training as hyperparameters for GoMLX's tools. Nothing here reads them: the settings of the network
// are in its store already, and the training has its configuration.
func (r *run) described() map[string]any {
	c := r.Config
	return map[string]any{"data": c.Data, "model": c.Model, "levels": r.spec.LevelsString(), "hidden": fmt.Sprint(r.spec.Hidden), "epochs": c.Epochs, "batch_size": c.Batch,
		optimizer.ParamLearningRate: c.LearningRate, "schedule": c.Schedule, "average": c.Average, "label_smoothing": c.LabelSmoothing, "augment": c.Augment, "seed": c.Seed,
		"stretch": c.Stretch}
}

// points are the learning curves for GoMLX's tools.
func (r *run) points(history []Epoch) (points []plot.Point) {
	for _, e := range history {
		of := []plot.Point{
			{MetricName: "Train: loss", Short: "T/loss", MetricType: metric.LossMetricType, Value: e.Train.Loss},
			{MetricName: "Train: accuracy", Short: "T/acc", MetricType: metric.AccuracyMetricType, Value: e.Train.Accuracy},
		}
		if e.Validation != nil {
			of = append(of, plot.Point{MetricName: "loss on validation", Short: "loss(val)", MetricType: metric.LossMetricType, Value: e.Validation.Loss},
				plot.Point{MetricName: "accuracy on validation", Short: "acc(val)", MetricType: metric.AccuracyMetricType, Value: e.Validation.Accuracy})
		}
		for _, p := range of {
			p.Step = float64(r.endOf(e.Epoch))
			points = append(points, p)
		}
	}
	return points
}

// ErrBusy says that another process is training in a directory.
var ErrBusy = errors.New("another process is training in")

// lock keeps two processes from training in the same directory.
func lock(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	l := flock.New(filepath.Join(dir, lockFile))
	locked, err := l.TryLock()
	if err != nil {
		return nil, err
	}
	if !locked {
		return nil, fmt.Errorf("%w %s; wait for it, or choose another --checkpoint", ErrBusy, dir)
	}
	return func() { _ = l.Unlock() }, nil
}

// Versions are of what a result may depend on.
func Versions(backend string) map[string]string {
	v := map[string]string{"go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH, "backend": backend}
	if info, ok := debug.ReadBuildInfo(); ok {
		v["ccp"] = info.Main.Version
		for _, dep := range info.Deps {
			if strings.HasPrefix(dep.Path, "github.com/gomlx/") {
				v[dep.Path] = dep.Version
			}
		}
	}
	return v
}

// Remove deletes the run in dir: the files that a training writes there, and dir itself if nothing else is in it. A directory
// without a run is left alone.
func Remove(dir string) error {
	if err := files.CheckDirectory(dir); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, configFile)); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	unlock, err := lock(dir)
	if err != nil {
		return err
	}
	err = errors.Join(checkpoint.Remove(dir), models.RemoveMetadata(dir), removeHierarchies(dir), removeFiles(dir, resultFile, historyFile, configFile))
	unlock()
	err = errors.Join(err, removeFiles(dir, lockFile))
	_ = os.Remove(dir) // fails where something else is in it
	return err
}

func removeFiles(dir string, names ...string) error {
	for _, name := range names {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}
