package recordings

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// tsHeader is what the @ lines of a .ts file of sktime, aeon and the UEA archive say that matters here.
type tsHeader struct {
	name       string
	dimensions int // 0 if not said
	classes    []string
	labelled   bool
}

// readTS reads a .ts file: an @ line for each property, @data, and then a line for each sample,
//
//	0.1,0.2,?:1.5,1.4,1.3:walking
//
// with the series of its dimensions and its class between colons. Series may be of any length, but those of one sample are of one.
// tell is called after each line with the bytes read so far, and ends the reading with an error. Errors name the line.
func readTS(r io.Reader, tell func(bytes int64) error) (tsHeader, []sample, error) {
	lines := &lineReader{from: bufio.NewReaderSize(r, 1<<16)}
	h, err := readTSHeader(lines)
	if err != nil {
		return h, nil, err
	}
	var samples []sample
	for lines.next() {
		s, err := h.sample(lines.text)
		if err == nil {
			err = tell(lines.bytes)
		}
		if err != nil {
			return h, nil, lines.errorf(err)
		}
		s.where = fmt.Sprintf("line %d", lines.number)
		samples = append(samples, s)
	}
	switch {
	case lines.err != nil:
		return h, nil, lines.err
	case len(samples) == 0:
		return h, nil, errors.New("no sample comes after @data; the file is cut off")
	}
	return h, samples, nil
}

func readTSHeader(lines *lineReader) (h tsHeader, err error) {
	for lines.next() {
		words := strings.Fields(lines.text)
		if !strings.HasPrefix(words[0], "@") {
			return h, lines.errorf(fmt.Errorf("%.30q comes before @data; this is not a .ts file of sktime or aeon", lines.text))
		}
		tag := strings.ToLower(words[0])
		if tag == "@data" {
			if !h.labelled {
				return h, lines.errorf(errors.New("no @classLabel line comes before @data; write one, such as @classLabel true wave fall"))
			}
			return h, nil
		}
		if err := h.set(tag, words[1:]); err != nil {
			return h, lines.errorf(err)
		}
	}
	if lines.err != nil {
		return h, lines.err
	}
	return h, errors.New("no @data line; this is not a .ts file of sktime or aeon, or it is cut off")
}

// set takes a property. Lengths, and whether they are equal, are seen in the series themselves.
func (h *tsHeader) set(tag string, words []string) error {
	value := strings.Join(words, " ")
	is := func(word string) bool { return len(words) > 0 && strings.EqualFold(words[0], word) }
	switch tag {
	case "@problemname":
		h.name = value
	case "@dimensions", "@dimension":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return fmt.Errorf("%s is %q; it must be a whole number from 1", tag, value)
		}
		h.dimensions = n
	case "@timestamps":
		if is("true") {
			return errors.New("@timeStamps true is not understood; write the values without their times and @timeStamps false, " +
				"or a long CSV with a time column (--format long)")
		}
	case "@targetlabel":
		if is("true") {
			return errors.New("@targetLabel true: the samples have numbers to predict, ccp tells classes apart; use a set with @classLabel true")
		}
	case "@classlabel":
		if !is("true") {
			return fmt.Errorf("@classLabel is %q; samples without classes cannot be learned from: want true and the names of the classes", value)
		}
		h.classes, h.labelled = words[1:], true
		for i, class := range h.classes {
			if slices.Contains(h.classes[:i], class) {
				return fmt.Errorf("@classLabel names class %q twice; name each once", class)
			}
		}
	}
	return nil
}

// sample reads a line of data. Without @dimensions the first line says how many there are.
func (h *tsHeader) sample(line string) (sample, error) {
	fields := strings.Split(line, ":")
	label := strings.TrimSpace(fields[len(fields)-1])
	fields = fields[:len(fields)-1]
	if h.dimensions == 0 {
		h.dimensions = max(1, len(fields))
	}
	if len(fields) != h.dimensions {
		return sample{}, fmt.Errorf("%d fields between colons; want %d, a series for each of the %d dimensions and then the class",
			len(fields)+1, h.dimensions+1, h.dimensions)
	}
	if len(h.classes) > 0 && !slices.Contains(h.classes, label) {
		return sample{}, fmt.Errorf("class %.40q is not one of @classLabel (%s); name it there, or see whether the line is cut off",
			label, strings.Join(h.classes, " "))
	}
	if label == "" {
		return sample{}, errors.New("nothing comes after the last colon; write the sample's class there")
	}
	moments := strings.Count(fields[0], ",") + 1
	values := make([]float64, moments*h.dimensions)
	for dimension, field := range fields {
		if n := strings.Count(field, ",") + 1; n != moments {
			return sample{}, fmt.Errorf("dimension %d has %d values, dimension 0 has %d; the series of one sample must be of one length: write ? for missing values",
				dimension, n, moments)
		}
		moment := 0
		for text := range strings.SplitSeq(field, ",") {
			value, err := number(text)
			if err != nil {
				return sample{}, fmt.Errorf("dimension %d, value %d: %w", dimension, moment, err)
			}
			values[moment*h.dimensions+dimension] = value
			moment++
		}
	}
	return sample{label: label, values: values}, nil
}

// number reads a value, NaN for a missing one: nothing, ? or NaN.
func number(text string) (float64, error) {
	text = strings.TrimSpace(text)
	if text == "" || text == "?" {
		return math.NaN(), nil
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Abs(value) > math.MaxFloat32 {
		return 0, fmt.Errorf("%.30q is not a number that float32 holds; correct it, or write ? for a missing value", text)
	}
	return value, nil
}

// lineReader reads lines of any length, and passes over empty ones and comments (#).
type lineReader struct {
	from   *bufio.Reader
	text   string // the line, without blanks around it
	number int
	bytes  int64
	err    error
}

func (l *lineReader) next() bool {
	for {
		text, err := l.from.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			l.err = err
			return false
		}
		l.number++
		l.bytes += int64(len(text))
		if l.text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")); l.text != "" && l.text[0] != '#' {
			return true
		}
		if err != nil {
			return false
		}
	}
}

func (l *lineReader) errorf(err error) error { return fmt.Errorf("line %d: %w", l.number, err) }
