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
	m := marketReader{lines: newLines(r)}
	err := m.readBanner()
	var count int
	if err == nil {
		count, err = m.readSizes()
	}
	switch {
	case err == nil && m.array:
		err = m.readArray()
	case err == nil:
		err = m.readCoordinates(count)
	}
	if failed := m.err(); failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", m.number, err)
	}
	if m.symmetric {
		return build(m.n, m.edges, m.name)
	}
	return fromEntries(m.n, m.edges, m.name)
}

type marketReader struct {
	*lines
	array, pattern, symmetric bool
	n                         int
}

func (m *marketReader) readBanner() error {
	line, _ := m.next()
	words := strings.Fields(strings.ToLower(line))
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

// nextWords gives the words of the next line that is neither empty nor a comment; nil at the end.
func (m *marketReader) nextWords() []string {
	for {
		line, ok := m.next()
		if !ok {
			return nil
		}
		if line != "" && line[0] != '%' {
			return strings.Fields(line)
		}
	}
}

// readSizes reads rows, columns and, in a coordinate file, the number of entries.
func (m *marketReader) readSizes() (entries int, err error) {
	words := m.nextWords()
	want := 3
	if m.array {
		want = 2
	}
	if len(words) != want {
		return 0, fmt.Errorf("%d sizes, want %d: rows, columns and, for coordinate, entries", len(words), want)
	}
	sizes := make([]int, want)
	for k, word := range words {
		if sizes[k], err = strconv.Atoi(word); err != nil || sizes[k] < 0 {
			return 0, fmt.Errorf("size %.40q is not a count", word)
		}
	}
	if sizes[0] != sizes[1] {
		return 0, fmt.Errorf("%d rows and %d columns; a graph's matrix is square", sizes[0], sizes[1])
	}
	m.n = sizes[0]
	return sizes[want-1], checkNodes(m.n)
}

func (m *marketReader) add(row, column int, weight float64) error {
	if m.symmetric && column > row {
		return fmt.Errorf("(%d,%d) is above the diagonal; a symmetric file holds the lower triangle", row+1, column+1)
	}
	m.lines.add(Edge{row, column, weight})
	return nil
}

func (m *marketReader) readCoordinates(count int) error {
	want := 3
	if m.pattern {
		want = 2
	}
	read := 0
	for words := m.nextWords(); words != nil; words = m.nextWords() {
		if read++; read > count {
			return fmt.Errorf("more than the %d entries that the sizes promise", count)
		}
		if len(words) != want {
			return fmt.Errorf("%d columns, want %d: row, column and, unless it is a pattern, the value", len(words), want)
		}
		var place [2]int
		for k := range place {
			v, err := strconv.Atoi(words[k])
			if err != nil || v < 1 || v > m.n {
				return fmt.Errorf("%.40q is not a row or column from 1 to %d", words[k], m.n)
			}
			place[k] = v - 1
		}
		weight := 1.0
		if !m.pattern {
			var err error
			if weight, err = parseWeight(words[2]); err != nil {
				return err
			}
		}
		if err := m.add(place[0], place[1], weight); err != nil {
			return err
		}
	}
	if read < count {
		return fmt.Errorf("ends after %d of the %d entries that the sizes promise", read, count)
	}
	return nil
}

func (m *marketReader) readArray() error {
	row, column := 0, 0
	for words := m.nextWords(); words != nil; words = m.nextWords() {
		for _, word := range words {
			if column == m.n {
				return fmt.Errorf("more values than %d x %d need", m.n, m.n)
			}
			weight, err := parseWeight(word)
			if err != nil {
				return err
			}
			if weight != 0 {
				if err := m.add(row, column, weight); err != nil {
					return err
				}
			}
			if row++; row == m.n {
				column++
				row = 0
				if m.symmetric {
					row = column
				}
			}
		}
	}
	if column < m.n {
		return fmt.Errorf("ends at row %d of column %d; %d x %d values are to come", row+1, column+1, m.n, m.n)
	}
	return nil
}

func writeMatrixMarket(w *bufio.Writer, m *Matrix) {
	edges := m.EdgeList()
	fmt.Fprintf(w, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", m.N(), m.N(), len(edges))
	for _, e := range edges {
		fmt.Fprintf(w, "%d %d %v\n", e.J+1, e.I+1, e.Weight)
	}
}
