package models

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/partition"
)

// LevelHealth says how well one level of a hierarchy does its work.
type LevelHealth struct {
	Level      int `json:"level"` // counted from 1
	Nodes      int `json:"nodes"`
	Clusters   int `json:"clusters"`
	Neighbours int `json:"neighbours"` // L
	// InUse counts the clusters that some node belongs to more than to any other.
	InUse int `json:"in_use"`
	// Unselected is the share of the nodes that no neighbourhood holds. Their signals are lost to the levels above.
	Unselected float64 `json:"unselected"`
	// Overlap is the share of a neighbourhood that the one most like it holds too, mean over the clusters: 0 where neighbourhoods
	// are disjoint, 1 where each has a double.
	Overlap float64 `json:"overlap"`
	// Entropy of a node's memberships, mean over the nodes, as a share of its largest possible value, log K or log of the number of
	// candidates: 0 where they are hard, 1 where they are uniform. It is 0 where a node has no choice.
	Entropy float64 `json:"entropy"`
	// Objective is C, which is at most half the number of clusters.
	Objective float64 `json:"objective"`
	// GateLow and GateHigh are the range of the gates.
	GateLow  float64 `json:"gate_low"`
	GateHigh float64 `json:"gate_high"`
	// Warnings say in words what is wrong and what to do; empty where nothing is.
	Warnings []string `json:"warnings"`
}

// The bounds beyond which Health warns.
const (
	leastInUse      = 0.5
	leastCoverage   = 0.8
	mostSpread      = 0.5 // of a node over its clusters: 0 is one, 1 all of them; U as drawn at the start gives about 0.6
	leastGateSpread = 1e-3
)

// Collapsed says whether most clusters of the level stand empty, which is the first of its Warnings then.
func (h LevelHealth) Collapsed() bool { return float64(h.InUse) < leastInUse*float64(h.Clusters) }

// Health measures every level of the hierarchy, and says which have collapsed. For a learned hierarchy that was loaded it
// compiles the network once more to compute C. Errors are those of ClusterLevels and of that computation.
func (c *Classifier) Health() ([]LevelHealth, error) {
	levels, err := c.ClusterLevels()
	if err != nil {
		return nil, err
	}
	objectives, err := c.objectives()
	if err != nil {
		return nil, fmt.Errorf("computing C: %w", err)
	}
	health := levels.Health()
	for i := range health {
		health[i].Objective = objectives[i]
	}
	return health, nil
}

// Health measures every level but for C, which takes the graph: Objective is left 0, see Classifier.Health.
func (h ClusterLevels) Health() []LevelHealth {
	health := make([]LevelHealth, len(h))
	for i, level := range h {
		health[i] = level.health()
		health[i].Level = i + 1
		health[i].warn(level.Choices)
	}
	return health
}

func (l ClusterLevel) health() LevelHealth {
	n := l.Memberships.Nodes()
	health := LevelHealth{Nodes: n, Clusters: l.Clusters, Neighbours: l.Neighbours, GateLow: math.Inf(1), GateHigh: math.Inf(-1), Warnings: []string{}}
	used := make([]bool, l.Clusters)
	for _, k := range l.Memberships.Hard() {
		if !used[k] {
			used[k] = true
			health.InUse++
		}
	}
	health.Unselected = 1 - ccp.Coverage(slices.Concat(l.Neighbourhoods...), n)
	health.Overlap = overlap(l.Neighbourhoods, n)
	if l.Choices > 1 {
		for i := range n {
			_, weights := l.Memberships.Row(i)
			for _, w := range weights {
				health.Entropy -= float64(w) * math.Log(float64(w))
			}
		}
		health.Entropy /= float64(n) * math.Log(float64(l.Choices))
	}
	for _, gates := range l.Gates {
		health.GateLow = min(health.GateLow, float64(slices.Min(gates)))
		health.GateHigh = max(health.GateHigh, float64(slices.Max(gates)))
	}
	return health
}

// overlap is LevelHealth.Overlap of neighbourhoods of n nodes.
func overlap(neighbourhoods [][]int32, n int) (sum float64) {
	holders := make([][]int32, n)
	for k, nodes := range neighbourhoods {
		for _, i := range nodes {
			holders[i] = append(holders[i], int32(k))
		}
	}
	shared, touched := make([]int, len(neighbourhoods)), []int32(nil)
	for k, nodes := range neighbourhoods {
		most := 0
		for _, i := range nodes {
			for _, other := range holders[i] {
				if int(other) == k {
					continue
				}
				if shared[other] == 0 {
					touched = append(touched, other)
				}
				shared[other]++
				most = max(most, shared[other])
			}
		}
		sum += float64(most) / float64(len(nodes))
		for _, other := range touched { // clearing all of them would take time with the square of the clusters
			shared[other] = 0
		}
		touched = touched[:0]
	}
	return sum / float64(len(neighbourhoods))
}

// remedy is what helps memberships that are of no use.
const remedy = "use --hierarchy prepared or refined, raise ccp_membership_rate, or train longer"

// warn fills in the warnings.
func (h *LevelHealth) warn(choices int) {
	add := func(format string, values ...any) {
		h.Warnings = append(h.Warnings, fmt.Sprintf("level %d: ", h.Level)+fmt.Sprintf(format, values...))
	}
	if h.Collapsed() {
		add("collapsed: nodes use %d of its %d clusters only; %s", h.InUse, h.Clusters, remedy)
	}
	effective := math.Pow(float64(choices), h.Entropy) // clusters that a node is in: as many, alike, have this entropy
	if effective-1 > mostSpread*float64(choices-1) {
		add("its memberships are nearly uniform, as if a node were in %.0f of %d clusters alike: clusters hardly differ; %s", effective, choices, remedy)
	}
	if 1-h.Unselected < leastCoverage {
		places := h.Clusters * h.Neighbours
		advice := remedy
		if float64(places) < leastCoverage*float64(h.Nodes) {
			advice = fmt.Sprintf("its %d clusters of L=%d have %d places only: give it more clusters or a larger L", h.Clusters, h.Neighbours, places)
		}
		add("no neighbourhood holds %.0f%% of its nodes, whose signals are lost; %s", 100*h.Unselected, advice)
	}
	if h.GateHigh < leastGateSpread {
		add("its gates are shut (at most %.1g): no signal passes; lower the learning rate", h.GateHigh)
	}
}

// objectives is C of each level.
func (c *Classifier) objectives() ([]float64, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return nil, ErrClosed
	}
	if len(c.Hierarchy.Objective) > 0 {
		return c.Hierarchy.Objective, nil
	}
	if c.Spec.hierarchy() == ccp.Prepared {
		return c.preparedObjectives()
	}
	// A classifier of its own, since freezing changes what the layers see, be it by the last bit.
	other, err := NewClassifier(c.backend, c.Metadata, c.Graph)
	if err != nil {
		return nil, err
	}
	for v := range c.store.IterVariables() {
		if IsWeight(v) {
			if err := copyValue(v, other.store, v.Path()); err != nil {
				return nil, errors.Join(err, other.Close())
			}
		}
	}
	objectives, _, err := other.freezer.Freeze()
	return objectives, errors.Join(err, other.Close())
}

// preparedObjectives computes C of hard memberships on the host, in time linear in the edges.
func (c *Classifier) preparedObjectives() (objectives []float64, err error) {
	a := c.Graph
	if normalize, ok := c.Spec.Params[ParamNormalizeInput].(bool); !ok || normalize {
		a = a.Normalized()
	}
	for i, l := range c.Spec.Levels {
		cluster, err := values[int32](c.store.Scope(fmt.Sprintf("/model/level_%d", i+1)), "clusters", a.N())
		if err != nil {
			return nil, err
		}
		objectives = append(objectives, partition.Objective(a, cluster, l.Clusters))
		if a, err = partition.Coarsen(a, cluster, l.Clusters); err != nil {
			return nil, err
		}
	}
	return objectives, nil
}
