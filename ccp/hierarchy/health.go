package hierarchy

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Health measures how well one level of a hierarchy does its work.
type Health struct {
	Level      int `json:"level"` // counted from 1
	Nodes      int `json:"nodes"`
	Clusters   int `json:"clusters"`
	Neighbours int `json:"neighbours"` // L
	// InUse counts the clusters that some node belongs to more than to any other.
	InUse int `json:"in_use"`
	// Unselected is the share of the nodes that no neighbourhood holds. Their signals are lost to the levels above.
	Unselected float64 `json:"unselected"`
	// Overlap is the share of a neighbourhood that the most similar one holds too, as a mean over the clusters. It is
	// 0 if neighbourhoods are disjoint, and 1 if each has a double.
	Overlap float64 `json:"overlap"`
	// Entropy is the mean entropy of a node's memberships, as a share of its largest value: the log of the node's
	// choices. It is 0 for hard memberships, and 1 for uniform ones.
	Entropy float64 `json:"entropy"`
	// Objective is C, which is at most half the number of clusters.
	Objective float64 `json:"objective"`
	// GateLow and GateHigh are the range of the gates.
	GateLow  float64 `json:"gate_low"`
	GateHigh float64 `json:"gate_high"`
	// Warnings say in words what is wrong and what to do.
	Warnings []string `json:"warnings"`
}

// The bounds beyond which Health warns.
const (
	leastInUse      = 0.5
	leastCoverage   = 0.8
	mostSpread      = 0.5 // of a node over its clusters: 0 is one, 1 all of them; U as drawn gives about 0.6
	leastGateSpread = 1e-3
)

// Collapsed reports whether most clusters of the level are empty. Then it is the first of the Warnings.
func (h Health) Collapsed() bool { return float64(h.InUse) < leastInUse*float64(h.Clusters) }

// Health measures every level. objectives holds C of each level, which takes the graph; if it is nil, Objective stays
// 0.
func (h Levels) Health(objectives []float64) []Health {
	all := make([]Health, len(h))
	for i, l := range h {
		n := l.Memberships.Nodes()
		unread := Unread(slices.Concat(l.Neighbourhoods...), slices.Concat(l.Gates...), n)
		health := Health{Level: i + 1, Nodes: n, Clusters: l.Clusters, Neighbours: l.Neighbours,
			InUse:   len(distinct(l.Memberships.Hard())),
			Overlap: overlap(l.Neighbourhoods, n),
			GateLow: math.Inf(1), GateHigh: math.Inf(-1), Warnings: []string{}}
		health.Unselected = 1 - float64(n-len(unread))/float64(n)
		if l.Choices > 1 {
			for _, w := range slices.Concat(l.Memberships.weights...) {
				health.Entropy -= float64(w) * math.Log(float64(w))
			}
			health.Entropy /= float64(n) * math.Log(float64(l.Choices))
		}
		if objectives != nil {
			health.Objective = objectives[i]
		}
		for _, gates := range l.Gates {
			health.GateLow = min(health.GateLow, float64(slices.Min(gates)))
			health.GateHigh = max(health.GateHigh, float64(slices.Max(gates)))
		}
		health.warn(l.Choices, unread)
		all[i] = health
	}
	return all
}

// Unread lists those of n nodes that occur in no neighbourhood where weights, their gates or ranks, are positive. A
// slot of weight 0 is empty.
func Unread[T float32 | float64](neighbourhoods []int32, weights []T, n int) (nodes []int32) {
	read := make([]bool, n)
	for slot, i := range neighbourhoods {
		read[i] = read[i] || weights[slot] > 0
	}
	for i := range read {
		if !read[i] {
			nodes = append(nodes, int32(i))
		}
	}
	return nodes
}

// Coverage computes the share of n nodes that some neighbourhood reads, see Unread.
func Coverage[T float32 | float64](neighbourhoods []int32, weights []T, n int) float64 {
	return float64(n-len(Unread(neighbourhoods, weights, n))) / float64(n)
}

// distinct lists the numbers that occur in values, each once.
func distinct(values []int32) []int32 { return slices.Compact(slices.Sorted(slices.Values(values))) }

// overlap computes Health.Overlap for neighbourhoods of n nodes. A node counts once in each, though empty slots may
// repeat it.
func overlap(neighbourhoods [][]int32, n int) (sum float64) {
	holders := make([][]int, n)
	for k, nodes := range neighbourhoods {
		for _, i := range distinct(nodes) {
			holders[i] = append(holders[i], k)
		}
	}
	for k, nodes := range neighbourhoods {
		shared, most := map[int]int{}, 0 // with the other neighbourhoods
		for _, i := range distinct(nodes) {
			for _, other := range holders[i] {
				if other != k {
					shared[other]++
					most = max(most, shared[other])
				}
			}
		}
		sum += float64(most) / float64(len(nodes))
	}
	return sum / float64(len(neighbourhoods))
}

// remedy says what helps useless memberships.
const remedy = "use ccp_hierarchy=prepared, raise ccp_membership_rate, or train longer"

// warn adds the warnings of a level whose nodes may belong to so many clusters, and of which no neighbourhood holds the
// unread nodes.
func (h *Health) warn(choices int, unread []int32) {
	add := func(format string, values ...any) {
		h.Warnings = append(h.Warnings, fmt.Sprintf("level %d: ", h.Level)+fmt.Sprintf(format, values...))
	}
	if h.Collapsed() {
		add("collapsed: nodes use %d of its %d clusters only; %s", h.InUse, h.Clusters, remedy)
	}
	effective := math.Pow(float64(choices), h.Entropy) // clusters that a node is in: as many, alike, have this entropy
	if effective-1 > mostSpread*float64(choices-1) {
		add("its memberships are nearly uniform, as if a node were in %.0f of %d clusters alike: clusters hardly "+
			"differ; %s", effective, choices, remedy)
	}
	if loss := Loss(unread, h.Nodes, h.Clusters, h.Neighbours, choices); loss != "" {
		add("%s", loss)
	}
	if h.GateHigh < leastGateSpread {
		add("its gates are shut (at most %.1g): no signal passes; lower the learning rate", h.GateHigh)
	}
}

// Loss says how many of a level's nodes no neighbourhood reads, which they are, and what helps; "" if it reads most of
// them. choices is the number of clusters that a node may belong to, 1 if its memberships are not learned.
//
// Clusters that were searched lose nodes whose links lead to nodes of other clusters alone: such a node has no rank in
// its own, and the cluster of a hub, to which they lead, reads as many nodes as it has slots.
func Loss(unread []int32, nodes, clusters, size, choices int) string {
	if float64(len(unread)) <= (1-leastCoverage)*float64(nodes) {
		return ""
	}
	advice := remedy
	switch slots := clusters * size; {
	case float64(slots) < leastCoverage*float64(nodes):
		advice = fmt.Sprintf("its %d clusters of L=%d have %d slots only: give it more clusters or a larger L", clusters,
			size, slots)
	case choices == 1:
		advice = listed(unread) + " have no links within their own cluster, as where one node, a hub, has most links, or " +
			"all are linked " +
			"alike: leave out links that say little, give the level a larger L, or predict by transforms alone (--fast), " +
			"which read every node"
	}
	return fmt.Sprintf("no neighbourhood holds %.0f%% of its nodes, whose signals are lost; %s",
		100*float64(len(unread))/float64(nodes), advice)
}

// listed writes the first of some nodes, and how many more there are.
func listed(nodes []int32) string {
	const shown = 5
	names := make([]string, 0, shown)
	for _, node := range nodes[:min(shown, len(nodes))] {
		names = append(names, fmt.Sprint(node))
	}
	list := "nodes " + strings.Join(names, ", ")
	if more := len(nodes) - len(names); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
