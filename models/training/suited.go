package training

import (
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/internal/transforms"
)

// The length of a training that is left to the data.
const (
	leastSteps  = 1200 // fewer leave the networks under-trained, even if there are few samples
	leastBeside = 600  // of a network beside transforms, unless it reads long recordings
	usualPasses = 40
	usualSeen   = 300_000 // samples, all passes together
	leastPasses = 10
	usualEpochs = 20 // how often such a training is looked at and saved
)

const (
	// bfloat16Products is the least number of multiply-adds of the levels in a step for which bfloat16 is faster: a
	// network with 2³⁰ was, one with 2²⁷ was not.
	bfloat16Products = 1 << 29
	// Recordings of so many frames, and at most so many nodes, are read by a network for series. Package datasets
	// gives most recordings no more nodes.
	manyFrames, fewNodes = 64, 2048
	// manyNodes is the number of nodes for each training sample above which the samples are few.
	manyNodes = 16
)

// suited returns what suits the data, by name, for the options of a configuration that are left to it. c has its
// levels and hidden layers already. What depends on the network follows in suitNetwork. It is an error if that would
// be more steps than mostSteps.
func (p draftConfig) suited(c Config, d *datasets.Dataset) (Patch, error) {
	long := p.isLong(c, d)
	values := suitedReading(d, long)
	if suitsTransforms(c, d) && p.isDefault("ccp_hierarchy") && p.isDefault("levels") {
		values["transforms"] = transforms.All // whoever asks for a hierarchy or levels wants the network
	}
	n := len(d.Train)
	if p.open["batch"] {
		c.Batch = suitedBatch(n)
		values["batch"] = c.Batch
	}
	c.Batch = min(c.Batch, n)
	switch {
	case p.open["epochs"]:
		if p.open["steps"] {
			c.Steps = suitedSteps(n, c.Batch, long, c.Model == "ccp" && few(d), p.besideTransforms(values))
			values["steps"] = c.Steps
		}
		values["epochs"] = min(usualEpochs, c.Steps)
	case p.open["steps"]:
		perEpoch := n / c.Batch
		if c.Epochs > mostSteps/perEpoch {
			return nil, params.Errorf("epochs", c.Epochs, "epochs of %s make more than the %s steps that a training may "+
				"have; lower them", text.Count(perEpoch, "step"), text.Thousands(mostSteps))
		}
		values["steps"] = c.Epochs * perEpoch
	}
	return values, nil
}

// besideTransforms reports whether the network is one member among transforms, by what is asked and what suits the
// data.
func (p draftConfig) besideTransforms(suited Patch) bool {
	if p.open["transforms"] {
		return suited["transforms"] == transforms.All
	}
	return p.Transforms != "" && p.Transforms != transforms.None
}

// isLong reports whether the data are recordings of many frames, which the model ccp with levels of its own choice
// reads by the network for long series.
func (p draftConfig) isLong(c Config, d *datasets.Dataset) bool {
	return c.Model == "ccp" && d.Form != nil && d.Form.Frames >= manyFrames && d.Nodes <= fewNodes &&
		p.isDefault("levels")
}

// suitedReading returns how a network reads the data, by the tags auto of the options: there is a value for long
// recordings, and a value for all other data. But signals on a graph that is no image have directed slots, as long
// recordings have.
func suitedReading(d *datasets.Dataset, long bool) Patch {
	oneFrame := d.Form != nil && d.Form.Frames == 1 // a signal with gaps
	signals := d.Form == nil && d.Grid == nil || oneFrame
	values := Patch{}
	for _, f := range params.Fields(configType) {
		plain, forLong, both := strings.Cut(f.Auto, "|")
		switch {
		case !both:
		case long || f.Name == "ccp_slots" && signals:
			values[f.Name] = forLong
		default:
			values[f.Name] = plain
		}
	}
	return values
}

// suitedBatch returns an eighth of n samples, as a power of two from 16 to 64.
func suitedBatch(n int) int {
	batch := 16
	for batch < 64 && 16*batch <= n {
		batch *= 2
	}
	return batch
}

// suitedSteps returns the number of steps of a training on n samples: usualPasses over them, but leastPasses at
// least, and neither fewer than leastSteps nor more than usualSeen samples. A network that predicts long recordings
// alone needs twice as many. One that reads no long recordings beside transforms needs half as many at least. On few
// samples a network predicts as well after half the steps.
func suitedSteps(n, batch int, long, few, besideTransforms bool) int {
	passes := min(usualSeen, usualPasses*n) / batch
	steps := max(leastSteps, passes)
	switch {
	case long && !besideTransforms:
		steps *= 2
	case besideTransforms && !long:
		steps = max(leastBeside, passes)
	case few && !long:
		steps /= 2
	}
	return max(steps, leastPasses*n/batch)
}

// suitNetwork returns the spec of a network with values that suit the data, for the options that are left to it.
// There is no stem if samples are few: it would take most of the time and give nothing.
func (p draftConfig) suitNetwork(s models.Spec, batch int, d *datasets.Dataset) models.Spec {
	open := slices.DeleteFunc(sorted(p.open), func(name string) bool { return name == "ccp_stem" && few(d) })
	s = AutoFill(s, open...)
	pooling, _ := products(s)
	if p.open["dtype"] && backend.MultipliesBFloat16() && float64(batch)*pooling >= bfloat16Products {
		s.Options.DType = nn.BFloat16
	}
	return s
}

// few reports whether a data set has few samples for its nodes.
func few(d *datasets.Dataset) bool { return d.Nodes > manyNodes*len(d.Train) }

// products counts the multiplications of a network's filters for one signal, in one hierarchy. pooling counts those
// of filters whose results are pooled.
func products(s models.Spec) (pooling, all float64) {
	for _, l := range s.Layers() {
		all += l.Products
		if l.Pools {
			pooling += l.Products
		}
	}
	return pooling, all
}

// A graph of at most autoNodes gets these where the settings leave it open, see docs/defaults.md. A stem takes the
// time and memory of convolutions at every node, and several hierarchies are computed side by side: large graphs get
// neither. A stem with no more filters than the signal has channels would only narrow it.
const (
	autoNodes       = 4096
	autoStem        = 16
	autoHierarchies = 8
	// A node of a level with more memberships than these has four: a step takes half the time, and a short training
	// gets further.
	autoMemberships = 1 << 22
	autoCandidates  = 4
	// Each of autoHierarchies has memberships of its own. They are learned together if level 1 has at most so many in
	// each: 8 times these are twice as many as one hierarchy may have without candidates.
	severalMemberships = autoMemberships / 4
)

// AutoFill returns the spec with numbers that suit the graph for the open options, of which it knows ccp_stem and
// ccp_hierarchies. If memberships are not prepared, it also gives large levels few candidates.
func AutoFill(s models.Spec, open ...string) models.Spec {
	small := s.Nodes <= autoNodes
	if small && s.Channels < autoStem && slices.Contains(open, "ccp_stem") {
		s.Options.Stem = autoStem
	}
	if small && slices.Contains(open, "ccp_hierarchies") && canBeSeveral(s) {
		several := s
		several.Options.Hierarchies = autoHierarchies
		if several.Check() == nil {
			s = several
		}
	}
	return withCandidates(s)
}

// canBeSeveral reports whether AutoFill may choose several hierarchies for a network: always if they are prepared; if
// they are learned, where level 1 has at most severalMemberships; never if they are random.
func canBeSeveral(s models.Spec) bool {
	switch s.Options.Hierarchy {
	case ccp.Prepared:
		return true
	case ccp.Learned:
		return len(s.Levels) > 0 && s.Nodes*s.Levels[0].Clusters <= severalMemberships
	}
	return false
}

// withCandidates returns the spec with few candidates for each large level whose memberships are not prepared. A
// level can have candidates only where the one before it has, so that it ends at the first level that needs none, or
// has some already.
func withCandidates(s models.Spec) models.Spec {
	if !s.Clusters() || s.Options.Hierarchy == ccp.Prepared || s.Options.Candidates != 0 {
		return s
	}
	nodes := s.Nodes
	for i, level := range s.Levels {
		if nodes*level.Clusters <= autoMemberships || level.Candidates != 0 {
			break
		}
		s.Levels = slices.Clone(s.Levels)
		s.Levels[i].Candidates = min(autoCandidates, level.Clusters)
		nodes = level.Clusters
	}
	return s
}
