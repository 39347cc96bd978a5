package wordvec

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// readText reads the lines of a text file, of which `before` have been read already. The values of words that are not
// wanted are counted, but not converted.
func readText(in *bufio.Reader, k *keeper, before int) error {
	for number := before + 1; !k.complete(); number++ {
		line, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return fmt.Errorf("line %d is longer than %d bytes; is it a file of word vectors?", number, maxLine)
		case err != nil && !errors.Is(err, io.EOF):
			return fmt.Errorf("line %d: %w", number, cutShort(err))
		case err != nil && len(line) == 0:
			return nil
		}
		if line = trimEnd(line); len(line) == 0 {
			continue
		}
		if err := k.readLine(line); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	return nil
}

// readLine reads a line without its end.
func (k *keeper) readLine(line []byte) error {
	k.read++
	word, values := line, []byte(nil)
	if bytes.Count(line, []byte(" ")) == k.Dim {
		word, values, _ = bytes.Cut(line, []byte(" "))
	} else {
		at := len(line)
		for fields := range k.Dim {
			if at = separator(line[:at]); at <= 0 {
				return fmt.Errorf("it has %d values, want %d after the word", fields, k.Dim)
			}
		}
		word, values = trimEnd(line[:at]), line[at:]
		if last := separator(word); last > 0 && isNumber(word[last+1:]) {
			return fmt.Errorf("it has more than %d values after the word", k.Dim)
		}
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
	for line = trimEnd(line); ; n++ {
		at := separator(line)
		if at <= 0 || !isNumber(line[at+1:]) {
			return n
		}
		line = trimEnd(line[:at])
	}
}

// separator is the place of the last space or tab in a line after its trimmed end, or -1.
func separator(line []byte) int { return bytes.LastIndexAny(trimEnd(line), " \t") }

// trimEnd takes off what may follow the last value: fastText and word2vec write a space there.
func trimEnd(line []byte) []byte { return bytes.TrimRight(line, " \t\r\n") }

func isSeparator(r rune) bool { return r == ' ' || r == '\t' }

func isNumber(field []byte) bool {
	_, err := strconv.ParseFloat(string(field), 32)
	return err == nil || errors.Is(err, strconv.ErrRange)
}
