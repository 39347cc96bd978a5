package datasets

import (
	"fmt"

	"github.com/clusterpool/ccp/datasets/skeleton"
)

// NodeName is the name of node i for people: its own, such as a word or "head@12", or else its place on the grid, or else its
// number.
func (d *Dataset) NodeName(i int) string {
	switch {
	case d.NodeNames != nil:
		return d.NodeNames[i]
	case d.Grid != nil:
		return fmt.Sprintf("row %d column %d", i/d.Grid[1], i%d.Grid[1])
	}
	return fmt.Sprintf("node %d", i)
}

// JointNames are the names of a skeleton's joints, in the order of the columns of Grid; nil where the nodes are not joints or
// have no names.
func (d *Dataset) JointNames() []string {
	if d.Parts == nil || d.NodeNames == nil {
		return nil
	}
	return skeleton.JointNames(d.NodeNames, d.Grid[1])
}
