package wordvec

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
)

const (
	maxDim  = 1 << 16 // values of a vector; real files have 25 to 1,000
	maxLine = 1 << 20 // bytes of a line, and of the file in memory at a time
	maxWord = 4096    // bytes of a word in a binary file; the original programs write up to 2,000
)

// Read reads a file of word vectors and keeps the wanted words, in the order of the file; nil keeps all. The file is one of
//
//   - word2vec, binary: a line "words dim", then for each word its name, a space and dim little-endian float32;
//   - word2vec, text, and fastText's .vec: a line "words dim", then a line for each word, name and values;
//   - GloVe: the same lines without the first,
//
// plain or gzipped: the content decides, not the name. Memory grows with the words kept, not with the file or with what
// its header claims, and reading stops when all wanted words are found. In text the last dim fields of a line are the
// vector and the rest is the word, which may contain spaces. Of equal words the first is kept.
//
// Errors name the file and the line (or the word's number): a wrong number of values, a value that is not a finite number,
// a file that is cut short, no wanted word in the file.
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
	if magic, _ := in.Peek(2); string(magic) == "\x1f\x8b" {
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("damaged gzip file: %w; get the file again", err)
		}
		in = bufio.NewReaderSize(unzipped, maxLine)
	}
	start, err := in.Peek(maxLine)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, cutShort(err)
	case bytes.HasPrefix(start, []byte("PK\x03\x04")):
		return nil, errors.New("this is a zip archive; unpack it")
	case bytes.HasPrefix(start, []byte("\xba\x16\x4f\x2f")):
		return nil, errors.New("this is a fastText model; take the .vec file that comes with it")
	}
	first, rest, found := bytes.Cut(bytes.TrimLeft(start, "\r\n"), []byte("\n"))
	if !found && err == nil {
		return nil, fmt.Errorf("its first line is longer than %d bytes; is it a file of word vectors?", maxLine)
	}
	k := &keeper{in: in, want: want, kept: map[string]bool{}}
	for _, wanted := range want {
		if wanted {
			k.wanted++
		}
	}
	next, what, number := k.line, "line", 1
	claimed, dim, hasHeader := header(first)
	switch k.Dim = dim; {
	case !hasHeader:
		if k.Dim = numbersAtEnd(first); k.Dim == 0 {
			return nil, errors.New("its first line is not a word with numbers after it; is it a file of word vectors?")
		}
	case dim < 1 || dim > maxDim:
		return nil, fmt.Errorf("line 1: the header gives vectors %d values; want 1 to %d", dim, maxDim)
	case !found:
		return nil, errors.New("it holds a header and no words; get the file again")
	default:
		_, _ = in.Discard(len(start) - len(rest)) // it is in the buffer
		number = 2
		// The first line after the header tells text from binary: floats do not look like numbers that end a line.
		if line, _, _ := bytes.Cut(rest, []byte("\n")); numbersAtEnd(line) < min(dim, 2) {
			next, what, number = k.vector, "word", 1
		}
	}
	for ; !k.complete(); number++ {
		if err = next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s %d: %w", what, number, err)
		}
	}
	switch {
	case want != nil && k.wanted == 0:
		return nil, errors.New("no words are wanted")
	case k.read < claimed && !k.complete():
		return nil, fmt.Errorf("it ends after %d of the %d words that its header claims; get the file again", k.read, claimed)
	case len(k.Words) == 0 && want == nil:
		return nil, errors.New("it holds no words; get the file again")
	case len(k.Words) == 0:
		return nil, fmt.Errorf("none of the %d wanted words is among its %d; are they in its language and in lower case?", k.wanted, k.read)
	}
	return &k.Vectors, nil
}

// header reads a line of two whole numbers, words and dim.
func header(line []byte) (words, dim int, ok bool) {
	fields := bytes.Fields(line)
	if len(fields) != 2 {
		return 0, 0, false
	}
	words, wrongWords := strconv.Atoi(string(fields[0]))
	dim, wrongDim := strconv.Atoi(string(fields[1]))
	return words, dim, wrongWords == nil && wrongDim == nil
}

// keeper reads words one by one and keeps the wanted ones.
type keeper struct {
	Vectors
	in     *bufio.Reader
	want   map[string]bool // nil for all
	wanted int             // number of wanted words
	kept   map[string]bool
	read   int // words read so far
}

func (k *keeper) wants(word []byte) bool {
	return (k.want == nil || k.want[string(word)]) && !k.kept[string(word)]
}

// complete says that all wanted words are found.
func (k *keeper) complete() bool { return k.want != nil && len(k.kept) == k.wanted }

// keep adds a word whose values have been appended to k.Values. The error names a value that is not finite.
func (k *keeper) keep(word []byte) error {
	for i, value := range k.Values[len(k.Values)-k.Dim:] {
		if !finite(float64(value)) {
			return fmt.Errorf("value %d of word %q is %v, which is not a finite number", i+1, word, value)
		}
	}
	k.kept[string(word)] = true
	k.Words = append(k.Words, string(word))
	return nil
}

// vector reads a word of a binary file and its vector, or returns io.EOF. Some programs write a line end after a vector;
// it is skipped.
func (k *keeper) vector() error {
	word, err := k.in.ReadSlice(' ')
	switch {
	case errors.Is(err, io.EOF) && len(bytes.TrimLeft(word, "\n")) == 0:
		return io.EOF
	case len(word) > maxWord:
		return fmt.Errorf("longer than %d bytes; the file is damaged, or its header gives a wrong number of values, %d", maxWord, k.Dim)
	case err != nil:
		return cutShort(err)
	}
	word = bytes.Clone(bytes.TrimLeft(word[:len(word)-1], "\n")) // the next read overwrites it
	vector, err := k.in.Peek(4 * k.Dim)
	if err != nil {
		return cutShort(err)
	}
	k.read++
	if k.wants(word) {
		for at := 0; at < len(vector); at += 4 {
			k.Values = append(k.Values, math.Float32frombits(binary.LittleEndian.Uint32(vector[at:])))
		}
		if err := k.keep(word); err != nil {
			return err
		}
	}
	_, err = k.in.Discard(len(vector))
	return err
}

// line reads a line of a text file, a word and its vector, or returns io.EOF. Only the values of wanted words are parsed.
func (k *keeper) line() error {
	line, err := k.in.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return fmt.Errorf("longer than %d bytes; is it a file of word vectors?", maxLine)
	case err != nil && !errors.Is(err, io.EOF):
		return cutShort(err)
	case err != nil && len(line) == 0:
		return io.EOF
	}
	if line = trimEnd(line); len(line) == 0 {
		return nil
	}
	k.read++
	at := len(line) // where the values begin
	for range k.Dim {
		at = 1 + bytes.LastIndexAny(trimEnd(line[:at]), " \t")
	}
	word := trimEnd(line[:at])
	if len(word) == 0 {
		return fmt.Errorf("it has %d values, want %d after the word", len(bytes.Fields(line))-1, k.Dim)
	}
	if space := bytes.LastIndexAny(word, " \t"); space >= 0 && isNumber(word[space+1:]) {
		return fmt.Errorf("it has more than %d values after the word", k.Dim)
	}
	if !k.wants(word) {
		return nil
	}
	for i, field := range bytes.Fields(line[at:]) {
		value, err := strconv.ParseFloat(string(field), 32)
		if err != nil && !errors.Is(err, strconv.ErrRange) { // a value out of range is infinite, which keep reports
			return fmt.Errorf("value %d of word %q is %.20q, which is not a number", i+1, word, field)
		}
		k.Values = append(k.Values, float32(value))
	}
	return k.keep(word)
}

// numbersAtEnd counts the numbers that end a line. Its first field is a word, number or not.
func numbersAtEnd(line []byte) (n int) {
	fields := bytes.Fields(line)
	for n < len(fields)-1 && isNumber(fields[len(fields)-1-n]) {
		n++
	}
	return n
}

// trimEnd removes what may follow the last value: fastText and word2vec write a space there.
func trimEnd(line []byte) []byte { return bytes.TrimRight(line, " \t\r\n") }

func isNumber(field []byte) bool {
	_, err := strconv.ParseFloat(string(field), 32)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// cutShort explains a read error.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file is cut short; get it again")
	}
	return fmt.Errorf("%w; get the file again", err)
}

// Vectors are words, each with a vector.
type Vectors struct {
	Dim    int       // values in a vector
	Words  []string  // no word twice
	Values []float32 // `[len(Words), Dim]`, row-major
}

// Row is the vector of word i, `[Dim]`, as a view of Values.
func (v *Vectors) Row(i int) []float32 { return v.Values[i*v.Dim : (i+1)*v.Dim : (i+1)*v.Dim] }
