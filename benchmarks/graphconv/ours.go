package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/train"
)

// workload is a network of stacked convolutions for a data set's shapes.
type workload struct {
	data    string
	model   string
	filters []int
	order   int      // of Chebyshev filters
	layouts []string // those of PyTorch Geometric that its layer has and that fit 16 GB
}

// workloads by name. Those of 20NEWS are as wide as PyTorch Geometric's memory allows.
var workloads = map[string]workload{
	"cifar10/cheb5":  {"cifar10", "chebyshev", []int{32, 64}, 5, []string{"static", "blocks"}},
	"cifar10/cheb16": {"cifar10", "chebyshev", []int{32, 64}, 16, []string{"static", "blocks"}},
	"cifar10/cheb25": {"cifar10", "chebyshev", []int{32, 64}, 25, []string{"static", "blocks"}},
	"cifar10/gcn":    {"cifar10", "gcn", []int{32, 64}, 1, []string{"static", "blocks", "sparse"}},
	"cifar10/gat":    {"cifar10", "gat", []int{32, 64}, 1, []string{"blocks"}},
	"20news/cheb5":   {"20news", "chebyshev", []int{32}, 5, []string{"static", "blocks"}},
	"20news/cheb25":  {"20news", "chebyshev", []int{32}, 25, []string{"static", "blocks"}},
	"20news/gcn":     {"20news", "gcn", []int{32}, 1, []string{"sparse"}},
	"20news/gat":     {"20news", "gat", []int{8}, 1, []string{"blocks"}},
}

func names() []string { return slices.Sorted(maps.Keys(workloads)) }

// shape is a data set's, with the paper's batch.
func (w workload) shape() (batch, nodes, channels, classes int) {
	if w.data == "cifar10" {
		return 64, 1024, 3, 10
	}
	return 100, 10_000, 1, 20
}

// graph is the grid, or the nearest neighbours of random points in place of word vectors: 133,000 edges.
func (w workload) graph() (*affinity.Matrix, error) {
	if w.data == "cifar10" {
		return affinity.Grid(32, 32, 8)
	}
	random := rand.New(rand.NewPCG(1, 1))
	points := make([]float64, 10_000*10)
	for i := range points {
		points[i] = random.NormFloat64()
	}
	return affinity.KNN(points, 10_000, 10, 18, affinity.Euclidean)
}

func (w workload) spec() models.Spec {
	_, nodes, channels, classes := w.shape()
	s := models.Spec{Model: w.model, Nodes: nodes, Channels: channels, Classes: classes}
	for _, f := range w.filters {
		s.Levels = append(s.Levels, models.Level{Clusters: nodes, Filters: f, Neighbours: w.order})
	}
	return s
}

// flags are the workload's for pyg.py.
func (w workload) flags() []string {
	batch, _, channels, classes := w.shape()
	flags := []string{"--model", w.model, "--order", strconv.Itoa(w.order), "--batch", strconv.Itoa(batch), "--channels", strconv.Itoa(channels), "--classes", strconv.Itoa(classes), "--filters"}
	for _, f := range w.filters {
		flags = append(flags, strconv.Itoa(f))
	}
	return flags
}

func (w workload) network() string {
	batch, nodes, channels, classes := w.shape()
	filters := strings.Trim(fmt.Sprint(w.filters), "[]")
	return fmt.Sprintf("%d samples, %d nodes, %d channels, filters %s, order %d, %d classes", batch, nodes, channels, filters, w.order, classes)
}

// measureOurs trains a workload and prints the times of its steps.
func measureOurs(name, graphFile string, steps int) error {
	w, ok := workloads[name]
	if !ok {
		return fmt.Errorf("there is no workload %q", name)
	}
	graph, err := affinity.ReadFile(graphFile)
	if err != nil {
		return err
	}
	opened, info, err := backend.Open(backend.Options{Log: os.Stderr})
	if err != nil {
		return err
	}
	spec := w.spec()
	if err := spec.Check(); err != nil {
		return err
	}
	batch, nodes, channels, classes := w.shape()
	trainer := training.NewTrainer(opened, spec.NewStore(1), training.Defaults("", w.model), spec, graph, 1000)
	random := rand.New(rand.NewPCG(2, 2))
	x, y := make([]float32, batch*nodes*channels), make([]int32, batch)
	for i := range x {
		x[i] = float32(random.NormFloat64())
	}
	for i := range y {
		y[i] = int32(random.IntN(classes))
	}
	var wall, cpu []float64
	const warmup = 3
	for step := range warmup + steps {
		sample := tensors.FromFlatDataAndDimensions(x, batch, nodes, channels)
		label := tensors.FromFlatDataAndDimensions(y, batch, 1)
		began, spent := time.Now(), usage()
		metrics, err := trainer.TrainStep(train.Batch{Inputs: []*tensors.Tensor{sample}, Labels: []*tensors.Tensor{label}})
		if err != nil {
			return err
		}
		_ = metrics[0].Value() // waits for the step's end
		if step >= warmup {
			wall, cpu = append(wall, time.Since(began).Seconds()*1e3), append(cpu, processorMS(usage())-processorMS(spent))
		}
	}
	slices.Sort(wall)
	slices.Sort(cpu)
	return json.NewEncoder(os.Stdout).Encode(measured{wall[len(wall)/2], cpu[len(cpu)/2], float64(usage().Maxrss) / 1024, info.Name + " PJRT " + info.Version})
}

func usage() (u syscall.Rusage) {
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // it cannot fail for this process
	return u
}

func processorMS(u syscall.Rusage) float64 {
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
}
