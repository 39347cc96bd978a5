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
	var (
		edges   []Edge
		rows    []int // The line of each edge.
		columns int   // Of the first edge's line.
		largest = -1
		stated  = -1 // By `# nodes: N`.
		heading bool
	)
	text := newLines(r)
	for {
		line, ok := text.next()
		if !ok {
			break
		}
		if comment, ok := strings.CutPrefix(line, "#"); ok {
			n, ok, err := statedNodes(comment)
			if err == nil && ok && stated >= 0 && n != stated {
				err = fmt.Errorf("%d nodes, but %d were stated before", n, stated)
			}
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", text.number, err)
			}
			if ok {
				stated = n
			}
			continue
		}
		if line == "" {
			continue
		}
		cells := splitCells(line)
		if len(edges) == 0 && !heading && isHeading(cells) {
			heading = true
			continue
		}
		if columns == 0 {
			columns = len(cells)
		}
		if len(cells) != columns || columns < 2 || columns > 3 {
			return nil, fmt.Errorf("line %d: %d columns (%.40q), want two nodes and perhaps a weight, on every line alike", text.number, len(cells), line)
		}
		edge, err := parseEdge(cells)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", text.number, err)
		}
		largest = max(largest, edge.I, edge.J)
		edges = append(edges, edge)
		rows = append(rows, text.number)
	}
	if err := text.err(); err != nil {
		return nil, err
	}
	n := stated
	if n < 0 {
		if len(edges) == 0 {
			return nil, errors.New("holds no edges; a graph without any takes a line such as '# nodes: 10'")
		}
		var err error
		if n, err = inferNodes(largest, len(edges), ", or state their number in a line such as '# nodes: 1000'"); err != nil {
			return nil, err
		}
	}
	return build(n, edges, func(k int) string { return fmt.Sprintf("line %d", rows[k]) })
}

// statedNodes understands the comment ` nodes: N`; any other comment is just one.
func statedNodes(comment string) (n int, ok bool, err error) {
	key, value, _ := strings.Cut(comment, ":")
	if !strings.EqualFold(strings.TrimSpace(key), "nodes") || len(strings.Fields(value)) != 1 {
		return 0, false, nil
	}
	n, err = strconv.Atoi(strings.TrimSpace(value))
	if err != nil {
		return 0, false, fmt.Errorf("'nodes:%s' is not a number of nodes", value)
	}
	return n, true, checkNodes(n)
}

// splitCells splits at commas if there are any, else at spaces and tabs.
func splitCells(line string) []string {
	if !strings.Contains(line, ",") {
		return strings.Fields(line)
	}
	cells := strings.Split(line, ",")
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(cell)
	}
	return cells
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

func parseEdge(cells []string) (Edge, error) {
	edge := Edge{Weight: 1}
	for k, node := range []*int{&edge.I, &edge.J} {
		var err error
		if *node, err = parseNode(cells[k]); err != nil {
			return edge, err
		}
	}
	if len(cells) == 3 {
		var err error
		if edge.Weight, err = parseWeight(cells[2]); err != nil {
			return edge, err
		}
	}
	return edge, nil
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
