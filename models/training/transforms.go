package training

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/matmul"
	"github.com/clusterpool/ccp/models/internal/transforms"
	"github.com/gomlx/compute"
)

// featuresFolder has the features of many samples in a run's folder, while transforms are fitted.
const featuresFolder = ".ccp-features"

// DefaultBackend names the backend of a training for which nobody names one; "" is the best that is installed.
// Transforms alone, of a file's data, compute nothing that pure Go is slower at, if this processor multiplies matrices
// fast. XLA's compiler would take a third of the time of a small training, and its plugin more memory than all else.
func (c Config) DefaultBackend() string {
	if matmul.Fast() && c.Model == "transforms" && datasets.IsFile(c.Name) && os.Getenv(compute.ConfigEnvVar) == "" {
		return "go"
	}
	return ""
}

// transformsOf returns how transforms are fitted to the training samples of a data set.
func (r *run) transformsOf(d *datasets.Dataset) (transforms.Config, error) {
	c, err := transforms.For(&r.spec.Info, d.Affinity, r.spec.Options.Transforms)
	if err != nil {
		return c, err
	}
	c.Seed, c.Backend = uint64(r.config.Seed), r.backend
	c.Directed = directedSensors(d)
	c.Scratch = filepath.Join(r.dir, featuresFolder)
	c.Heights = heightsOf(d, c.Links)
	c.Placed = c.Heights != nil && d.Coordinates != nil
	c.Lone = len(classesOfSeveralGroups(d)) == 0
	if d.GraphLearned() {
		c.Relink = func(some []int) (*affinity.Matrix, error) { return r.linksOf(d, some) }
	}
	return c, nil
}

// linksOf returns the links that the graph of a data set would have if it were made of some of the training samples.
// some are indices of transformSamples, in which mirror images come after the samples.
func (r *run) linksOf(d *datasets.Dataset, some []int) (*affinity.Matrix, error) {
	samples := make([]int, 0, len(some))
	for _, at := range some {
		samples = append(samples, d.Train[at%len(d.Train)])
	}
	slices.Sort(samples)
	other, err := d.Resplit(datasets.Split{Train: slices.Compact(samples)})
	if err != nil {
		return nil, err
	}
	c, err := transforms.For(&r.spec.Info, other.Affinity, r.spec.Options.Transforms)
	return c.Links, err
}

// transformSamples returns the samples that the transforms use: the training samples, and then their mirror images if
// there are any. An image is held out with its sample.
func transformSamples(d *datasets.Dataset) []transforms.Sample {
	samples, buffer := make([]transforms.Sample, len(d.Train)), []float32(nil)
	for at, i := range d.Train {
		if d.Series == nil {
			buffer = make([]float32, d.Nodes*d.Channels)
		}
		samples[at] = transforms.Sample{Values: d.Input(i, buffer), Label: d.Labels[i], Group: d.Unit(i)}
	}
	if d.Mirror == nil {
		return samples
	}
	for at := range d.Train {
		samples[at].Group = cmp.Or(samples[at].Group, fmt.Sprintf("sample %d", at))
		image := samples[at]
		image.Values = slices.Clone(image.Values)
		d.Mirror(image.Values)
		samples = append(samples, image)
	}
	return samples
}

// Memory is about how many bytes a training of recordings takes on the host: the program with XLA, the recordings and
// the fit of all transforms. A network's training comes after the fit, and takes what DryRun says. It is 0 for other
// data.
func Memory(d *datasets.Dataset) (bytes int64) {
	if d.Series == nil {
		return 0
	}
	const program = 220 << 20
	bytes = program
	for _, series := range d.Series {
		bytes += int64(4 * len(series))
	}
	c, _ := transforms.For(&d.Info, d.Affinity, transforms.All) // cannot fail: All is always valid
	// A fit uses no more samples, and a list of millions would itself take memory.
	some := *d
	some.Train = loop.Spread(d.Train, transforms.MostSamples)
	return bytes + int64(c.Memory(transformSamples(&some)))
}

// suitsTransforms reports whether transforms suit a data set: recordings, signals on a graph, tables, and few images.
// Of many images a network learns more than they do.
func suitsTransforms(c Config, d *datasets.Dataset) bool {
	const mostImages, mostValues = 1_500, 10_000
	if d.Series != nil || registered(c.Model).Fitted {
		return true
	}
	fit, _ := transforms.For(&d.Info, d.Affinity, transforms.All) // cannot fail: All is always valid
	if !fit.Table {
		return true
	}
	return d.Nodes*d.Channels <= mostValues && (d.Grid == nil || len(d.Train) <= mostImages)
}

// ungrouped returns the data without groups, and true, if most training samples are of a class that only one group
// has: if that group were held out, nothing would be known of the class. Otherwise it returns the data as it is.
func ungrouped(d *datasets.Dataset) (*datasets.Dataset, bool) {
	if d.Groups == nil {
		return d, false
	}
	several, alone := classesOfSeveralGroups(d), 0
	for _, i := range d.Train {
		if !several[d.Labels[i]] {
			alone++
		}
	}
	if 2*alone <= len(d.Train) {
		return d, false
	}
	other := *d
	other.Groups = nil
	return &other, true
}

// classesOfSeveralGroups returns the classes that have training samples in at least two groups. A sample without a
// group is a group of its own.
func classesOfSeveralGroups(d *datasets.Dataset) map[int32]bool {
	first, several := map[int32]string{}, map[int32]bool{}
	for _, i := range d.Train {
		label, group := d.Labels[i], cmp.Or(d.Unit(i), fmt.Sprintf("sample %d", i))
		first[label] = cmp.Or(first[label], group)
		if first[label] != group {
			several[label] = true
		}
	}
	return several
}
