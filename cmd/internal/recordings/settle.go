package recordings

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// settle says which mark comes before decimals in all files, noMark where no number has any, and what a person should
// know of it. The training's decides where no number tells.
func (d *dialect) settle() (decimal mark, note string, err error) {
	decimal = cmp.Or(d.decimal, d.like)
	points, commas := d.open[anyPoint], d.open[anyComma]
	switch {
	case d.reliant != nil && decimal != comma:
		return noMark, "", d.reliant
	case d.says != "":
		return decimal, "", nil
	case d.bare.text != "" && decimal == comma && !d.known && !d.quoted:
		return noMark, "", fmt.Errorf("%s may be %s, as %s has %s, or %s, as commas separate the cells of its "+
			"file; %s", d.bare.such(), plainly(d.bare.text, comma), d.teller, d.teller.has(comma), d.bare.text, d.way())
	case decimal == point:
		return point, d.doubts(cmp.Or(commas, d.grouping)), nil
	case decimal == comma:
		return comma, d.doubts(cmp.Or(points, d.grouping)), d.apartFromCommas()
	case points.text != "" && commas.text != "":
		return noMark, "", fmt.Errorf("%s and %s have marks of which one is before decimals and the other "+
			"between thousands, and no number tells which; %s", points.such(), commas.such(), d.way())
	}
	return d.guess(points, commas)
}

// apartFromCommas returns an error if the numbers of a column all have three digits after a point, and only other
// columns have decimal commas: the column may have been written otherwise.
func (d *dialect) apartFromCommas() error {
	if d.decimal == noMark || !d.doubtful() {
		return nil
	}
	for _, heading := range slices.Sorted(maps.Keys(d.columns)) {
		c := d.columns[heading]
		if c.open.text != "" && !c.comma && (c.below.text == "" || c.beyond.text != "") {
			return fmt.Errorf("column %s: %s may be %s, as %s in another column has %s, or have decimals; %s", heading,
				c.open.such(),
				thousandfold(c.open.text), d.teller, d.teller.has(comma), d.way())
		}
	}
	return nil
}

// doubts tells of a number whose marks between thousands only others tell, and of numbers that are written unlike the
// training's.
func (d *dialect) doubts(grouping numeral) string {
	decimal, others := cmp.Or(d.decimal, d.like), "the training's numbers have "
	if d.decimal != noMark {
		others = d.teller.String() + " has "
	}
	switch {
	case grouping.text != "" && !d.grouped:
		return fmt.Sprintf("the %s of %s is taken for a mark between thousands, so that it is %s, as %s%s; if it is before "+
			"decimals, write it as %s", other(decimal).name(), grouping.such(), thousandfold(grouping.text), others,
			numeral{}.has(decimal), strings.Replace(grouping.text, sign[other(decimal)], sign[decimal], 1))
	case d.decimal != noMark && d.like != noMark && d.decimal != d.like:
		return fmt.Sprintf("%s has %s, and the training's numbers have %s; each is read as it is written", d.teller,
			d.teller.has(d.decimal), numeral{}.has(d.like))
	}
	return ""
}

// sign is how each mark before decimals is written.
var sign = map[mark]string{point: ".", comma: ","}

// other returns the other mark of the two that numbers have.
func other(decimal mark) mark {
	if decimal == comma {
		return point
	}
	return comma
}

// guess settles which mark comes before decimals where no number tells it: where there are open numbers only, and all
// of one mark. That mark is taken to be before decimals. It is an error if it may as well be between thousands, and not
// each file is one for itself. One such case is a column with whole numbers below 1,000 and none beyond, such as 315
// beside 1.921: the open number may be the one beyond. The other is a comma where semicolons do not separate the
// cells, as they do where commas are before decimals.
func (d *dialect) guess(points, commas numeral) (decimal mark, note string, err error) {
	for _, heading := range slices.Sorted(maps.Keys(d.columns)) {
		c := d.columns[heading]
		maybeThousands := c.open.text != "" && c.below.text != "" && c.beyond.text == ""
		if maybeThousands && !d.apart {
			return noMark, "", fmt.Errorf("column %s: %s may be %s, as the column has whole numbers, such as %s, or have "+
				"decimals; %s", heading, c.open.such(), thousandfold(c.open.text), c.below, d.way())
		}
	}
	switch {
	case commas.text != "" && d.between[anyComma] != ';' && !d.apart:
		return noMark, "", fmt.Errorf("%s may be %s or have a decimal comma, and no number tells; %s", commas.such(),
			thousandfold(commas.text), d.way())
	case commas.text != "":
		return comma, d.guessed("comma", commas, decimalPoint), nil
	case d.asked.text != "":
		return point, d.guessed("point", d.asked, decimalComma), nil
	case points.text != "":
		return point, "", nil
	}
	return noMark, "", nil
}

// guessed tells how numbers are read where none tells, and what to do if that is wrong.
func (d *dialect) guessed(mark string, n numeral, other string) string {
	way := "say --decimal " + other
	if d.known {
		way = "leave these out"
	}
	return fmt.Sprintf("numbers such as %s are read with a decimal %s; if %[2]ss are between thousands, %[3]s", n.such(),
		mark, way)
}

// thousandfold writes a number without the marks between its thousands.
func thousandfold(text string) string { return strings.NewReplacer(".", "", ",", "").Replace(text) }

// way says how a person settles which mark comes before decimals.
func (d *dialect) way() string {
	if d.known {
		return "write numbers without marks between thousands, and decimals not by three digits alone, such as 1.0"
	}
	return "say --decimal comma if points are between thousands, or --decimal point if commas are"
}

// opens are the numbers of a sample that are open, by their places.
type opens struct{ points, commas placeSet }

// add keeps the place of a number, if it is open.
func (o *opens) add(at int, open mark) {
	switch open {
	case anyPoint:
		o.points.set(at)
	case anyComma:
		o.commas.set(at)
	}
}

// settle multiplies values whose marks are between thousands by a factor: a thousand, or 0 for what float64 leaves out
// of them. Others may share the values, which are cloned then.
func (o *opens) settle(values []float64, decimal mark, factor float64) []float64 {
	these := o.points
	if decimal == point {
		these = o.commas
	}
	if len(these) == 0 {
		return values
	}
	values = slices.Clone(values)
	for at := range values {
		if these.has(at) {
			values[at] = math.Round(factor * values[at])
		}
	}
	return values
}

// placeSet is a set of places.
type placeSet []uint64

func (b *placeSet) set(at int) {
	for len(*b) <= at/64 {
		*b = append(*b, 0)
	}
	(*b)[at/64] |= 1 << (at % 64)
}

func (b placeSet) has(at int) bool { return at/64 < len(b) && b[at/64]>>(at%64)&1 > 0 }

// settle reads the numbers of samples that were open, and says how the numbers of their files are written.
func (r *reading) settle(samples []*sample) error {
	decimal, note, err := r.dialect.settle()
	if err != nil {
		return err
	}
	if note != "" {
		r.note("%s", note)
	}
	for _, x := range samples {
		x.rows.values = x.rows.open.settle(x.rows.values, decimal, 1000)
		x.rows.times = x.rows.openTimes.settle(x.rows.times, decimal, 1000)
		x.rows.rests = x.rows.openTimes.settle(x.rows.rests, decimal, 0)
	}
	r.decimal = decimal
	return nil
}
