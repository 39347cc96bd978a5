package wordvec

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// binaryFile makes a word2vec binary file; end is written after each vector.
func binaryFile(header string, dim int, end string, words []string, values ...float32) string {
	var b bytes.Buffer
	b.WriteString(header)
	for i, word := range words {
		b.WriteString(word + " ")
		_ = binary.Write(&b, binary.LittleEndian, values[i*dim:(i+1)*dim])
		b.WriteString(end)
	}
	return b.String()
}

func zipped(content string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, content)
	_ = w.Close()
	return b.String()
}

func set(words ...string) map[string]bool {
	s := map[string]bool{}
	for _, word := range words {
		s[word] = true
	}
	return s
}

func ExampleRead() {
	dir, err := os.MkdirTemp("", "wordvec")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "glove.2d.txt")
	if err := os.WriteFile(path, []byte("the 0.1 0.2\ncat 0.5 -1\nsat 3 4\n"), 0o644); err != nil {
		panic(err)
	}
	v, err := Read(path, map[string]bool{"cat": true, "sat": true, "mat": true})
	fmt.Println(v.Dim, v.Words, v.Values, err)
	// Output: 2 [cat sat] [0.5 -1 3 4] <nil>
}

func TestReadForms(t *testing.T) {
	words, values := []string{"the", "new york", "été"}, []float32{1, -0.5, 0.25, 2e-3, 3, 4}
	const lines = "the 1 -0.5\nnew york .25 2e-3\nété 3.0 4\n"
	joined := []string{"the", "new_york", "été"} // in a binary file a space ends the word
	for name, c := range map[string]struct {
		content string
		words   []string
	}{
		"GloVe":                                 {lines, words},
		"GloVe without a last line end":         {strings.TrimSuffix(lines, "\n"), words},
		"GloVe with Windows line ends":          {strings.ReplaceAll(lines, "\n", "\r\n"), words},
		"GloVe with tabs":                       {"the\t1\t-0.5\nnew york\t.25\t2e-3\nété\t3.0\t4\n", words},
		"GloVe with two spaces":                 {"the  1  -0.5\nnew york  .25  2e-3\nété  3.0  4\n", words},
		"GloVe with blank lines":                {"\n" + lines + "\n\n", words},
		"GloVe whose first word ends in digits": {strings.ReplaceAll(lines, "the", "3.1"), []string{"3.1", "new york", "été"}},
		"fastText":                              {"3 2\n" + strings.ReplaceAll(lines, "\n", " \n"), words},
		"fastText whose header claims less":     {"1 2\n" + lines, words},
		"word2vec text of Latin-1 letters":      {"3 2\n" + strings.ReplaceAll(lines, "é", "\xe9"), []string{"the", "new york", "\xe9t\xe9"}},
		"word2vec text of a control character":  {"3 2\n" + strings.ReplaceAll(lines, "the", "\x02"), []string{"\x02", "new york", "été"}},
		"word2vec binary":                       {binaryFile("3 2\n", 2, "\n", joined, values...), joined},
		"word2vec binary without line ends":     {binaryFile("3 2\n", 2, "", joined, values...), joined},
		"word2vec binary whose header is less":  {binaryFile("1 2\n", 2, "\n", joined, values...), joined},
	} {
		for _, form := range []string{"", ".gz"} {
			t.Run(name+form, func(t *testing.T) {
				content := c.content
				if form == ".gz" {
					content = zipped(content)
				}
				path := filepath.Join(t.TempDir(), "vectors") // the name says nothing
				require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
				v, err := Read(path, nil)
				require.NoError(t, err)
				assert.Equal(t, &Vectors{Dim: 2, Words: c.words, Values: values}, v)

				v, err = Read(path, set("absent", c.words[1]))
				require.NoError(t, err)
				assert.Equal(t, &Vectors{Dim: 2, Words: c.words[1:2], Values: values[2:4]}, v)
			})
		}
	}
}

func TestReadKeepsTheFirstOfTwo(t *testing.T) {
	for _, content := range []string{
		"a 1 2\nb 3 4\na 5 6\n",
		"3 2\na 1 2\nb 3 4\na 5 6\n",
		binaryFile("3 2\n", 2, "\n", []string{"a", "b", "a"}, 1, 2, 3, 4, 5, 6),
	} {
		for _, want := range []map[string]bool{nil, set("a", "b", "c")} {
			v, err := read(strings.NewReader(content), want)
			require.NoError(t, err)
			assert.Equal(t, &Vectors{Dim: 2, Words: []string{"a", "b"}, Values: []float32{1, 2, 3, 4}}, v)
		}
	}
}

func TestReadOneWordOneValue(t *testing.T) {
	for _, content := range []string{"a 0.1", "1 1\na 0.1\n", binaryFile("1 1\n", 1, "", []string{"a"}, 0.1)} {
		v, err := read(strings.NewReader(content), nil)
		require.NoError(t, err)
		assert.Equal(t, &Vectors{Dim: 1, Words: []string{"a"}, Values: []float32{0.1}}, v)
	}
}

// TestReadStops shows that nothing is read once every wanted word is found.
func TestReadStops(t *testing.T) {
	for _, content := range []string{"a 1 2\nb ?", "9 2\na 1 2\nb ?", binaryFile("9 2\n", 2, "", []string{"a"}, 1, 2) + "b"} {
		v, err := read(strings.NewReader(content), map[string]bool{"a": true, "b": false})
		require.NoError(t, err)
		assert.Equal(t, []string{"a"}, v.Words)
	}
}

func TestReadErrors(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	long := strings.Repeat("x", maxLine)
	for name, c := range map[string]struct{ content, want string }{
		"empty":                    {"", "its first line is not a word with numbers after it"},
		"prose":                    {"once upon a time\nthere was\n", "its first line is not a word with numbers after it"},
		"header only":              {"5 2\n", "ends after 0 of the 5 words"},
		"header without line end":  {"5 2", "a header and no words"},
		"no words":                 {"0 2\n", "holds no words"},
		"dim 0":                    {"5 0\na\n", "line 1: the header gives vectors 0 values; want 1 to 65536"},
		"dim negative":             {"5 -1\na\n", "line 1: the header gives vectors -1 values"},
		"dim huge":                 {"5 1000000000000\na 1\n", "line 1: the header gives vectors 1000000000000 values"},
		"too few values":           {"a 1 2\nb 3 4\nc 5\n", "line 3: it has 1 values, want 2"},
		"too few after a header":   {"2 3\na 1 2\nb 1 2\n", "line 2: it has 2 values, want 3"},
		"no values":                {"a 1 2\nb 3 4\nc\n", "line 3: it has 0 values, want 2"},
		"too many values":          {"a 1 2\nb 3 4\nc 5 6 7\n", "line 3: it has more than 2 values"},
		"not a number":             {"a 1 2\nb 3 4\nc 5 six\n", `line 3: value 2 of word "c" is "six", which is not a number`},
		"NaN":                      {"a 1 2\nb nan 4\n", `line 2: value 1 of word "b" is NaN, which is not a finite number`},
		"Inf":                      {"1 2\na 1 -Inf\n", `line 2: value 2 of word "a" is -Inf, which is not a finite number`},
		"beyond float32":           {"a 1 1e39\n", `line 1: value 2 of word "a" is +Inf`},
		"first line long":          {long + "x 1\n", "its first line is longer than 1048576 bytes"},
		"line long":                {"a 1 2\n" + long + " 1 2\n", "line 2: longer than 1048576 bytes"},
		"text cut":                 {"3 2\na 1 2\nb 1 2\n", "it ends after 2 of the 3 words that its header claims"},
		"binary cut in a vector":   {binaryFile("2 2\n", 2, "\n", []string{"a", "b"}, 1, 2, 3, 4)[:20], "word 2: the file is cut short"},
		"binary cut in a word":     {binaryFile("2 2\n", 2, "\n", []string{"a"}, 1, 2) + "wo", "word 2: the file is cut short"},
		"binary cut between words": {binaryFile("2 2\n", 2, "\n", []string{"a"}, 1, 2), "it ends after 1 of the 2 words"},
		"binary NaN":               {binaryFile("2 2\n", 2, "\n", []string{"a", "b"}, 1, 2, 3, nan), `word 2: value 2 of word "b" is NaN`},
		"binary Inf":               {binaryFile("1 2\n", 2, "\n", []string{"a"}, inf, 2), `word 1: value 1 of word "a" is +Inf`},
		"binary long word":         {binaryFile("2 2\n", 2, "", []string{"a", long}, 1, 2, 3, 4), "word 2: longer than 4096 bytes"},
		"gzip cut":                 {zipped("a 1 2\n")[:12], "the file is cut short"},
		"gzip header only":         {"\x1f\x8b", "damaged gzip file"},
		"zip":                      {"PK\x03\x04.......", "a zip archive; unpack it"},
		"fastText model":           {"\xba\x16\x4f\x2f\x0c\x00", "a fastText model; take the .vec file"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "vectors.txt")
			require.NoError(t, os.WriteFile(path, []byte(c.content), 0o644))
			_, err := Read(path, nil)
			require.ErrorContains(t, err, c.want)
			assert.ErrorContains(t, err, path)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
	_, err := Read(filepath.Join(t.TempDir(), "absent"), nil)
	assert.ErrorIs(t, err, fs.ErrNotExist)
	_, err = read(strings.NewReader("a 1\nb 2\n"), set("A", "B", "C"))
	assert.ErrorContains(t, err, "none of the 3 wanted words is among its 2")
	_, err = read(strings.NewReader("a 1\nb 2\n"), set())
	assert.ErrorContains(t, err, "no words are wanted")
	failure := errors.New("disk on fire")
	_, err = read(io.MultiReader(strings.NewReader("a 1\nb 2\n"), failing{failure}), nil)
	assert.ErrorIs(t, err, failure)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestReadMemory shows that memory depends neither on what a header claims nor on the words that are not wanted.
func TestReadMemory(t *testing.T) {
	const bound = 16 << 20 // buffers are some 3 MiB; the long files below are 64 MiB and more
	vector := strings.Repeat(" 0.125", 1000)
	last := "wanted" + vector + "\n"
	for name, c := range map[string]struct {
		start, repeated, end string
		ok                   bool
	}{
		"text header claims 10^12":      {"1000000000000 3\n", "", "wanted 1 2 3\n", true},
		"binary header claims 10^12":    {"1000000000000 3\n", "", "wanted \x00\x00\x80\x3f\x00\x00\x80\x3f\x00\x00\x80\x3f", true},
		"header claims 10^12 and stops": {"1000000000000 3\n", "", "other 1 2 3\n", false},
		"long text":                     {"", "other" + vector + "\n", last, true},
		"long binary":                   {"99 1000\n", "other " + strings.Repeat("\x00\x00\x00\x3f", 1000) + "\n", "wanted " + strings.Repeat("\x00\x00\x00\x3f", 1000), true},
		"long line":                     {"a 1 2\n", "no end in sight ", "", false},
		"long first line":               {"", "no end in sight ", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			repeats := 0
			if c.repeated != "" {
				repeats = 64 << 20 / len(c.repeated)
			}
			in := io.MultiReader(strings.NewReader(c.start), &repeat{c.repeated, repeats, 0}, strings.NewReader(c.end))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			v, err := read(in, set("wanted"))
			runtime.ReadMemStats(&after)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(bound), "bytes allocated")
			if c.ok {
				require.NoError(t, err)
				assert.Equal(t, []string{"wanted"}, v.Words)
			} else {
				require.Error(t, err)
			}
		})
	}
}

// repeat reads a text many times over.
type repeat struct {
	text  string
	times int
	at    int
}

func (r *repeat) Read(p []byte) (n int, err error) {
	if r.times == 0 {
		return 0, io.EOF
	}
	n = copy(p, r.text[r.at:])
	if r.at += n; r.at == len(r.text) {
		r.at, r.times = 0, r.times-1
	}
	return n, nil
}

// FuzzRead reads arbitrary files: what is read is complete, finite and without doubles.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"the 1 -0.5\nnew york .25 2e-3\n", "2 2\nthe 1 -0.5 \nnew york .25 2e-3 \n", "a 1\na 2\n\n", "5 3\n", "a  1 2\r\nb\t1 2",
		"999999999999 2\na 1 2\n", binaryFile("2 2\n", 2, "\n", []string{"a", "b"}, 1, 2, 3, 4), binaryFile("2 2\n", 2, "", []string{"a", "b"}, 1, 2, 3, 4),
		zipped("a 1 2\nb 3 4\n"), zipped("a 1 2\nb 3 4\n")[:20], "PK\x03\x04", "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, want := range []map[string]bool{nil, set("a", "b", "the")} {
			v, err := read(bytes.NewReader(content), want)
			if err != nil {
				require.NotContains(t, err.Error(), "\n")
				continue
			}
			require.NotEmpty(t, v.Words)
			require.Len(t, v.Values, v.Dim*len(v.Words))
			require.Len(t, set(v.Words...), len(v.Words))
			for _, value := range v.Values {
				require.False(t, math.IsNaN(float64(value)) || math.IsInf(float64(value), 0))
			}
			if want != nil {
				require.Subset(t, want, set(v.Words...))
			}
		}
	})
}
