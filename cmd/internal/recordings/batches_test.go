package recordings

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// longTable is a table of several batches, line by line: 40 samples of 500 time points, each below a remark. The values
// of every seventh time point are in quotation marks.
func longTable() []string {
	lines := []string{"sample,time,hip,head,label"}
	for sample := range 40 {
		lines = append(lines, "# next")
		for timepoint := range 500 {
			line := fmt.Sprintf("s%d,%d,%d.25,%g,%c", sample, timepoint, (sample*timepoint)%91, float64(timepoint%13)/7,
				'a'+sample%2)
			if timepoint%7 == 0 {
				line = `"` + strings.ReplaceAll(line, ",", `","`) + `"`
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// Errors name their lines in any part of a long table, and the first error wins.
func TestErrorsOfLongTables(t *testing.T) {
	for _, at := range []int{2, 1000, 9000, 20030} {
		lines := longTable()
		lines[at+5] = `s1,"2"3,1,1,a` // comes after the value
		path := put(t, t.TempDir(), "r.csv", strings.Join(lines, "\n"))
		messagetest.Names(t, refused(t, Options{}, path), fmt.Sprintf("r.csv, line %d, character 6", at+6))
		lines[at] = strings.Replace(lines[at], ".25", ".x", 1)
		path = put(t, t.TempDir(), "r.csv", strings.Join(lines, "\n"))
		assert.Contains(t, refused(t, Options{}, path), fmt.Sprintf("r.csv, line %d: column hip: ", at+1))
	}
	lines := longTable()
	lines = append(lines, strings.Replace(lines[3], ".25", ".5", 1))
	messagetest.Names(t, refused(t, Options{}, put(t, t.TempDir(), "r.csv", strings.Join(lines, "\n"))),
		"r.csv, line 20042 … line 4 … this time")
}

// Any number of cores makes the same file.
func TestImportOnAnyCores(t *testing.T) {
	path := put(t, t.TempDir(), "r.csv", strings.Join(longTable(), "\n"))
	var files []string
	for _, cores := range []int{1, 2, 4} {
		was := runtime.GOMAXPROCS(cores)
		made := filepath.Join(t.TempDir(), "made.npz")
		result, err := Import(context.Background(), []string{path}, made, Options{})
		runtime.GOMAXPROCS(was)
		require.NoError(t, err)
		assert.Equal(t, []int{40, 500}, []int{result.Samples, result.Timepoints.Shortest})
		content, err := os.ReadFile(made)
		require.NoError(t, err)
		files = append(files, string(content))
	}
	assert.True(t, files[0] == files[1] && files[0] == files[2])
}

// A caller that stops leaves a table that nobody reads any more. The last batch has the error that ended it.
func TestBatches(t *testing.T) {
	text := strings.Join(longTable(), "\n")
	for stop := range 6 {
		from := strings.NewReader(text)
		for range batches(&splitter{from: from, separator: ","}, &batch{}, true) {
			stop--
			if stop < 0 {
				break
			}
		}
		left := from.Len()
		runtime.Gosched()
		assert.Equal(t, left, from.Len())
	}
	table := &splitter{from: io.MultiReader(strings.NewReader(text), strings.NewReader("\n a , b \n")), separator: ","}
	lines := 0
	var last batch
	for b := range batches(table, &batch{err: io.EOF}, true) {
		require.NoError(t, last.err)
		lines, last = lines+len(b.lines), *b
	}
	assert.Equal(t, 1+40*500+1, lines)
	assert.True(t, errors.Is(last.err, io.EOF))
	assert.Equal(t, []string{"a", "b"}, last.cells[len(last.cells)-2:])
	assert.Equal(t, line{20042, len(last.cells)}, last.lines[len(last.lines)-1])
}

// Lines are split as encoding/csv splits them, in parts of any size.
func TestLinesAreThoseOfEncodingCSV(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	for range 3000 {
		var text strings.Builder
		for range random.IntN(30) {
			text.WriteString([]string{"a", "1", ",", ",", "\n", "\n", "\r\n", `"`, `"`, `""`, " ", "#", "ü", `"x,y"`}[random.IntN(14)])
		}
		known := csv.NewReader(strings.NewReader(text.String()))
		known.Comment, known.FieldsPerRecord, known.TrimLeadingSpace = '#', -1, true
		var want, got [][]string
		var wrong error
		for {
			cells, err := known.Read()
			wrong = err
			if err != nil {
				break
			}
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			want = append(want, cells)
		}
		s, b := &splitter{from: iotest.OneByteReader(strings.NewReader(text.String())), separator: ","}, &batch{}
		for b.err == nil {
			begin := 0
			s.fill(b)
			for _, line := range b.lines {
				var cells []string
				for _, cell := range b.cells[begin:line.end] { // line ends within cells stay as they are
					cells = append(cells, strings.ReplaceAll(cell, "\r\n", "\n"))
				}
				got, begin = append(got, cells), line.end
			}
		}
		if errors.Is(wrong, io.EOF) {
			require.Equal(t, want, got, "%q", text.String())
		}
		require.Equal(t, errors.Is(wrong, io.EOF), errors.Is(b.err, io.EOF), "%q %v %v", text.String(), wrong, b.err)
	}
}
