package transforms

import (
	"cmp"
	"math"
	"runtime"
	"slices"

	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/models/internal/transforms/features"
)

// MostSamples is the largest number of samples that a fit uses.
const MostSamples = 20_000

const (
	// mostDual is the number of samples up to which the ridge classifier has a weight for each sample in any case, and
	// transforms have all their features.
	mostDual      = 2_400
	mostChosen    = 700   // samples by which transforms are chosen
	mostLandmarks = 1_000 // of each kernel, if there is a weight for each feature
)

// plan is what a fit decides before it computes anything.
type plan struct {
	Config
	used    []int // the samples that it uses, by their numbers among all
	samples []Sample
	header  header // of the classifier: the transforms that suit the samples, and their sizes
	// dual says that a ridge classifier is solved for a weight of each sample, not of each feature. That costs less while
	// the samples are fewer.
	dual      bool
	landmarks []int // samples that are the landmarks of kernels; nil in the dual, where all are
	inMemory  int   // bytes of the features of a transform, of all samples, up to which they are held in memory
	tables    []*table
}

// newTable returns a table that close frees.
func (p *plan) newTable(samples, width, inMemory int) (*table, error) {
	t, err := newTable(p.Scratch, samples, width, inMemory)
	if err == nil {
		p.tables = append(p.tables, t)
	}
	return t, err
}

// close frees all tables.
func (p *plan) close() {
	for _, t := range p.tables {
		t.close()
	}
}

// Suits returns an error if a transform of Only does not suit the samples.
func (c Config) Suits(samples []Sample) error { _, err := c.plan(samples); return err }

// plan picks the samples, and the transforms that suit them.
func (c Config) plan(samples []Sample) (*plan, error) {
	p := &plan{Config: c, used: spread(samples, MostSamples)}
	p.samples = pick(samples, p.used)
	p.header = c.headerFor(p.samples)
	if err := p.pickTransforms(); err != nil {
		return nil, err
	}
	p.dual = len(p.used) <= max(mostDual, p.primalWidth())
	p.header.Landmarks, p.inMemory = len(p.used), math.MaxInt
	if !p.dual {
		p.inMemory = mostInMemory
		p.landmarks = spread(p.samples, mostLandmarks)
		p.header.Landmarks = len(p.landmarks)
	}
	return p, nil
}

// headerFor returns the header of a classifier of these samples, without transforms.
func (c Config) headerFor(samples []Sample) header {
	var lengths []int
	for _, s := range samples {
		lengths = append(lengths, len(s.Values)/c.Columns)
	}
	slices.Sort(lengths)
	h := header{
		Columns:      c.Columns,
		Classes:      c.Classes,
		Length:       lengths[len(lengths)/2],
		Longest:      lengths[len(lengths)-1],
		Features:     10_000,
		Groups:       64,
		Channels:     max(1, c.Channels),
		Turned:       c.Turned,
		Table:        c.Table,
		Added:        2,
		Centred:      true,
		Gaussians:    map[string]float64{},
		Directed:     c.Directed,
		Heights:      c.Heights,
		Placed:       c.Placed,
		LinksLearned: c.Relink != nil,
		links:        c.Links,
	}
	h.Frames = cmp.Or(c.Frames, h.Length)
	for h.Frames > 1 && h.Frames*c.Columns > features.MostValues {
		h.Frames /= 2
	}
	if c.Compact || len(samples) > mostDual { // whose features would take too much memory
		h.Features, h.Groups = 2_000, 16
	}
	return h
}

// pickTransforms puts the transforms that suit the samples into the header. It returns an error if one that is asked
// for by its name does not. That of stretched recordings was asked for by the name of another, and may be left out.
func (p *plan) pickTransforms() error {
	forest := !p.Compact && (p.Only == nil || slices.Contains(p.Only, Forest))
	for _, t := range features.All {
		if p.Compact && !t.InCompact {
			continue
		}
		asked := slices.Contains(p.Only, t.Option)
		lacks := t.Lacks(p.header.shape())
		if lacks != "" {
			if asked && t.Name == t.Option {
				return params.Errorf("transforms", nil, "the transform %q needs %s; leave it out", t.Name, lacks)
			}
			continue
		}
		if t.Prior > 0 && (asked || p.Only == nil) {
			p.header.Names = append(p.header.Names, t.Name)
		}
		if forest && t.InForest != nil && t.InForest(p.header.shape()) {
			p.header.Forest = append(p.header.Forest, t.Name)
		}
	}
	return nil
}

// primalWidth returns how many features the ridge classifier of most transforms would have a weight for. The one of
// the other transforms has fewer.
func (p *plan) primalWidth() (width int) {
	h := p.header
	h.Landmarks = 1 // for which little memory is made
	for _, t := range h.open().transforms {
		switch {
		case t.OwnRidge:
		case t.kernel != nil:
			width += mostLandmarks
		default:
			width += t.Width()
		}
	}
	return width
}

// Memory is about how many bytes Fit takes beside the samples. With a weight for each sample it holds the features
// twice, and six matrices of all samples. With a weight for each feature it holds the features of a block of samples,
// those of transforms that are small in all, and half of a matrix of the features. Before, while the forest grows, it
// holds what the trees read that grow at a time. Half as much waits to be collected.
func (c Config) Memory(samples []Sample) int {
	p, err := c.plan(samples)
	if err != nil {
		return 0
	}
	v := p.header.open()
	width, small, n := 0, 0, len(p.used)
	for _, t := range v.transforms {
		width += t.Width()
		small += min(4*n*t.Width(), mostInMemory)
	}
	held, more := 4*n*width, 4*n*width+48*n*n
	if !p.dual {
		held, more = small, 28*blockSize*width+4*width*width
	}
	if v.forest != nil {
		read := min(n, min(mostGrowing, runtime.GOMAXPROCS(0))*samplesOf(n, v.forest.width))
		more = max(more, 4*read*v.forest.width)
	}
	return (held + more) * 3 / 2
}
