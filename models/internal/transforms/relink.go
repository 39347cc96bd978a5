package transforms

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/models/internal/transforms/features"
)

// mostParts is how many parts of the samples are averaged along links that the others make. Each part costs a graph.
const mostParts = 4

// relinked has, for each part of the samples, maps along links that the part has not helped to make. It is empty if all
// samples are read by the same links.
type relinked struct {
	partOf []int // the part of each sample
	parts  []relinkedPart
}

// relinkedPart has the maps of one part in place of those of the classifier.
type relinkedPart struct {
	transforms map[string]*transform // those that average along links
	forest     *forest
}

// relink cuts the samples into parts, if links follow from samples, and opens the maps on the links that all samples
// but those of a part give. Sensors are linked that are alike in some samples, and in these they stay more alike than
// in new ones. So a transform that averages along links would learn features of training samples that no new sample
// has, and leave-one-out would find them perfect. Each training sample is therefore read by links that it has not
// helped to make (cross-fitting), as a new one is.
func (p *plan) relink(v *Classifier) (r relinked, err error) {
	alongLinks := func(name string) bool { return features.Find(name).AlongLinks }
	if p.Relink == nil || !slices.ContainsFunc(slices.Concat(v.Names, v.header.Forest), alongLinks) {
		return r, nil
	}
	var others [][]int
	r.partOf, others = p.cut()
	for part, some := range others {
		h := v.header
		h.links, err = p.Relink(some)
		if err != nil {
			return r, fmt.Errorf("links by the samples without part %d: %w", part+1, err)
		}
		r.parts = append(r.parts, h.relinkedPart(v.forest))
	}
	return r, nil
}

// relinkedPart opens the maps that average along links, on the links of the header. The forest of the part is a copy of
// the whole classifier's, which may be nil, with these maps in place of its own.
func (h header) relinkedPart(whole *forest) relinkedPart {
	part := relinkedPart{transforms: map[string]*transform{}}
	for _, name := range h.Names {
		kind := features.Find(name)
		if kind.AlongLinks {
			part.transforms[name] = &transform{Transform: kind, Map: kind.New(h.shape())}
		}
	}
	if whole == nil {
		return part
	}
	relinked := *whole
	relinked.maps = slices.Clone(whole.maps)
	for i, name := range whole.names {
		kind := features.Find(name)
		if kind.AlongLinks {
			relinked.maps[i] = kind.New(h.shape())
		}
	}
	part.forest = &relinked
	return part
}

// cut puts each sample into a part, and returns the samples that are not in each part, by their numbers among all
// samples. Groups stay whole, and each part has the same share of each class, as far as its groups allow: what is odd
// in the links of a part must not tell classes.
func (p *plan) cut() (partOf []int, others [][]int) {
	groups := groupsOf(p.samples)
	slices.SortStableFunc(groups, func(a, b []int) int {
		return cmp.Compare(p.samples[a[0]].Label, p.samples[b[0]].Label)
	})
	partOf, others = make([]int, len(p.samples)), make([][]int, min(mostParts, len(groups)))
	for at, group := range groups {
		own := at % len(others)
		for _, i := range group {
			partOf[i] = own
			for part := range others {
				if part != own {
					others[part] = append(others[part], p.used[i])
				}
			}
		}
	}
	return partOf, others
}

// forestFor returns the forest whose features a training sample has, in place of the classifier's.
func (r *relinked) forestFor(sample int, of *forest) *forest {
	if r.parts == nil {
		return of
	}
	return r.parts[r.partOf[sample]].forest
}

// transformFor returns the transform whose features a training sample has, in place of one of the classifier.
func (r *relinked) transformFor(sample int, t *transform) *transform {
	if r.parts == nil || !t.AlongLinks {
		return t
	}
	return r.parts[r.partOf[sample]].transforms[t.Name]
}
