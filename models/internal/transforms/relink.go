package transforms

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/models/internal/transforms/features"
)

// mostParts is how many parts of the samples are averaged along links that the others make. Each part costs a graph.
const mostParts = 4

// relinked are the maps that average along links, on links that a part of the samples has not helped to make.
type relinked struct {
	transforms map[string]*transform
	forest     *forest
}

// relink cuts the samples into parts, if links follow from samples, and opens the maps on the links that all samples
// but those of a part give. Sensors are linked that are alike in some samples, and in these they stay more alike than
// in new ones. So a transform that averages along links would learn features of training samples that no new sample
// has, and leave-one-out would find them perfect. Each training sample is therefore read by links that it has not
// helped to make (cross-fitting), as a new one is.
func (f *fit) relink() error {
	alongLinks := func(name string) bool { return features.Find(name).AlongLinks }
	v := f.classifier
	if f.Relink == nil || !slices.ContainsFunc(slices.Concat(v.Names, v.header.Forest), alongLinks) {
		return nil
	}
	for part, some := range f.cut() {
		h := v.header
		var err error
		h.links, err = f.Relink(some)
		if err != nil {
			return fmt.Errorf("links by the samples without part %d: %w", part+1, err)
		}
		r := relinked{transforms: map[string]*transform{}}
		for _, name := range v.Names {
			if alongLinks(name) {
				r.transforms[name] = &transform{Transform: features.Find(name), Map: features.Find(name).New(h.shape())}
			}
		}
		if v.forest != nil {
			own := *v.forest
			own.maps = slices.Clone(own.maps)
			for i, name := range own.names {
				if alongLinks(name) {
					own.maps[i] = features.Find(name).New(h.shape())
				}
			}
			r.forest = &own
		}
		f.relinked = append(f.relinked, r)
	}
	return nil
}

// cut puts each sample into a part, and returns the samples that are not in each part, by their numbers among all
// samples. Groups stay whole, and each part has the same share of each class, as far as its groups allow: what is odd
// in the links of a part must not tell classes.
func (f *fit) cut() (others [][]int) {
	groups := groupsOf(f.samples)
	slices.SortStableFunc(groups, func(a, b []int) int {
		return cmp.Compare(f.samples[a[0]].Label, f.samples[b[0]].Label)
	})
	others = make([][]int, min(mostParts, len(groups)))
	for at, group := range groups {
		own := at % len(others)
		for _, i := range group {
			f.samples[i].part = own
			for part := range others {
				if part != own {
					others[part] = append(others[part], f.used[i])
				}
			}
		}
	}
	return others
}

// forestOf returns the forest whose features a training sample has.
func (f *fit) forestOf(s Sample) *forest {
	if f.relinked == nil {
		return f.classifier.forest
	}
	return f.relinked[s.part].forest
}

// mapOf returns the map in place of a transform whose features a training sample has.
func (f *fit) mapOf(v *transform, s Sample) *transform {
	if f.relinked == nil || !v.AlongLinks {
		return v
	}
	return f.relinked[s.part].transforms[v.Name]
}
