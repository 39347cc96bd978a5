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
	text, list := newLines(r), edgeList{stated: -1}
	for line, ok := text.next(); ok; line, ok = text.next() {
		if err := list.read(line, text); err != nil {
			return nil, fmt.Errorf("line %d: %w", text.number, err)
		}
	}
	if err := text.err(); err != nil {
		return nil, err
	}
	n := list.stated
	if n < 0 {
		if len(text.edges) == 0 {
			return nil, errors.New("holds no edges; a graph without any takes a line such as '# nodes: 10'")
		}
		var err error
		if n, err = inferNodes(list.largest, len(text.edges), ", or state their number in a line such as '# nodes: 1000'"); err != nil {
			return nil, err
		}
	}
	return build(n, text.edges, text.name)
}

// edgeList is what has been learned of a list of edges so far.
type edgeList struct {
	columns int // of the first edge's line
	largest int // node
	stated  int // number of nodes, by `# nodes: N`; -1 before
	heading bool
}

func (l *edgeList) read(line string, text *lines) error {
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
	case len(text.edges) == 0 && !l.heading && isHeading(cells):
		l.heading = true
		return nil
	case l.columns == 0:
		l.columns = len(cells)
	}
	if len(cells) != l.columns || l.columns < 2 || l.columns > 3 {
		return fmt.Errorf("%d columns (%.40q), want two nodes and perhaps a weight, on every line alike", len(cells), line)
	}
	from, err := parseNode(cells[0])
	if err != nil {
		return err
	}
	to, err := parseNode(cells[1])
	if err != nil {
		return err
	}
	weight := 1.0
	if len(cells) == 3 {
		if weight, err = parseWeight(cells[2]); err != nil {
			return err
		}
	}
	l.largest = max(l.largest, from, to)
	text.add(Edge{from, to, weight})
	return nil
}

// comment understands ` nodes: N`; any other comment is just one.
func (l *edgeList) comment(text string) error {
	key, value, _ := strings.Cut(text, ":")
	if !strings.EqualFold(strings.TrimSpace(key), "nodes") || len(strings.Fields(value)) != 1 {
		return nil
	}
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil {
		return fmt.Errorf("'nodes:%s' is not a number of nodes", value)
	}
	if l.stated >= 0 && n != l.stated {
		return fmt.Errorf("%d nodes, but %d were stated before", n, l.stated)
	}
	l.stated = n
	return checkNodes(n)
}

// isHeading tells whether a first line names the columns: neither node is a number.
func isHeading(cells []string) bool {
	for _, cell := range cells[:min(2, len(cells))] {
		if _, err := strconv.ParseFloat(cell, 64); err == nil || errors.Is(err, strconv.ErrRange) || cell == "" {
			return false
		}
	}
	return len(cells) == 2 || len(cells) == 3
}

// parseNode reads a node's number. It may be written as a floating-point one, as numpy.savetxt does.
func parseNode(cell string) (int, error) {
	if node, err := strconv.Atoi(cell); err == nil {
		return node, nil
	}
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil || v != math.Trunc(v) || math.Abs(v) > 1<<53 {
		return 0, fmt.Errorf("node %.40q is not a whole number that counts from 0", cell)
	}
	return int(v), nil
}

func parseWeight(cell string) (float64, error) {
	weight, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		return 0, fmt.Errorf("weight %.40q is not a number", cell)
	}
	return weight, nil
}

// writeEdgeList writes the number of nodes and each edge once. Weights have as many digits as it takes to read them
// back exactly.
func writeEdgeList(separator string) func(w *bufio.Writer, m *Matrix) {
	return func(w *bufio.Writer, m *Matrix) {
		fmt.Fprintf(w, "# nodes: %d\n", m.N())
		for _, e := range m.EdgeList() {
			fmt.Fprintf(w, "%d%s%d%s%v\n", e.I, separator, e.J, separator, e.Weight)
		}
	}
}
