package affinity

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadEdgeList(t *testing.T) {
	for _, c := range []struct {
		text  string
		n     int
		edges []Edge
	}{
		{"0,1\n1,2\n", 3, []Edge{{0, 1, 1}, {1, 2, 1}}},
		{"0 1 2.5\n2\t1  1e-3", 3, []Edge{{0, 1, 2.5}, {1, 2, 0.001}}},
		{"\ufeffsource , target, weight\r\n# a comment\r\n\r\n 0 , 1 , 3 \r\n1,0,3\r\n", 2, []Edge{{0, 1, 3}}},
		{"0,1,1\n# nodes: 5\n", 5, []Edge{{0, 1, 1}}},
		{"#Nodes:5\n0,1\n# nodes: 5\n", 5, []Edge{{0, 1, 1}}},
		{"# Nodes: 4039 Edges: 88234\n# nodes:\n0 1\n", 2, []Edge{{0, 1, 1}}},
		{"# nodes: 2\n", 2, []Edge{}},
		{"# nodes: 1000000\n0 1\n", 1000000, []Edge{{0, 1, 1}}},
		{"3,3,2\n1,2,0\n", 4, []Edge{{3, 3, 2}}},
		{"0,163\n", 164, []Edge{{0, 163, 1}}},
	} {
		m, err := readEdgeList(strings.NewReader(c.text))
		require.NoError(t, err, c.text)
		assert.Equal(t, c.n, m.N(), c.text)
		assert.Equal(t, c.edges, m.EdgeList(), c.text)
	}
}

func TestReadEdgeListErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "holds no edges; a graph without any takes a line such as '# nodes: 10'"},
		{"i,j\n", "holds no edges"},
		{"i,j\nk,l\n", `line 2: node "k" is not a whole number`},
		{"0,x\n", `line 1: node "x" is not a whole number`},
		{"0.5,1\n", `line 1: node "0.5" is not a whole number`},
		{"0,1e300\n", `line 1: node "1e300"`},
		{"0,99999999999999999999\n", `line 1: node "99999999999999999999"`},
		{"nan nan\n", `line 1: node "nan"`},
		{"0,1,x\n", `line 1: weight "x" is not a number`},
		{"0,1,1e999\n", `line 1: weight "1e999" is not a number`},
		{"0,1,\n", `line 1: weight "" is not a number`},
		{"0,,1\n", `line 1: node "" is not a whole number`},
		{"0\n", "line 1: 1 columns"},
		{"0,1,2,3\n", "line 1: 4 columns"},
		{"0,1\n\n1,2,3\n", `line 3: 3 columns ("1,2,3"), want two nodes`},
		{"0,1\n-1,2\n", "line 2 (-1-2): node -1 is not one of the 3 nodes"},
		{"0 1 nan\n", "line 1 (0-1): weight NaN"},
		{"0 1 inf\n", "line 1 (0-1): weight +Inf"},
		{"0,1,2\n#\n1,0,3\n", "line 3 gives 0-1 the weight 3, but line 1 gives it 2"},
		{"0,164\n", "node 164 in a list of only 1 edges; nodes count from 0 without large gaps, renumber them, or state"},
		{"0,4000000000\n", "node 4000000000 in a list of only 1 edges"},
		{"# nodes: 2\n0,2\n", "line 2 (0-2): node 2 is not one of the 2 nodes"},
		{"# nodes: x\n0,1\n", "line 1: 'nodes: x' is not a number of nodes"},
		{"# nodes: -1\n", "line 1: -1 nodes"},
		{"# nodes: 4000000000\n", "line 1: 4000000000 nodes; a graph has 0 to 16777216"},
		{"# nodes: 3\n0,1\n# nodes: 4\n", "line 3: 4 nodes, but 3 were stated before"},
		{"0,1\n" + strings.Repeat("1", maxLine+1), "line 2: longer than 1048576 bytes"},
	} {
		_, err := readEdgeList(strings.NewReader(c.text))
		assert.ErrorContains(t, err, c.want)
	}
}

func TestReadMatrixMarketVariants(t *testing.T) {
	for _, text := range []string{
		"%%MatrixMarket MATRIX Coordinate Pattern Symmetric\n% comment\n\n3 3 2\n2 1\n% another\n3 1\n",
		"%%MatrixMarket matrix coordinate pattern general\n3 3 4\n2 1\n1 3\n3 1\n1 2\n",
		"%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n2 1 1\n3 1 1\n3 3 0\n",
		"%%MatrixMarket matrix array integer symmetric\n3 3\n0 1 1\n0 0\n0\n",
		"%%MatrixMarket matrix array real general\n3 3\n0\n1\n1\n1\n0\n0\n1\n0\n0\n",
	} {
		m, err := readMatrixMarket(strings.NewReader(text))
		require.NoError(t, err, text)
		assert.Equal(t, 3, m.N())
		assert.Equal(t, []Edge{{0, 1, 1}, {0, 2, 1}}, m.EdgeList(), text)
	}
}

func TestReadMatrixMarketErrors(t *testing.T) {
	const symmetric = "%%MatrixMarket matrix coordinate real symmetric\n"
	const general = "%%MatrixMarket matrix coordinate real general\n"
	const array = "%%MatrixMarket matrix array real general\n"
	for _, c := range []struct{ text, want string }{
		{"0,1\n", "line 1: want '%%MatrixMarket matrix' and its format"},
		{"%%MatrixMarket vector coordinate real general\n", "line 1: want '%%MatrixMarket matrix'"},
		{"%%MatrixMarket matrix sparse real general\n", `line 1: "sparse" is not supported; want one of coordinate, array`},
		{"%%MatrixMarket matrix coordinate complex general\n", `line 1: "complex" is not supported; want one of real, integer, pattern`},
		{"%%MatrixMarket matrix coordinate real skew-symmetric\n", `line 1: "skew-symmetric" is not supported`},
		{"%%MatrixMarket matrix array pattern general\n", "line 1: an array has values, not a pattern"},
		{symmetric, "line 1: ends before its sizes"},
		{symmetric + "3 3\n", "line 2: 2 sizes, want 3"},
		{symmetric + "3 3 x\n", `line 2: size "x" is not a count`},
		{symmetric + "3 3 -1\n", `line 2: size "-1" is not a count`},
		{symmetric + "3 4 1\n", "line 2: 3 rows and 4 columns; a graph's matrix is square"},
		{symmetric + "4000000000 4000000000 1\n", "line 2: 4000000000 nodes"},
		{symmetric + "3 3 1\n2 1\n", "line 3: 2 columns; want row, column"},
		{symmetric + "3 3 1\n0 1 1\n", `line 3: "0" is not a row or column from 1 to 3`},
		{symmetric + "3 3 1\n4 1 1\n", `line 3: "4" is not a row or column from 1 to 3`},
		{symmetric + "3 3 1\n2 1 x\n", `line 3: weight "x" is not a number`},
		{symmetric + "3 3 1\n1 2 1\n", "line 3: (1,2) is above the diagonal"},
		{symmetric + "3 3 1\n2 1 -1\n", "line 3 (1-0): weight -1"},
		{symmetric + "3 3 1\n2 1 1\n3 1 1\n", "line 4: more than the 1 entries"},
		{symmetric + "3 3 2\n2 1 1\n", "line 3: ends after 1 of the 2 entries"},
		{symmetric + "3 3 9000000000000000000\n2 1 1\n", "ends after 1 of the 9000000000000000000 entries"},
		{general + "3 3 1\n2 1 1\n", "not symmetric: (0,1) is 0 but (1,0) is 1"},
		{general + "3 3 3\n2 1 1\n1 2 1\n2 1 1\n", "line 5: (1,0), counted from 0, was there before, at line 3"},
		{array + "2 2\n0 1 1\n", "line 3: ends after 3 of the 4 entries"},
		{array + "2 2\n0 1 1 0 0\n", "line 3: more than the 4 entries"},
		{array + "2 2\n0 x\n", `line 3: weight "x" is not a number`},
		{array + "16777216 16777216\n", "line 2: ends after 0 of the 281474976710656 entries"},
	} {
		_, err := readMatrixMarket(strings.NewReader(c.text))
		assert.ErrorContains(t, err, c.want)
	}
}
