package figures

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/internal/picture"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/loss"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
)

// Samples is the number of training samples, evenly spread, over which the loss is taken.
const Samples = 256

// landscapeFile keeps a run's landscape. Its computation takes as long as some epochs.
const landscapeFile = "landscape.json"

// Around computes the landscape of the finished run in dir, around the weights of its last epoch. If there are moving
// averages of the weights, these are the middle.
//
//   - The memberships U move by node; the filters of the levels and the fully connected layers move by output.
//   - Biases, batch normalisation's scales and offsets, and the gates' α and β stay.
//   - There is no dropout and no augmentation. Batch normalisation takes the mean and variance of the samples, at each
//     point anew.
//
// The landscape is computed once, and kept with the run.
func Around(ctx context.Context, backend compute.Backend,
	dir string, d *datasets.Dataset, progress func(done float64)) (l Landscape, err error) {
	metadata, graph, err := models.ReadMetadata(dir)
	if err != nil {
		return l, err
	}
	spec := withoutDropout(metadata.Spec)
	store, state := spec.NewStore(0), any(nil)
	step, _, err := checkpoint.Load(dir, checkpoint.Last, store, &state)
	if err != nil {
		return l, err
	}
	defer store.Finalize()
	file, points := filepath.Join(dir, landscapeFile), Side*Side
	if err := files.ReadJSON(file, &l); err != nil && !errors.Is(err, os.ErrNotExist) {
		return l, err
	} else if err == nil && l.Step == step && l.Side == Side && len(l.Task) == points && len(l.C) == points {
		return l, nil
	}
	weights, err := weightsOf(store)
	if err != nil {
		return l, err
	}
	exec, err := model.NewExec(backend, store, func(scope *model.Scope, signals, labels *Node) (task, objective *Node) {
		g := signals.Graph()
		scope.Store().SetTraining(g, true) // so that batch normalisation takes the samples' own statistics
		logits := spec.Build(scope, models.Topology{Matrix: graph}, signals)
		objective = ScalarZero(g, dtypes.Float32)
		for _, level := range ccp.Levels(scope.Store(), g) {
			objective = Add(objective, level.Objective)
		}
		return ReduceAllMean(loss.SparseCategoricalCrossEntropyLogits([]*Node{labels}, []*Node{logits})), objective
	})
	if err != nil {
		return l, err
	}
	defer exec.Finalize()
	signals, labels, err := samples(d)
	if err != nil {
		return l, err
	}
	defer signals.MustFinalizeAll()
	defer labels.MustFinalizeAll()
	l, err = Scan(ctx, weights, Side, 1, func(values [][]float32) (float64, float64, error) {
		for k, w := range weights {
			v := store.GetVariable(w.Path)
			if err := v.SetValue(tensors.FromFlatDataAndDimensions(values[k], v.Shape().Dimensions...)); err != nil {
				return 0, 0, err
			}
		}
		task, objective, err := exec.Call2(signals, labels)
		if err != nil {
			return 0, 0, err
		}
		defer task.MustFinalizeAll()
		defer objective.MustFinalizeAll()
		return float64(tensors.ToScalar[float32](task)), float64(tensors.ToScalar[float32](objective)), nil
	}, progress)
	if err != nil {
		return l, fmt.Errorf("%s: %w", dir, err)
	}
	l.Step = step
	return l, files.WriteJSON(file, l)
}

// withoutDropout returns a spec that has no dropout anywhere, not even in training.
func withoutDropout(s models.Spec) models.Spec {
	o := &s.Options
	o.Dropout, o.ReadoutDropout, o.InputDropout, o.Own = 0, 0, 0, maps.Clone(o.Own)
	maps.DeleteFunc(o.Own, func(name string, _ any) bool { return strings.HasSuffix(name, "_dropout") })
	return s
}

// weightsOf returns the variables that a landscape moves, in the order of their names. It replaces weights of the
// store by their moving averages, if there are any.
func weightsOf(store *model.Store) (weights []Weight, err error) {
	byPath := func(a, b *model.Variable) int { return cmp.Compare(a.Path(), b.Path()) }
	for _, v := range slices.SortedFunc(store.IterVariables(), byPath) {
		if !variables.IsWeight(v) || v.DType() != dtypes.Float32 {
			continue
		}
		value, err := cmp.Or(store.GetVariable(variables.Average+v.Path()), v).Value()
		if err != nil {
			return nil, err
		}
		values, err := tensors.CopyFlatData[float32](value)
		if err != nil {
			return nil, err
		}
		if err := v.SetValue(tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)); err != nil {
			return nil, err
		}
		shape := v.Shape()
		// memberships, a row for a node; [filters, L, channels]
		if v.Name() == "U" || v.Name() == ops.Kernel && shape.Rank() == 3 {
			weights = append(weights, Weight{v.Path(), values, shape.Dim(0), len(values) / shape.Dim(0)})
		} else if v.Name() == ops.Kernel { // [in, out]
			weights = append(weights, Weight{v.Path(), values, shape.Dim(-1), 1})
		}
	}
	return weights, nil
}

// samples returns Samples training samples, evenly spread, or as many as there are: signals `[samples, nodes,
// channels]` and labels `[samples, 1]`.
func samples(d *datasets.Dataset) (signals, labels *tensors.Tensor, err error) {
	if len(d.Train) == 0 {
		return nil, nil, fmt.Errorf("data set %s has no training samples", d.Name)
	}
	n, size := min(Samples, len(d.Train)), d.Nodes*d.Channels
	values, classes := make([]float32, n*size), make([]int32, n)
	for i, sample := range loop.Spread(d.Train, n) {
		d.Sample(sample, values[i*size:(i+1)*size])
		classes[i] = d.Labels[sample]
	}
	return tensors.FromFlatDataAndDimensions(values, n, d.Nodes, d.Channels),
		tensors.FromFlatDataAndDimensions(classes, n, 1), nil
}

// landscapes draws the loss around the minimum that each of the two losses led to. There is what was minimised, and the
// cross entropy alone on one scale for both. The table has a row for each point.
func (d drawing) landscapes(ctx context.Context, backend compute.Backend) (f figure, err error) {
	samples, err := d.load()
	if err != nil {
		return f, err
	}
	around, minimised := map[string]Landscape{}, map[string][]float64{}
	f.heading = []string{"loss", "a", "b", "cross_entropy", "c", "minimised"}
	for _, loss := range losses {
		progress := func(done float64) { d.progress("the loss around the minimum of "+loss, done) }
		l, err := Around(ctx, backend, d.runs[loss][0], samples, progress)
		if err != nil {
			return f, err
		}
		around[loss], minimised[loss] = l, slices.Clone(l.Task)
		if loss == TaskAndC {
			floats.Sub(minimised[loss], l.C)
		}
		for i, value := range minimised[loss] {
			a, b := fmt.Sprintf("%.1f", l.at(i%l.Side)), fmt.Sprintf("%.1f", l.at(i/l.Side))
			f.table = append(f.table, []any{loss, a, b, l.Task[i], l.C[i], value})
		}
	}
	both, only := around[TaskAndC], around[TaskOnly]
	high := max(slices.Max(both.Task), slices.Max(only.Task))
	f.sheet = picture.Sheet{Title: "Loss around the minimum on " + d.data, Width: 210 + picture.BarWidth, Height: 226}
	f.sheet.Panels = make([][]*plot.Plot, 1)
	for _, panel := range []picture.Field{
		{Title: "task + C: what was minimised", Label: "cross entropy − C", Values: minimised[TaskAndC]},
		{Title: "task + C: cross entropy", Label: "cross entropy, nats", Values: both.Task, High: high},
		{Title: "task only: cross entropy", Label: "cross entropy, nats", Values: only.Task, High: high},
	} {
		panel.XLabel, panel.YLabel, panel.Side = "a, along d1", "b, along d2", Side
		f.sheet.Panels[0] = append(f.sheet.Panels[0], panel.Plot())
	}
	return f, nil
}
