package affinity

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// readEdgeList reads edges as text: see ReadFile.
func readEdgeList(r io.Reader) (*Matrix, error) {
	l := edgeList{nodes: -1}
	if err := l.scan(r, l.read); err != nil {
		return nil, err
	}
	if l.nodes < 0 {
		if len(l.edges) == 0 {
			return nil, errors.New("holds no edges; a graph without any takes a line such as '# nodes: 10'")
		}
		var err error
		if l.nodes, err = inferNodes(l.largest, len(l.edges), ", or state their number in a line such as '# nodes: 1000'"); err != nil {
			return nil, err
		}
	}
	return build(l.nodes, l.edges, l.name)
}

// edgeList is a list of edges as far as it has been read.
type edgeList struct {
	lines
	columns int // of the first edge's line
	largest int // node
	nodes   int // by `# nodes: N`; -1 before
	heading bool
}

func (l *edgeList) read(line string) error {
	if comment, ok := strings.CutPrefix(line, "#"); ok {
		return l.comment(comment)
	}
	cells := strings.Fields(line)
	if strings.Contains(line, ",") {
		cells = strings.Split(line, ",")
		for i, cell := range cells {
			cells[i] = strings.TrimSpace(cell)
		}
	}
	switch {
	case line == "":
		return nil
	case len(l.edges) == 0 && !l.heading && isHeading(cells):
		l.heading = true
		return nil
	case l.columns == 0:
		l.columns = len(cells)
	}
	if len(cells) != l.columns || l.columns < 2 || l.columns > 3 {
		return fmt.Errorf("%d columns (%.40q), want two nodes and perhaps a weight, on every line alike", len(cells), line)
	}
	var ends [2]int
	for k := range ends {
		v, err := strconv.ParseFloat(cells[k], 64) // numpy.savetxt writes whole numbers as floating-point ones
		if err != nil || v != math.Trunc(v) || math.Abs(v) > 1<<53 {
			return fmt.Errorf("node %.40q is not a whole number that counts from 0", cells[k])
		}
		ends[k] = int(v)
		l.largest = max(l.largest, ends[k])
	}
	weight := "1"
	if len(cells) == 3 {
		weight = cells[2]
	}
	return l.add(ends[0], ends[1], weight)
}

// comment understands ` nodes: N` and ignores other comments.
func (l *edgeList) comment(text string) error {
	key, value, _ := strings.Cut(text, ":")
	if !strings.EqualFold(strings.TrimSpace(key), "nodes") || len(strings.Fields(value)) != 1 {
		return nil
	}
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil {
		return fmt.Errorf("'nodes:%s' is not a number of nodes", value)
	}
	if l.nodes >= 0 && n != l.nodes {
		return fmt.Errorf("%d nodes, but %d were stated before", n, l.nodes)
	}
	l.nodes = n
	return checkNodes(n)
}

// isHeading says that a first line names the columns: neither node is a number.
func isHeading(cells []string) bool {
	for _, cell := range cells[:min(2, len(cells))] {
		if _, err := strconv.ParseFloat(cell, 64); err == nil || errors.Is(err, strconv.ErrRange) || cell == "" {
			return false
		}
	}
	return len(cells) == 2 || len(cells) == 3
}

// writeEdgeList writes the number of nodes and each edge once, with weights that read back exactly.
func writeEdgeList(separator string) func(w *bufio.Writer, m *Matrix) {
	return func(w *bufio.Writer, m *Matrix) {
		fmt.Fprintf(w, "# nodes: %d\n", m.N())
		for _, e := range m.EdgeList() {
			fmt.Fprintf(w, "%d%s%d%s%v\n", e.I, separator, e.J, separator, e.Weight)
		}
	}
}
