package recordings

// This file takes time points from headings: hip.x@0, hip.x@1 or f0, f1 or 0, 1 are the time points of one series.

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// seriesColumns are the series in the columns of a table.
type seriesColumns struct {
	names   []string
	columns [][]int // of each series, one for each time point
}

// numberAtEnd parts a text from the number at its end.
var numberAtEnd = regexp.MustCompile(`^(.*?)([0-9]{1,8})$`)

// marksTimePoints reports that a heading marks its time point by @, as in hip.x@0.
func marksTimePoints(headings []string) bool {
	return slices.ContainsFunc(headings, func(heading string) bool { return strings.Contains(heading, "@") })
}

// columnEach makes each column a series of one time point.
func columnEach(headings []string) seriesColumns {
	s := seriesColumns{names: headings}
	for column := range headings {
		s.columns = append(s.columns, []int{column})
	}
	return s
}

// seriesByNumber takes headings apart into the name of a series and the number of its time point, in any order. If some
// heading does not fit that, each column is a series of one time point; where @ marks time points, it is an error. It
// is an error, too, if a series lacks a few of its time points, with which the series are returned all the same.
func seriesByNumber(headings []string) (seriesColumns, error) {
	marked := marksTimePoints(headings)
	s, numbers, misfit := groupByName(headings, marked)
	for i := 0; i < len(s.columns) && misfit == ""; i++ {
		var err error
		misfit, err = checkNumbers(headings, s.names[i], s.columns[i], numbers)
		if err != nil {
			return s, err
		}
		if misfit == "" && len(s.columns[i]) != len(s.columns[0]) { // the series differ in length
			misfit = headings[s.columns[i][len(s.columns[i])-1]]
		}
	}
	switch {
	case misfit == "":
		return s, nil
	case marked:
		return seriesColumns{}, fmt.Errorf("column %s: each sensor needs a column for each time point from 0: hip.x@0, "+
			"hip.x@1; correct the headings, or leave it out with --leave %q", misfit, misfit)
	}
	return columnEach(headings), nil
}

// groupByName groups columns by their headings without the numbers at the end, and puts each group in the order of the
// numbers, which it returns by columns. misfit is the first heading that has no number or, where @ marks time points,
// none behind an @; "" if all have.
func groupByName(headings []string, marked bool) (s seriesColumns, numbers []int, misfit string) {
	numbers = make([]int, len(headings))
	for column, heading := range headings {
		match := numberAtEnd.FindStringSubmatch(heading)
		if match == nil || marked && !strings.HasSuffix(match[1], "@") {
			return s, numbers, heading
		}
		name := cmp.Or(strings.TrimRight(match[1], "@_. "), "value")
		numbers[column], _ = strconv.Atoi(match[2]) // at most eight digits, so that it cannot fail
		at := slices.Index(s.names, name)
		if at < 0 {
			at = len(s.names)
			s.names = append(s.names, name)
			s.columns = append(s.columns, nil)
		}
		s.columns[at] = append(s.columns[at], column)
	}
	for _, columns := range s.columns {
		slices.SortStableFunc(columns, func(i, j int) int { return numbers[i] - numbers[j] })
	}
	return s, numbers, ""
}

// checkNumbers checks that the numbers of a series count its time points, from 0 or 1 without a gap. columns are those
// of the series, in the order of their numbers. misfit is a heading that does not fit: that behind the first gap or, if
// the numbers begin later, the last; "" if all fit. It is an error if only a few numbers are missing: then the columns
// are time points all the same.
func checkNumbers(headings []string, name string, columns, numbers []int) (misfit string, err error) {
	n := len(columns)
	first, last := numbers[columns[0]], numbers[columns[n-1]]
	for i, column := range columns {
		expected := first + i
		if numbers[column] == expected {
			continue
		}
		fewMissing := last-first < n+n/minSteps
		if n >= minSteps && fewMissing && first <= 1 {
			return "", fmt.Errorf("columns %s to %s look like the time points of %s, but there is none of number %d: add "+
				"that column, with empty cells, or name all sensors with --take", headings[columns[0]],
				headings[columns[n-1]], name, expected)
		}
		return headings[column], nil
	}
	if first > 1 {
		return headings[columns[n-1]], nil
	}
	return "", nil
}
