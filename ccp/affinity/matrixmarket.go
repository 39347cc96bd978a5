package affinity

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// readMatrixMarket reads the exchange format of Boisvert, Pozo and Remington (NISTIR 5935): a banner, comments, a line
// of sizes, then entries (coordinate; rows and columns count from 1) or all values column by column (array). A
// symmetric file holds the lower triangle only.
func readMatrixMarket(r io.Reader) (*Matrix, error) {
	m := market{n: -1}
	err := m.scan(r, m.line)
	switch {
	case err != nil:
		return nil, err
	case m.n < 0:
		return nil, fmt.Errorf("line %d: ends before its sizes; get the file again", m.number)
	case m.read < m.count:
		return nil, fmt.Errorf("line %d: ends after %d of the %d entries that the sizes promise", m.number, m.read, m.count)
	case m.symmetric:
		return build(m.n, m.edges, m.name)
	}
	return fromEntries(m.n, m.edges, m.name)
}

// market is a Matrix Market file as far as it has been read.
type market struct {
	lines
	array, pattern, symmetric bool
	n                         int // rows and columns; -1 before the line of sizes
	read, count               int // entries, or values of an array: those read and those promised
	row, column               int // of the next value of an array
}

func (m *market) line(line string) error {
	words := strings.Fields(line)
	switch {
	case m.number == 1:
		return m.banner(strings.Fields(strings.ToLower(line)))
	case line == "" || line[0] == '%':
		return nil
	case m.n < 0:
		return m.sizes(words)
	case m.array:
		return m.values(words)
	}
	return m.entry(words)
}

func (m *market) banner(words []string) error {
	if len(words) != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix" {
		return errors.New("want '%%MatrixMarket matrix' and its format, field and symmetry")
	}
	for k, known := range [][]string{{"coordinate", "array"}, {"real", "integer", "pattern"}, {"symmetric", "general"}} {
		if !slices.Contains(known, words[k+2]) {
			return fmt.Errorf("%.40q is not supported; want one of %s", words[k+2], strings.Join(known, ", "))
		}
	}
	m.array, m.pattern, m.symmetric = words[2] == "array", words[3] == "pattern", words[4] == "symmetric"
	if m.array && m.pattern {
		return errors.New("an array has values, not a pattern; use coordinate")
	}
	return nil
}

// sizes reads rows, columns and, in a coordinate file, the number of entries.
func (m *market) sizes(words []string) error {
	want := 3
	if m.array {
		want = 2
	}
	if len(words) != want {
		return fmt.Errorf("%d sizes, want %d: rows, columns and, for coordinate, entries", len(words), want)
	}
	sizes := make([]int, want)
	for k, word := range words {
		var err error
		if sizes[k], err = strconv.Atoi(word); err != nil || sizes[k] < 0 {
			return fmt.Errorf("size %.40q is not a count", word)
		}
	}
	if sizes[0] != sizes[1] {
		return fmt.Errorf("%d rows and %d columns; a graph's matrix is square", sizes[0], sizes[1])
	}
	m.n, m.count = sizes[0], sizes[want-1]
	if err := checkNodes(m.n); err != nil || !m.array {
		return err
	}
	m.count = m.n * m.n
	if m.symmetric {
		m.count = m.n * (m.n + 1) / 2
	}
	return nil
}

// values reads the next values of an array.
func (m *market) values(words []string) error {
	for _, word := range words {
		if err := m.put(m.row, m.column, word); err != nil {
			return err
		}
		if m.row++; m.row == m.n {
			m.column++
			m.row = 0
			if m.symmetric {
				m.row = m.column
			}
		}
	}
	return nil
}

// entry reads a row, a column and, unless the file is a pattern, a value.
func (m *market) entry(words []string) error {
	if m.pattern {
		words = append(words, "1")
	}
	if len(words) != 3 {
		return fmt.Errorf("%d columns; want row, column and, unless it is a pattern, the value", len(words))
	}
	var place [2]int
	for k := range place {
		v, err := strconv.Atoi(words[k])
		if err != nil || v < 1 || v > m.n {
			return fmt.Errorf("%.40q is not a row or column from 1 to %d", words[k], m.n)
		}
		place[k] = v - 1
	}
	return m.put(place[0], place[1], words[2])
}

func (m *market) put(row, column int, weight string) error {
	if m.read++; m.read > m.count {
		return fmt.Errorf("more than the %d entries that the sizes promise", m.count)
	}
	if m.symmetric && column > row {
		return fmt.Errorf("(%d,%d) is above the diagonal; a symmetric file holds the lower triangle", row+1, column+1)
	}
	return m.add(row, column, weight)
}

func writeMatrixMarket(w *bufio.Writer, m *Matrix) {
	edges := m.EdgeList()
	fmt.Fprintf(w, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", m.N(), m.N(), len(edges))
	for _, e := range edges {
		fmt.Fprintf(w, "%d %d %v\n", e.J+1, e.I+1, e.Weight)
	}
}
