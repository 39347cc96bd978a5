package recordings

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// almostNumber matches what people mean as a number and is none here, such as (12), 12-, 5 %, EUR 5,00 or inf;
// unitOfNumbers matches units that begin with a number, such as 1/min, 10^3 or [1].
var (
	almostNumber = regexp.MustCompile(`^(?i:[\p{Ps}\p{Sc}\p{Pd}\s+~<>≈≤≥'=−±]*\p{N}.*|\p{L}+ \p{N}.*|` +
		`[-+−]?inf(inity)?)$`)
	unitOfNumbers = regexp.MustCompile(`^([\[(]?(1/\pL|10\^|10[⁻⁰-⁹¹²³]).*|\[.*\])$`)
)

// isAlmostNumber reports that a cell is no number, and yet meant as one rather than as a unit.
func isAlmostNumber(cell string) bool {
	return almostNumber.MatchString(cell) && !unitOfNumbers.MatchString(cell)
}

// takeUnits reports whether the line below the headings holds units: words, and no value. It keeps them, as those of
// the columns and of the times. It is an error if a recording before, or the training, has another unit of a column.
func (t *table) takeUnits(line int, cells []string) (found bool, err error) {
	var units []string
	for _, column := range append(slices.Clone(t.valueColumns), t.time) {
		if column < 0 || isMissing(cells[column]) {
			continue
		}
		_, err := t.valueOf(t.in, column, line, cells[column])
		meantAsValue := errors.As(err, new(unreadable)) || errors.As(err, new(contrary)) ||
			column != t.time && isAlmostNumber(cells[column])
		if meantAsValue {
			return false, nil
		}
		if column == t.time {
			_, _, err = t.when(t.in, line, cells[column])
		} else {
			units = append(units, t.headings[column]+" "+cells[column])
		}
		if err == nil { // a value, or a time
			return false, nil
		}
	}
	if units == nil { // a word in the column of times alone is no sign of units
		return false, nil
	}
	t.job.note("line %d holds units: %s", line, few(units))
	if t.time >= 0 {
		t.unit = strings.Trim(cells[t.time], "()[]")
	}
	for _, column := range t.valueColumns {
		name, unit := t.headings[column], strings.Clone(cells[column])
		before := cmp.Or(t.chosen.units[name], t.Units[name], unit)
		if unit != before && unit != "" {
			return true, fmt.Errorf("column %s is in %s here and in %s in other recordings; convert the values, "+
				"or correct the unit", name, unit, before)
		}
		t.chosen.units[name] = unit
	}
	return true, nil
}
