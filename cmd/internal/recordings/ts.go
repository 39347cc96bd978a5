package recordings

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// tsHeader holds what the @ lines of a .ts file of sktime, aeon and the UEA archive say that matters here.
type tsHeader struct {
	dimensions int // 0 if not said
	classes    []string
	labelled   bool
	known      bool // the samples need no class
	ended      bool // @data was read
}

// readTS reads a .ts file: an @ line for each property, @data, and then a line for each sample. Colons separate the
// series of the sample's dimensions and its class.
//
//	0.1,0.2,?:1.5,1.4,1.3:walking
//
// Series have any length, but all series of a sample have the same length.
func readTS(j *job, from source, q question) (c content, err error) {
	h := &tsHeader{known: q.known}
	err = j.readTable(from.path, ':', func(in *input, line int, fields []string) error {
		switch {
		case len(fields) == 1 && fields[0] == "" || strings.HasPrefix(fields[0], "%"): // as aeon's own files have remarks
			return nil
		case !h.ended:
			return h.set(strings.Join(fields, ":"))
		}
		one := &sample{source: from, where: fmt.Sprintf("%s, line %d", from.path, line), line: line}
		c.samples = append(c.samples, one)
		return h.sample(in, one, fields)
	})
	switch {
	case err != nil:
		return c, err
	case !h.ended:
		return c, fmt.Errorf("%s: no @data line; this is not a .ts file of sktime or aeon, or it is cut off", from.path)
	case len(c.samples) == 0:
		return c, fmt.Errorf("%s: no sample comes after @data; the file is cut off", from.path)
	}
	c.as, c.columns = ".ts: one line a sample, a dimension a sensor", crossed(counted("dim_", h.dimensions), nil)
	if len(h.classes) > 0 { // after @classLabel true without names, the classes are those of the samples
		c.classes = h.classes
	}
	return c, nil
}

// set takes a line of the header. It leaves out lengths, and whether they are equal: the series themselves show them.
func (h *tsHeader) set(line string) error {
	words := strings.Fields(line)
	tag, words := strings.ToLower(words[0]), words[1:]
	value := strings.Join(words, " ")
	is := func(word string) bool { return len(words) > 0 && strings.EqualFold(words[0], word) }
	switch tag {
	case "@dimensions", "@dimension":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return fmt.Errorf("%s is %q; it must be a whole number from 1", tag, value)
		}
		h.dimensions = n
	case "@timestamps", "@targetlabel":
		if is("true") {
			return errors.New(map[string]string{
				"@timestamps": "@timeStamps true is not understood; write the values without their times and @timeStamps false, " +
					"or a long CSV with a time column",
				"@targetlabel": "@targetLabel true: the samples have numbers to predict, ccp tells classes apart; use a set with @classLabel true",
			}[tag])
		}
	case "@classlabel":
		switch {
		case !is("true") && h.known:
			return nil
		case !is("true"):
			return fmt.Errorf("@classLabel is %q; samples without classes cannot be learned from: want true and the names of the classes", value)
		}
		h.classes, h.labelled = words[1:], true
		for i, class := range h.classes {
			if slices.Contains(h.classes[:i], class) {
				return fmt.Errorf("@classLabel names class %q twice; name each once", class)
			}
		}
	case "@data":
		if h.ended = h.labelled || h.known; !h.ended {
			return errors.New("no @classLabel line comes before @data; write one, such as @classLabel true wave fall")
		}
	default:
		if tag[0] != '@' {
			return fmt.Errorf("%.30q comes before @data; this is not a .ts file of sktime or aeon", line)
		}
	}
	return nil
}

// sample reads a line of data. Without @dimensions the first line says how many dimensions there are.
func (h *tsHeader) sample(in *input, one *sample, fields []string) error {
	if bare := h.known && (!h.labelled || len(fields) == h.dimensions); !bare {
		one.label = strings.Clone(fields[len(fields)-1])
		fields = fields[:len(fields)-1]
	}
	if h.dimensions == 0 {
		h.dimensions = max(1, len(fields))
	}
	switch {
	case len(fields) != h.dimensions:
		return fmt.Errorf("%d fields between colons; want %d, a series for each of the %d dimensions and then the class",
			len(fields)+1, h.dimensions+1, h.dimensions)
	case h.known:
	case len(h.classes) > 0 && !slices.Contains(h.classes, one.label):
		return fmt.Errorf("class %.40q is not one of @classLabel (%s); name it there, or see whether the line is cut off",
			one.label, strings.Join(h.classes, " "))
	case one.label == "":
		return errors.New("nothing comes after the last colon; write the sample's class there")
	}
	timepoints := strings.Count(fields[0], ",") + 1
	one.Values = make([]float64, timepoints*h.dimensions)
	for dimension, field := range fields {
		if n := strings.Count(field, ",") + 1; n != timepoints {
			return fmt.Errorf("dimension %d has %d values, dimension 0 has %d; "+
				"the series of one sample must be of one length: write ? for missing values", dimension, n, timepoints)
		}
		for timepoint, text := range strings.Split(field, ",") {
			value, err := in.number(one.line, strings.TrimSpace(text))
			if err != nil {
				return fmt.Errorf("dimension %d, value %d: %w", dimension, timepoint, err)
			}
			one.Values[timepoint*h.dimensions+dimension] = value
		}
	}
	return nil
}
