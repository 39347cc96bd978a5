package wordvec

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"unicode/utf8"
)

const (
	maxDim  = 1 << 16 // of a vector; files have 25 to some 1,000
	maxLine = 1 << 20 // bytes of a line; also how much of a file is in memory at a time
)

// Read reads a file of word vectors and keeps the wanted words, in the file's order; nil keeps all. The file is one of
//
//   - word2vec, binary: a line "words dim", then for each word its name, a space and dim little-endian float32;
//   - word2vec, text, and fastText's .vec: a line "words dim", then a line for each word, name and values;
//   - GloVe: such lines, without the first,
//
// plain or gzipped: the content tells, not the name. It is read as a stream, in memory that grows with the words kept
// and not with the file or with what its header claims, and only until all wanted words are found. In text the last dim
// fields of a line are the vector and the rest is the word, which may contain spaces. Of words that come twice the first
// is kept.
//
// Errors name the file and the line (or the word's number): a line with too few or too many values, a value that is not a
// finite number, a file that is cut short, none of the wanted words found.
func Read(path string, want map[string]bool) (*Vectors, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("word vectors: %w", err)
	}
	defer file.Close()
	v, err := read(file, want)
	if err != nil {
		return nil, fmt.Errorf("word vectors: %s: %w", path, err)
	}
	return v, nil
}

func read(file io.Reader, want map[string]bool) (*Vectors, error) {
	in := bufio.NewReaderSize(file, maxLine)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("damaged gzip file: %w; get the file again", err)
		}
		in = bufio.NewReaderSize(unzipped, maxLine)
	}
	start, err := in.Peek(maxLine)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, cutShort(err)
	}
	whole := err != nil // start is all of the file
	for magic, what := range map[string]string{
		"PK\x03\x04":       "a zip archive; unpack it",
		"\xba\x16\x4f\x2f": "a fastText model; take the .vec file that comes with it",
	} {
		if bytes.HasPrefix(start, []byte(magic)) {
			return nil, fmt.Errorf("this is %s", what)
		}
	}
	first, rest, found := bytes.Cut(start, []byte("\n"))
	if !found && !whole {
		return nil, fmt.Errorf("its first line is longer than %d bytes; is it a file of word vectors?", maxLine)
	}
	k := newKeeper(want)
	words, dim, hasHeader := header(first)
	switch {
	case !hasHeader:
		if k.Dim = commonDim(start, whole); k.Dim == 0 {
			return nil, errors.New("its first lines are not words with numbers after them; is it a file of word vectors?")
		}
		err = k.readAll(in, k.readLine, "line", 1)
	case dim < 1 || dim > maxDim:
		return nil, fmt.Errorf("line 1: the header gives vectors %d values; want 1 to %d", dim, maxDim)
	default:
		k.Dim = dim
		if _, err := in.Discard(len(first) + 1); err != nil {
			return nil, errors.New("it holds a header and no words; get the file again")
		}
		if isText(rest, dim) {
			err = k.readAll(in, k.readLine, "line", 2)
		} else {
			err = k.readAll(in, k.readVector, "word", 1)
		}
	}
	if err != nil {
		return nil, err
	}
	return k.finish(words)
}

// header reads a line of two whole numbers, words and dim.
func header(line []byte) (words, dim int, ok bool) {
	fields := bytes.Fields(line)
	if len(fields) != 2 {
		return 0, 0, false
	}
	words, err := strconv.Atoi(string(fields[0]))
	if err != nil {
		return 0, 0, false
	}
	dim, err = strconv.Atoi(string(fields[1]))
	return words, dim, err == nil
}

// isText tells text from binary by what comes after the header: a line that reads as text, or at least nothing that no
// text has in it. In the second case reading will say what is wrong with its lines.
func isText(content []byte, dim int) bool {
	line, _, _ := bytes.Cut(content, []byte("\n"))
	if numbersAtEnd(line) >= dim {
		return true
	}
	content = content[:min(len(content), 4096)]
	for range utf8.UTFMax - 1 { // the last character may be cut
		if len(content) > 0 && !utf8.Valid(content) {
			content = content[:len(content)-1]
		}
	}
	return utf8.Valid(content) && !bytes.ContainsFunc(content, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' })
}

// keeper keeps the wanted words.
type keeper struct {
	Vectors
	want   map[string]bool // nil for all
	wanted int             // words wanted
	kept   map[string]bool
	read   int // words of the file read so far
}

func newKeeper(want map[string]bool) *keeper {
	k := &keeper{want: want, kept: map[string]bool{}}
	for _, wanted := range want {
		if wanted {
			k.wanted++
		}
	}
	return k
}

func (k *keeper) wants(word []byte) bool {
	return (k.want == nil || k.want[string(word)]) && !k.kept[string(word)]
}

// keep adds a word whose values have been appended to k.Values. The error says which of them is not a finite number.
func (k *keeper) keep(word []byte) error {
	for i, value := range k.Values[len(k.Values)-k.Dim:] {
		if !finite(float64(value)) {
			return fmt.Errorf("value %d of word %q is %v, which is not a finite number", i+1, word, value)
		}
	}
	name := string(word)
	k.kept[name] = true
	k.Words = append(k.Words, name)
	return nil
}

// complete says that no more words are wanted.
func (k *keeper) complete() bool { return k.want != nil && len(k.kept) == k.wanted }

// finish returns what was kept of a file whose header claimed some number of words, 0 if there was none.
func (k *keeper) finish(claimed int) (*Vectors, error) {
	switch {
	case k.want != nil && k.wanted == 0:
		return nil, errors.New("no words are wanted")
	case k.read < claimed && !k.complete():
		return nil, fmt.Errorf("it ends after %d of the %d words that its header claims; get the file again", k.read, claimed)
	case len(k.Words) == 0 && k.want == nil:
		return nil, errors.New("it holds no words; get the file again")
	case len(k.Words) == 0:
		return nil, fmt.Errorf("none of the %d wanted words is among its %d; are they in its language and in lower case?", k.wanted, k.read)
	}
	return &k.Vectors, nil
}

// cutShort explains an error of reading.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file is cut short; get it again")
	}
	return fmt.Errorf("%w; get the file again", err)
}
