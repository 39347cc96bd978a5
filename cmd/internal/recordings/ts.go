package recordings

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/internal/exact"
)

// tsHeader holds what the @ lines of a .ts file of sktime, aeon and the UEA archive say that matters here.
type tsHeader struct {
	dimensions int      // 0 if not said
	words      []string // of the names of the classes, which blanks part
	line       int      // of these
	labelled   bool
	known      bool // the samples need no class
	ended      bool // @data was read
	timed      bool // values are in brackets, with their times
	days       days // how these are written
	kind       int  // of these
	kindKnown  bool
	noteOf     func(about, text string)
}

// readTS reads a .ts file: an @ line for each property, @data, and then a line for each sample. Colons separate the
// series of the sample's dimensions and its class.
//
//	0.1,0.2,?:1.5,1.4,1.3:walking
//
// Series have any length, but all series of a sample have the same length. After @timeStamps true each value is in
// brackets with its time, (0,0.1),(0.5,0.2), which is a number or a date, and the series of a sample may have times of
// their own.
func readTS(j *job, from source, asked hints) (c content, err error) {
	h := &tsHeader{known: asked.known, days: byFlag(""), noteOf: j.noteOf}
	err = j.readTable(from.path, ':', func(in *input, line int, fields []string) error {
		switch {
		case len(fields) == 1 && fields[0] == "" || strings.HasPrefix(fields[0], "%"): // as aeon's own files have remarks
			return nil
		case !h.ended:
			return h.set(line, strings.Join(fields, ":"))
		case h.timed:
			fields = joinBracketed(fields)
		}
		x := &sample{source: from, where: fmt.Sprintf("%s, line %d", from.path, line), line: line}
		c.samples = append(c.samples, x)
		return h.sample(in, x, fields)
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
	if h.timed && h.kind != numbers {
		c.second = 1
	}
	if len(h.words) > 0 && !h.known { // after @classLabel true without names, the classes are those of the samples
		c.classes, err = h.classes(from.path, c.samples)
	}
	return c, err
}

// classes returns the classes in the order in which the header names them. Blanks part their names and may be within
// them, as aeon writes and reads them: words that are together the class of a sample are one name.
func (h *tsHeader) classes(path string, samples []*sample) (all []string, err error) {
	first := map[string]*sample{} // of each class
	longest := 1
	for _, x := range samples {
		if first[x.label] == nil {
			first[x.label], longest = x, max(longest, len(strings.Fields(x.label)))
		}
	}
	for at := 0; at < len(h.words); {
		name, words := h.words[at], 1
		for n := min(longest, len(h.words)-at); n > 1; n-- {
			if joined := strings.Join(h.words[at:at+n], " "); first[joined] != nil {
				name, words = joined, n
				break
			}
		}
		if slices.Contains(all, name) {
			return nil, fmt.Errorf("%s, line %d: @classLabel names class %q twice; name each once", path, h.line, name)
		}
		all, at = append(all, name), at+words
	}
	for _, x := range samples {
		if name := strings.Join(strings.Fields(x.label), " "); !slices.Contains(all, name) {
			return nil, fmt.Errorf("%s, line %d: class %.40q is not one of @classLabel (%s); name it there, or see whether "+
				"the line is cut off",
				path, x.line, x.label, strings.Join(h.words, " "))
		}
	}
	return all, nil
}

// joinBracketed joins the fields of a line that was cut at each colon where the colon is within brackets: it is one of
// a time then, as in (12:30:00,0.5).
func joinBracketed(fields []string) (all []string) {
	open := false // the field before has a bracket that it does not close
	for _, field := range fields {
		if open {
			all[len(all)-1] += ":" + field
		} else {
			all = append(all, field)
		}
		last := all[len(all)-1]
		open = strings.LastIndexByte(last, '(') > strings.LastIndexByte(last, ')')
	}
	return all
}

// set takes a line of the header. It leaves out lengths, and whether they are equal: the series themselves show them.
func (h *tsHeader) set(number int, line string) error {
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
	case "@timestamps":
		h.timed = is("true")
	case "@targetlabel":
		if is("true") {
			return errors.New("@targetLabel true: the samples have numbers to predict, ccp tells classes apart; use a set " +
				"with @classLabel true")
		}
	case "@classlabel":
		switch {
		case !is("true") && h.known:
			return nil
		case !is("true"):
			return fmt.Errorf("@classLabel is %q; samples without classes cannot be learned from: want true and the names of "+
				"the classes", value)
		}
		h.words, h.line, h.labelled = words[1:], number, true
	case "@data":
		h.ended = h.labelled || h.known
		if !h.ended {
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
func (h *tsHeader) sample(in *input, x *sample, fields []string) error {
	fields, x.label = h.cutClass(fields)
	if h.dimensions == 0 {
		h.dimensions = max(1, len(fields))
	}
	switch {
	case len(fields) != h.dimensions:
		return fmt.Errorf("%d fields between colons; want %d, a series for each of the %d dimensions and then the class",
			len(fields)+1, h.dimensions+1, h.dimensions)
	case !h.known && x.label == "":
		return errors.New("nothing comes after the last colon; write the sample's class there")
	}
	if h.timed {
		return h.tuples(in, x, fields)
	}
	timepoints := strings.Count(fields[0], ",") + 1
	x.Values = make([]float64, timepoints*h.dimensions)
	for dimension, field := range fields {
		count := strings.Count(field, ",") + 1
		if count != timepoints {
			return fmt.Errorf("dimension %d has %d values, dimension 0 has %d; "+
				"the series of one sample must be of one length: write ? for missing values", dimension, count, timepoints)
		}
		for timepoint, text := range strings.Split(field, ",") {
			value, err := in.exactly(strings.TrimSpace(text))
			if err != nil {
				return fmt.Errorf("dimension %d, value %d: %w", dimension, timepoint, err)
			}
			x.Values[timepoint*h.dimensions+dimension] = value
		}
	}
	return nil
}

// cutClass parts the fields of a line from the class at its end. Lines to classify may have none.
func (h *tsHeader) cutClass(fields []string) (series []string, class string) {
	last := len(fields) - 1
	if h.known {
		endsWithColon := last > 0 && fields[last] == "" // as aeon ends a line without a class
		if endsWithColon {
			return fields[:last], ""
		}
		if !h.labelled || len(fields) == h.dimensions {
			return fields, ""
		}
	}
	return fields[:last], strings.Clone(fields[last])
}

// tuples reads the series of a sample whose values have times. A sensor without a value at a time of another has a
// gap there.
func (h *tsHeader) tuples(in *input, x *sample, fields []string) error {
	values := make([]map[moment]float64, len(fields))
	for dimension, field := range fields {
		var err error
		values[dimension], err = h.timedValues(in, x.line, field)
		if err != nil {
			return fmt.Errorf("dimension %d%w", dimension, err)
		}
	}
	var times []moment
	for _, of := range values {
		times = slices.AppendSeq(times, maps.Keys(of))
	}
	slices.SortFunc(times, func(a, b moment) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rest, b.rest)) })
	times = slices.Compact(times)
	var r rows
	for _, at := range times {
		r.addTime(at.at, at.rest)
		for _, of := range values {
			value, found := of[at]
			if !found {
				value = math.NaN()
			}
			x.Values = append(x.Values, value)
		}
	}
	if times == nil {
		return errors.New("no sensor has a value; remove the sample")
	}
	first := ""
	x.Times, first = exact.FromFirst(r.times, r.rests)
	if first != "" {
		h.noteOf("exact", exact.Note(first)+", such as in "+x.where)
	}
	return nil
}

// timedValues reads the values of a dimension by their times, (0,1.5),(0.5,1.2). The error ends a sentence that begins
// with the dimension.
func (h *tsHeader) timedValues(in *input, line int, field string) (map[moment]float64, error) {
	values := map[moment]float64{}
	if field == "?" { // a sensor without any value
		return values, nil
	}
	balanced := strings.Count(field, "(") == strings.Count(field, ")")
	for n, tuple := range strings.Split(field, ")") {
		tuple = strings.TrimLeft(tuple, ", ")
		if tuple == "" && n > 0 { // the end
			continue
		}
		inside, found := strings.CutPrefix(tuple, "(")
		comma := strings.LastIndexByte(inside, ',')
		if !found || comma < 0 || !balanced {
			return nil, fmt.Errorf(": %.40q is not a time and a value; after @timeStamps true each value is written as "+
				"(0.5,1.2)", tuple)
		}
		at, err := h.when(line, strings.TrimSpace(inside[:comma]))
		if err != nil {
			return nil, fmt.Errorf(", value %d: %w", n, err)
		}
		value, err := in.exactly(strings.TrimSpace(inside[comma+1:]))
		if err != nil {
			return nil, fmt.Errorf(", value %d: %w", n, err)
		}
		_, twice := values[at]
		if twice {
			return nil, fmt.Errorf(" has two values at the time %s; keep one of them", inside[:comma])
		}
		values[at] = value
	}
	return values, nil
}

// moment is a time: a value, and what float64 leaves out of it.
type moment struct{ at, rest float64 }

// when reads a time: a number of any unit, or a date. All of a file are alike.
func (h *tsHeader) when(line int, text string) (m moment, err error) {
	kind := numbers
	m.at, err = float(text)
	m.rest = exact.Rest(text, m.at)
	if err != nil {
		m.at, kind, err = h.days.parse(text, line)
		m.rest = h.days.rest
	}
	switch {
	case err != nil:
		return m, err
	case kind == slashed:
		return m, fmt.Errorf("%s is a day and a month in an order that it does not tell; write the year first: "+
			"2024-05-31", text)
	case h.kindKnown && kind != h.kind:
		return m, fmt.Errorf("%q: times before are of another form; write all alike", text)
	}
	h.kind, h.kindKnown = kind, true
	return m, nil
}
