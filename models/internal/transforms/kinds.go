package transforms

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/suggest"
)

// The names of the transforms, and of the forest that reads some of them.
const (
	MiniRocket = "minirocket"
	Hydra      = "hydra"
	Shapelets  = "shapelets"
	Values     = "values"
	Forest     = "forest"
)

// kind is a transform that a fit can take.
type kind struct {
	name  string
	lacks func(h header) string // what the samples lack for it; "" for nothing
	open  func(h header) featureMap
	// prior is the weight of a transform in the ridge classifier whose loss is that of another with the prior 1; 0: only the forest
	// reads it. Random kernels of many shapes have a greater one: few held-out samples cannot tell transforms apart, and new ones
	// are predicted best by these.
	prior float64
	bent  bool // the ridge classifier compares its features, which are few, by a kernel
	trees bool // the forest reads its features, which nothing random is in
	graph bool // its features tell of links, or of which sensor is before another
	walks bool // it averages along links
	paced bool // there is one of recordings stretched to one length, too
	apart bool // a ridge classifier of its own reads it
}

// kinds are all transforms. Values come behind the others: their number of frames is chosen beside these.
var kinds = withStretched([]kind{
	{name: MiniRocket, lacks: lacksTaps(slots), open: newMiniRocket, prior: 3, paced: true},
	{name: Hydra, lacks: lacksTaps(taps), open: newHydra, prior: 3, paced: true},
	{name: Shapelets, lacks: lacksTaps(shapeletTaps), open: newShapelets, prior: 3, paced: true, apart: true},
	{name: "power", lacks: header.lacksSeries, open: newPower, prior: 1, bent: true, trees: true, paced: true},
	{name: "lags", lacks: header.lacksLags, open: newLags, prior: 1, trees: true, graph: true},
	{name: "scattering", lacks: header.lacksScattering, open: newScattering, prior: 1, trees: true, graph: true, walks: true},
	{name: "averages", lacks: header.lacksAverages, open: newAverages, prior: 1, bent: true, trees: true, graph: true, walks: true},
	{name: "intervals", lacks: header.lacksIntervals, open: newIntervals, trees: true, paced: true},
	{name: Values, lacks: header.lacksValues, open: newValues, prior: 1, bent: true, trees: true},
})

// kindOf returns the transform of a name; nil if there is none.
func kindOf(name string) *kind {
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if at < 0 {
		return nil
	}
	return &kinds[at]
}

// names lists what the option can name: the transforms, and the forest. A transform's name stands for that of stretched
// recordings as well.
func names() (all []string) {
	for _, k := range kinds {
		if k.prior > 0 && k.name == basis(k.name) {
			all = append(all, k.name)
		}
	}
	return append(all, Forest)
}

// All is the value of the option transforms that uses every transform that suits the samples. None uses none.
const (
	All  = "all"
	None = "none"
)

// Parse reads the option: All, None, or names. It returns the names; nil means the transforms that suit the samples.
func Parse(option string) (some []string, err error) {
	if option == All || option == None {
		return nil, nil
	}
	for name := range strings.SplitSeq(option, ",") {
		if !slices.Contains(names(), name) {
			return nil, fmt.Errorf("transforms: there is no %q; %s; join several by commas", name,
				suggest.Among(name, append([]string{All, None}, names()...)))
		}
		some = append(some, name)
	}
	return some, nil
}
