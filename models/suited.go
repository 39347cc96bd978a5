package models

import "github.com/clusterpool/ccp/ccp"

// A graph of at most suitedNodes gets these where the settings leave it open, see docs/defaults.md. A stem takes the
// time and memory of convolutions at every node, and several hierarchies are computed side by side: large graphs get
// neither. A stem with no more filters than the signal has channels would only narrow it.
const (
	suitedNodes       = 4096
	suitedStem        = 16
	suitedHierarchies = 8
	// A node of a level with more memberships than these has four: a step takes half the time, and a short training
	// gets further.
	suitedMemberships = 1 << 22
	suitedCandidates  = 4
)

// Suited fills in what the settings leave open: the stem's filters, the number of hierarchies, and the candidates of
// large levels if memberships are learned. Only a prepared hierarchy can be one of several.
func (s Spec) Suited() Spec {
	small := s.Nodes <= suitedNodes
	s.Settings = s.Settings.With("", func(o *Options) {
		if o.Stem < 0 {
			o.Stem = 0
			if small && s.Channels < suitedStem {
				o.Stem = suitedStem
			}
		}
		if o.Hierarchies == 0 {
			o.Hierarchies = 1
			if small && o.Hierarchy == ccp.Prepared && o.Search != cutSearch && s.interchangeable() == nil {
				o.Hierarchies = suitedHierarchies
			}
		}
	})
	for i, level := range s.Levels {
		large := s.nodesAt(i)*level.Clusters > suitedMemberships
		if s.Plan() == ccp.Prepared || s.Settings.Level(i).Candidates != 0 || !large {
			break // a level has candidates only where the one before it has
		}
		s.Settings = s.Settings.With(levelName(i), func(o *Options) {
			o.Candidates = min(suitedCandidates, level.Clusters)
		})
	}
	return s
}
