package datasets

// This file asks whether the graph that was given is that of the values: whether linked nodes are alike, and nodes with
// heavier links more so.

import (
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets/internal/audit"
)

const (
	mostAskedNodes = 4_000
	fromOne        = 8 // deviations that links have if they are counted from 0
	clearly        = 4 // deviations by which they are as they should be, and more than if they were counted from 0
)

// What Finding.What says of links.
const (
	fromOneText  = "counted from 1"
	perhapsText  = "perhaps counted from 1"
	distanceText = "weights that are distances"
	weightText   = "weights that say nothing"
)

// linkFinding tells of a graph whose links have nothing to do with the values of the nodes; nil if they have, or if the
// graph was made of the values. found is what is known already.
func (d *Dataset) linkFinding(samples *audit.Samples, found Findings) *Finding {
	l := d.comparedLinks(samples)
	areDistances := func(f Finding) bool { return f.Kind == ofGraph && strings.Contains(f.text, similarity) }
	if l == nil {
		if d.fromOne {
			return &Finding{Kind: ofLinks, Level: question, What: perhapsText}
		}
		return nil
	}
	areRight := l.Deviations > clearly && l.Deviations > l.FromZero && !math.IsInf(l.Deviations, 1) // where links tell
	switch {
	case l.FromZero > fromOne && l.FromZero > 2*l.Deviations:
		return &Finding{Kind: ofLinks, Level: warning, What: fromOneText}
	case d.fromOne && !areRight:
		return &Finding{Kind: ofLinks, Level: question, What: perhapsText}
	case l.AreDistances() && !slices.ContainsFunc(found, areDistances):
		return &Finding{Kind: ofLinks, Level: warning, What: distanceText, Seen: l.ByWeight}
	case l.Unrelated() && l.Dense:
		return &Finding{Kind: ofLinks, Level: question, What: weightText, Seen: l.ByWeight}
	case l.Unrelated():
		return &Finding{Kind: ofLinks, Level: question, Seen: l.Correlation, Drawn: l.Drawn}
	}
	return nil
}

// comparedLinks compares the links of the nodes with links of drawn nodes. It is nil where samples are recordings, as
// what goes along links may come later, and of very large graphs.
func (d *Dataset) comparedLinks(samples *audit.Samples) *audit.Links {
	if d.Series != nil || d.GraphLearned() || d.Nodes > mostAskedNodes {
		return nil
	}
	var links []audit.Link
	for _, edge := range d.Affinity.EdgeList() {
		if edge.I != edge.J {
			links = append(links, audit.Link{I: edge.I, J: edge.J, Weight: edge.Weight})
		}
	}
	compared := samples.LinksOf(links, d.Nodes)
	return &compared
}
