package training

import (
	"slices"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/models"
)

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
)

// AutoFill returns the spec with numbers that suit the graph for the open options, ccp_stem and ccp_hierarchies. If
// memberships are learned, it also gives large levels few candidates. Only prepared hierarchies and learned ones without
// candidates are several.
func AutoFill(s models.Spec, open ...string) models.Spec {
	small := s.Nodes <= autoNodes
	o := &s.Options
	if slices.Contains(open, "ccp_stem") && small && s.Channels < autoStem {
		o.Stem = autoStem
	}
	few := len(s.Levels) > 0 && s.Nodes*s.Levels[0].Clusters <= autoMemberships/4
	several := s
	several.Options.Hierarchies = autoHierarchies
	if slices.Contains(open, "ccp_hierarchies") && small && (o.Hierarchy == ccp.Prepared || o.Hierarchy == ccp.Learned && few) &&
		several.Check() == nil {
		s = several
	}
	nodes := s.Nodes
	for i, level := range s.Levels {
		large := nodes*level.Clusters > autoMemberships
		if !s.Clusters() || s.Options.Hierarchy == ccp.Prepared || !large ||
			max(level.Candidates, s.Options.Candidates) != 0 {
			break // a level has candidates only where the one before it has
		}
		s.Levels = slices.Clone(s.Levels)
		s.Levels[i].Candidates = min(autoCandidates, level.Clusters)
		nodes = level.Clusters
	}
	return s
}
