package affinity

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/internal/files"
)

// textFormat reads and writes a matrix as text.
type textFormat struct {
	read  func(r io.Reader) (*Matrix, error)
	write func(w *bufio.Writer, m *Matrix)
}

// textFormats holds the format of each file name extension.
var textFormats = map[string]textFormat{
	".csv":   {readEdgeList, writeEdgeList(",")},
	".tsv":   {readEdgeList, writeEdgeList("\t")},
	".txt":   {readEdgeList, writeEdgeList(" ")},
	".edges": {readEdgeList, writeEdgeList(" ")},
	".mtx":   {readMatrixMarket, writeMatrixMarket},
}

// formatOf gives the format for a path's extension; text is nil for .npz.
func formatOf(path string) (text *textFormat, gzipped bool, err error) {
	name, gzipped := strings.CutSuffix(strings.ToLower(path), ".gz")
	extension := filepath.Ext(name)
	if format, ok := textFormats[extension]; ok {
		return &format, gzipped, nil
	}
	if extension != ".npz" {
		return nil, false, fmt.Errorf("%s: extension %q is not known; use .npz, .mtx, .csv, .tsv, .txt or .edges", path, extension)
	}
	if gzipped {
		return nil, false, fmt.Errorf("%s: an .npz file is compressed already; use it without .gz", path)
	}
	return nil, false, nil
}

// ReadFile reads a graph in the format of the extension; all but .npz may be followed by .gz.
//
//   - .csv, .tsv, .txt, .edges: a list of edges, `i,j` or `i,j,weight` on each line, separated by commas, tabs or spaces;
//     nodes count from 0; there may be one line of headings and comments after `#`. The number of nodes is the
//     largest node + 1, or what a line `# nodes: N` says.
//   - .mtx: Matrix Market, coordinate or array, real, integer or pattern, symmetric or (if it is so in fact) general.
//   - .npz: what scipy.sparse.save_npz writes (`indptr`, `indices`, `data`, `shape`), or `edges` `[E, 2]` and, if they
//     are not 1, `weights` `[E]`, or `adjacency` `[N, N]`: see [FromArrays].
//
// Errors name the file and the line or array.
func ReadFile(path string) (*Matrix, error) {
	format, gzipped, err := formatOf(path)
	if err != nil {
		return nil, err
	}
	if format == nil {
		return readNPZ(path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var r io.Reader = file
	if gzipped {
		unzipped, err := gzip.NewReader(bufio.NewReader(file))
		if err != nil {
			return nil, fmt.Errorf("%s: %w; is it gzip?", path, err)
		}
		r = unzipped
	}
	m, err := format.read(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// WriteFile writes the graph in the format of the extension, one of those of ReadFile, which reads an equal matrix back. The
// file appears whole or not at all.
func (m *Matrix) WriteFile(path string) error {
	format, gzipped, err := formatOf(path)
	if err != nil {
		return err
	}
	if format == nil {
		return m.writeNPZ(path)
	}
	return files.Write(path, func(w io.Writer) error {
		out, zipper := bufio.NewWriter(w), gzip.NewWriter(w)
		if gzipped {
			out.Reset(zipper)
		}
		format.write(out, m)
		err := out.Flush() // also reports an earlier error
		if gzipped && err == nil {
			err = zipper.Close()
		}
		return err
	})
}

// lines reads a text line by line and keeps the edges found in it.
type lines struct {
	number int // of the last line, from 1
	edges  []Edge
	rows   []int // the line of each edge
}

// maxLine is the longest line in bytes. Real ones have a few dozen.
const maxLine = 1 << 20

// scan calls read for each line, without the white space around it. Errors name the line.
func (l *lines) scan(r io.Reader, read func(line string) error) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxLine)
	for scanner.Scan() {
		l.number++
		text := strings.TrimPrefix(scanner.Text(), "\ufeff") // some spreadsheets begin a file with this mark
		if err := read(strings.TrimSpace(text)); err != nil {
			return fmt.Errorf("line %d: %w", l.number, err)
		}
	}
	err := scanner.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("longer than %d bytes; is this the right file?", maxLine)
	}
	if err != nil {
		return fmt.Errorf("line %d: %w", l.number+1, err)
	}
	return nil
}

// add keeps an edge of the current line.
func (l *lines) add(from, to int, weight string) error {
	w, err := strconv.ParseFloat(weight, 64)
	if err != nil {
		return fmt.Errorf("weight %.40q is not a number", weight)
	}
	l.edges, l.rows = append(l.edges, Edge{from, to, w}), append(l.rows, l.number)
	return nil
}

// name is what errors call edge k.
func (l *lines) name(k int) string { return fmt.Sprintf("line %d", l.rows[k]) }

// inferNodes is the number of nodes of a list of edges whose largest node is given. A huge node among few edges is more often
// a slip (other identifiers, a wrong column) than a graph of isolated nodes, and would take much memory.
func inferNodes(largest, edges int, hint string) (int, error) {
	if largest >= 100+64*edges {
		return 0, fmt.Errorf("node %d in a list of only %d edges; nodes count from 0 without large gaps, renumber them%s", largest, edges, hint)
	}
	return largest + 1, nil
}
