package wordvec

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// maxWord is the most bytes of a word in a binary file: the original programs write up to some 2,000.
const maxWord = 4096

// readAll reads what is left of the file, word by word, until all wanted words are found. read reads one, and returns
// io.EOF where there are no more; errors count them as `what` from number on.
func (k *keeper) readAll(in *bufio.Reader, read func(*bufio.Reader) error, what string, number int) error {
	for ; !k.complete(); number++ {
		if err := read(in); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s %d: %w", what, number, err)
		}
	}
	return nil
}

// readVector reads a word of a word2vec binary file and its vector. The line end that the original program, but not every
// other, writes after a vector is passed over.
func (k *keeper) readVector(in *bufio.Reader) error {
	word, err := in.ReadSlice(' ')
	switch {
	case errors.Is(err, io.EOF) && len(bytes.TrimLeft(word, "\n")) == 0:
		return io.EOF
	case len(word) > maxWord:
		return fmt.Errorf("longer than %d bytes; the file is damaged, or its header gives a wrong number of values, %d", maxWord, k.Dim)
	case err != nil:
		return cutShort(err)
	}
	word = bytes.Clone(bytes.TrimLeft(word[:len(word)-1], "\n")) // reading on overwrites it
	vector, err := in.Peek(4 * k.Dim)
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
	_, err = in.Discard(len(vector))
	return err
}

// readLine reads a line of a text file: a word and its vector. The values of words that are not wanted are counted, but not
// converted.
func (k *keeper) readLine(in *bufio.Reader) error {
	line, err := in.ReadSlice('\n')
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
	word, values, _ := bytes.Cut(line, []byte(" "))
	if bytes.Count(line, []byte(" ")) != k.Dim { // the word holds spaces, or there are tabs, or it is wrong
		fields := bytes.FieldsFunc(line, isSeparator)
		first := len(fields) - k.Dim
		switch {
		case first < 1:
			return fmt.Errorf("it has %d values, want %d after the word", len(fields)-1, k.Dim)
		case first > 1 && isNumber(fields[first-1]):
			return fmt.Errorf("it has more than %d values after the word", k.Dim)
		}
		at := len(line) // where the values begin
		for range k.Dim {
			at = bytes.LastIndexAny(trimEnd(line[:at]), " \t")
		}
		word, values = trimEnd(line[:at]), line[at:]
	}
	if !k.wants(word) {
		return nil
	}
	fields := bytes.FieldsFunc(values, isSeparator)
	if len(fields) != k.Dim {
		return fmt.Errorf("it has %d values after word %q, want %d", len(fields), word, k.Dim)
	}
	for i, field := range fields {
		value, err := strconv.ParseFloat(string(field), 32)
		if err != nil && !errors.Is(err, strconv.ErrRange) { // out of range is infinite, which keep reports
			return fmt.Errorf("value %d of word %q is %.20q, which is not a number", i+1, word, field)
		}
		k.Values = append(k.Values, float32(value))
	}
	return k.keep(word)
}

// commonDim finds how many values the words of a text file without a header have: as many numbers as stand at the end of
// most of the first lines; the fewest of equally common ones, since a word may end in a number. It is 0 if there are none.
func commonDim(start []byte, whole bool) int {
	count := map[int]int{}
	best := 0
	for range 64 {
		line, rest, found := bytes.Cut(start, []byte("\n"))
		if !found && !whole {
			break
		}
		if n := numbersAtEnd(line); n > 0 && n <= maxDim {
			count[n]++
			if best == 0 || count[n] > count[best] || count[n] == count[best] && n < best {
				best = n
			}
		}
		start = rest
	}
	return best
}

// numbersAtEnd counts the numbers at the end of a line, its first field left out: that is a word, number or not.
func numbersAtEnd(line []byte) (n int) {
	fields := bytes.FieldsFunc(trimEnd(line), isSeparator)
	for n < len(fields)-1 && isNumber(fields[len(fields)-1-n]) {
		n++
	}
	return n
}

// trimEnd takes off what may follow the last value: fastText and word2vec write a space there.
func trimEnd(line []byte) []byte { return bytes.TrimRight(line, " \t\r\n") }

func isSeparator(r rune) bool { return r == ' ' || r == '\t' }

func isNumber(field []byte) bool {
	_, err := strconv.ParseFloat(string(field), 32)
	return err == nil || errors.Is(err, strconv.ErrRange)
}
