package datasets

import (
	"cmp"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/train"
)

// Endless is the BatchOptions.Steps of batches without an end: they continue epoch after epoch until the consumer
// stops.
const Endless = -1

// BatchOptions says how a split is cut into batches.
type BatchOptions struct {
	// Size is the number of samples in a batch.
	Size int
	// Shuffle gives each epoch a random order, which depends on Seed and the epoch only. Otherwise every epoch has the
	// order of the split.
	Shuffle bool
	// Seed draws the orders and the augmentations.
	Seed uint64
	// StartStep is the number of the first batch, counted over all epochs from 0. With it a resumed training gets the
	// batches that it would have got without the pause.
	StartStep int
	// Steps is the number of batches from StartStep on. 0 is one pass over the split, Endless has no end.
	Steps int
	// Augment applies the data set's augmentation. Its random numbers depend on Seed, the epoch and the sample's index
	// only.
	Augment bool
	// DropLast leaves out the samples after the last full batch of an epoch. A split smaller than a batch is one batch
	// of all its samples. Without DropLast the shape does not change either: the first sample of the epoch fills up the
	// last batch. Valid returns the number of rows that count.
	DropLast bool
}

// Batches feeds a split of a data set to a GoMLX trainer. A batch has one input `[size, nodes, channels]`, normalised,
// float32, and one label `[size, 1]`, int32. Its tensors belong to the consumer.
type Batches struct {
	data    *Dataset
	split   []int
	options BatchOptions
	waited  atomic.Int64
}

var _ train.Dataset = (*Batches)(nil)

// Batches cuts the samples of a split into batches. Wrong options are reported by the first batch.
func (d *Dataset) Batches(split []int, o BatchOptions) *Batches {
	return &Batches{data: d, split: split, options: o}
}

// Name returns the name of the data set.
func (b *Batches) Name() string { return b.data.Name }

// Waited returns the time that consumers have waited for batches so far. It is near zero if the preparation keeps up.
func (b *Batches) Waited() time.Duration { return time.Duration(b.waited.Load()) }

// StepsPerEpoch returns the number of batches in one pass over the split; 0 for an empty split.
func (b *Batches) StepsPerEpoch() int {
	n, size := len(b.split), b.options.Size
	switch {
	case n == 0 || size < 1:
		return 0
	case !b.options.DropLast:
		return (n + size - 1) / size
	default:
		return max(1, n/size)
	}
}

// Valid returns the number of rows of a batch that are samples. The rows after them are filling. Like StartStep, the
// batch's number counts over all epochs.
func (b *Batches) Valid(step int) int {
	perEpoch := b.StepsPerEpoch()
	if perEpoch == 0 {
		return 0
	}
	return min(b.options.Size, len(b.split)-step%perEpoch*b.options.Size)
}

// Iter yields the batches in order from StartStep, each time it is called. Other goroutines prepare them ahead. All of
// them have ended when the loop ends.
func (b *Batches) Iter() iter.Seq2[train.Batch, error] {
	return func(yield func(train.Batch, error) bool) {
		if err := b.check(); err != nil {
			yield(train.Batch{}, err)
			return
		}
		slots, stop := b.prepare()
		defer stop()
		asked := time.Now()
		for slot := range slots {
			batch := <-slot
			b.waited.Add(int64(time.Since(asked)))
			if !yield(batch, nil) {
				return
			}
			asked = time.Now()
		}
	}
}

// check returns an error if the options or the split cannot be used.
func (b *Batches) check() error {
	o := b.options
	switch {
	case o.Size < 1:
		return fmt.Errorf("batch size %d: must be at least 1", o.Size)
	case o.StartStep < 0:
		return fmt.Errorf("start step %d: must not be negative", o.StartStep)
	case o.Steps < Endless:
		return fmt.Errorf("%d steps: must not be negative, except %d for no end", o.Steps, Endless)
	case len(b.split) == 0:
		return fmt.Errorf("data set %s: no samples to make batches of", b.data.Name)
	}
	for at, i := range b.split {
		if i < 0 || i >= b.data.Signals.Len() || i >= len(b.data.Labels) {
			return fmt.Errorf("data set %s: entry %d of the split is sample %d of %d", b.data.Name, at, i, b.data.Signals.Len())
		}
	}
	return nil
}

// plan yields the epoch and the samples of each batch.
func (b *Batches) plan(yield func(epoch int, samples []int) bool) {
	perEpoch := b.StepsPerEpoch()
	steps := cmp.Or(b.options.Steps, perEpoch)
	var order []int
	for done := 0; steps == Endless || done < steps; done++ {
		epoch, step := (b.options.StartStep+done)/perEpoch, (b.options.StartStep+done)%perEpoch
		if order == nil || step == 0 {
			order = b.order(epoch)
		}
		first := step * b.options.Size
		samples := slices.Clone(order[first:min(first+b.options.Size, len(order))])
		for !b.options.DropLast && len(samples) < b.options.Size {
			samples = append(samples, order[0])
		}
		if !yield(epoch, samples) {
			return
		}
	}
}

// order returns the order of the split's samples in an epoch.
func (b *Batches) order(epoch int) []int {
	if !b.options.Shuffle {
		return b.split
	}
	order := make([]int, len(b.split))
	for at, from := range random(b.options.Seed, orderStream, uint64(epoch)).Perm(len(order)) {
		order[at] = b.split[from]
	}
	return order
}

// build makes the tensors of one batch.
func (b *Batches) build(epoch int, samples []int) train.Batch {
	size := b.data.Nodes * b.data.Channels
	inputs := tensors.FromShape(shapes.Make(dtypes.Float32, len(samples), b.data.Nodes, b.data.Channels))
	augment := b.data.augmentation()
	tensors.MustMutableFlatData(inputs, func(flat []float32) {
		for row, i := range samples {
			sample := flat[row*size : (row+1)*size]
			b.data.Sample(i, sample)
			if b.options.Augment && augment != nil {
				augment(random(b.options.Seed, augmentStream, uint64(epoch), uint64(i)), sample)
			}
		}
	})
	labels := tensors.FromShape(shapes.Make(dtypes.Int32, len(samples), 1))
	tensors.MustMutableFlatData(labels, func(flat []int32) {
		for row, i := range samples {
			flat[row] = b.data.Labels[i]
		}
	})
	return train.Batch{Inputs: []*tensors.Tensor{inputs}, Labels: []*tensors.Tensor{labels}}
}

// Streams of random numbers drawn from one training seed.
const (
	orderStream   = 1
	augmentStream = 2
)

// random returns a generator that depends on the seed and the given numbers only. SplitMix64 (Steele, Lea, Flood 2014)
// stirs each number in: neighbouring epochs and samples draw unrelated numbers.
func random(seed uint64, numbers ...uint64) *rand.Rand {
	state := seed
	for _, number := range numbers {
		state = splitMix64(state) + number
	}
	return rand.New(rand.NewPCG(splitMix64(state), splitMix64(^state)))
}

func splitMix64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// queued is the number of batches that wait, ready or in work, for the consumer.
const queued = 4

// prepare builds batches ahead, on all cores but one. Each batch has a slot of its own. The slots are filled in any
// order and emptied in the order of the batches. stop ends the goroutines and waits for them. The tensors of the
// remaining batches are in host memory, and the garbage collector takes them.
func (b *Batches) prepare() (slots chan chan train.Batch, stop func()) {
	slots = make(chan chan train.Batch, queued)
	free := make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1))
	quit := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		defer close(slots)
		for epoch, samples := range b.plan {
			slot := make(chan train.Batch, 1) // room for the result: it never waits for the consumer
			select {
			case slots <- slot:
			case <-quit:
				return
			}
			select {
			case free <- struct{}{}:
			case <-quit:
				return
			}
			group.Go(func() {
				slot <- b.build(epoch, samples)
				<-free
			})
		}
	})
	return slots, func() {
		close(quit)
		group.Wait()
	}
}
