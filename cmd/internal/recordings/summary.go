package recordings

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gomlx/gomlx/support/xslices"
)

// Words by which tables name the lines that sum up those above them. Those of spreads are names of classes and people
// as well, such as Max, and count beside the others only.
var (
	sums = regexp.MustCompile(`^(?i:(` + ofWhat + `[ _-])?(totals?|sums?|averages?|avg|means?)|` +
		`(sub[- ]?totals?|subsums?|x[\x{0304}\x{0305}])|` +
		`(gesamt|zwischen)?summen?|gesamt|insgesamt|mittel(wert)?e?|durchschnitt|moyennes?|sommes?|totaux|medias?|` +
		`promedios?|sumas?|totales?|all|gesamtergebnis|total (général|general|geral)|totale complessivo|eindtotaal|totaal|` +
		`合計|合计|总计|總計|総計|小计|小計|平均|итого|всего|среднее|∑|Σ|Ø)` + behindSum)
	spreads = regexp.MustCompile(`^(?i:(` + ofWhat + `[ _-])?(medians?|max(imum|imal)?|min(imum|imal)?|counts?|std|` +
		`st\.? ?dev|stdev|sd|sem|variance|var|range|iqr|mode)|anzahl|n|standardabweichung|` +
		`\d{1,2}([.,]\d+)?( ?%| ?(st|nd|rd|th) percentile))` + behindSum)
	// firstWords are the beginnings of all of these, up to the first sign that is no letter.
	firstWords = func() map[string]bool {
		all := map[string]bool{}
		for _, word := range strings.Fields("grand overall column row sample group class " +
			"arithmetic weighted geometric range iqr mode x sub total totals subtotal subtotals sum sums subsum subsums " +
			"average averages avg mean means " +
			"gesamtsumme gesamtsummen zwischensumme zwischensummen summe summen gesamt insgesamt mittel " +
			"mittelwert mittele mittelwerte durchschnitt moyenne moyennes somme sommes totaux media medias " +
			"promedio promedios suma sumas totale totales all gesamtergebnis eindtotaal totaal " +
			"median medians max maximum maximal min minimum minimal " +
			"count counts anzahl n std st stdev sd sem variance var standardabweichung") {
			all[word] = true
		}
		return all
	}()
)

// ofWhat matches what may come before the word: Column Mean.
const ofWhat = `(grand|overall|columns?|rows?|samples?|group|class|total|arithmetic|weighted|geometric)`

// behindSum matches what may come after the word: Total:, Mean (n=20) or Sum of x.
const behindSum = `\.?( ?[:=].*| ?[([±].*| of .*| der .*)?$`

// sumsUp reports that a cell names a line that sums up others, and surely so.
func sumsUp(cell string) (sum, surely bool) {
	end := strings.IndexFunc(cell, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
	if end < 0 {
		end = len(cell)
	}
	switch first := cell[:end]; {
	case end > 0 && !firstWords[strings.ToLower(first)], cell == "":
		return false, false
	case end == 0 && cell[0] < utf8.RuneSelf && (cell[0] < '0' || cell[0] > '9' || len(cell) > len("97.5th percentile")):
		return false, false
	}
	surely = sums.MatchString(cell)
	return surely || spreads.MatchString(cell), surely
}

// summary is a line whose cell in a column names it as one that sums up others.
type summary struct {
	line, column int
	cell         string
	surely       bool
}

// summaries are the last lines of a table that are named as if they sum up others.
type summaries struct {
	last  []summary
	count map[string]int // of all lines of the table that are named so
}

// add looks at the next line of the table. A line that one of the columns names as a sum joins the last ones, and any
// other line shows that those before it are not the end of the table.
func (s *summaries) add(line int, cells []string, columns []int) {
	for _, column := range columns {
		if sum, surely := sumsUp(cells[column]); sum {
			if s.count == nil {
				s.count = map[string]int{}
			}
			s.last = append(s.last, summary{line, column, strings.Clone(cells[column]), surely})
			s.count[cells[column]]++
			return
		}
	}
	s.last = nil
}

// endsWithSums returns an error if the table ends with lines that sum up others. Each is named once: names that come
// again are of samples or classes like others. What may as well be the name of a person or a class, such as Max, is
// told of.
func (t *table) endsWithSums() error {
	last := slices.DeleteFunc(slices.Clone(t.sums.last), func(s summary) bool { return t.sums.count[s.cell] > 1 })
	if len(last) == 0 {
		return nil
	}
	words := xslices.Map(last, func(s summary) string { return s.cell })
	first := last[0]
	if !slices.ContainsFunc(last, func(s summary) bool { return s.surely }) {
		t.job.noteOf("sums", fmt.Sprintf("column %s is %q in line %d of %s, as in a line that sums up those above it; "+
			"read as one like the others: remove it if it sums up", t.headings[first.column], first.cell, first.line,
			t.from.path))
		return nil
	}
	return fmt.Errorf("%s, line %d: column %s is %q, as in a line that sums up those above it (%s); remove "+
		"the line, or name it otherwise if it is one like the others", t.from.path, first.line, t.headings[first.column],
		first.cell, few(words))
}

// naming returns the columns whose cells may name a line, such as Total: those that hold no value, time, date, sensor
// or unit.
func (t *table) naming() (columns []int) {
	for column := range t.headings {
		others := []int{t.time, t.date, t.sensor, t.uses.unit}
		if !slices.Contains(t.valueColumns, column) && !slices.Contains(others, column) {
			columns = append(columns, column)
		}
	}
	return columns
}
