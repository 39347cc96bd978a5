package recordings

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// A line at the end of a table that sums up those above it is no sample and no reading, whatever column says what it
// is. The import and predict refuse it. What only has such a name, among others, is read.
func TestLinesThatSumUpOthers(t *testing.T) {
	const named, unnamed = "sample,x,y,label\na,1,2,u\nb,3,4,v\nc,2,3,u\n", "x;y;label\n1;2;u\n3;4;v\n"
	for name, c := range map[string]struct {
		text    string
		o       Options
		refused string // with the line
		says    string // in a note
	}{
		"total":                      {text: named + "Total,6,9,u\n", refused: `line 5 … column sample … "Total"`},
		"total as a class":           {text: named + "d,6,9,Total\n", refused: `line 5 … column label … "Total"`},
		"Summe":                      {text: unnamed + "4;6;Summe\n", refused: `line 4 … column label … "Summe"`},
		"grand total, with a colon":  {text: named + "Grand total:,6,9,u\n", refused: `line 5 … column sample … "Grand total:"`},
		"several, and a mean first":  {text: named + "Mean,2,3,u\nSD,1,1,u\nMin,1,2,u\nMax,3,4,u\n", refused: `line 5 … column sample … "Mean"`},
		"several, and a mean last":   {text: named + "Count,2,3,u\nstd,1,1,u\nAverage,1,2,u\n", refused: `line 5 … column sample … "Count"`},
		"a mean and a sum":           {text: named + "Ø,2,3,u\n∑,6,9,u\n", refused: `line 5: column sample is "Ø"`},
		"with what it is of":         {text: named + "Sum of 3 samples,6,9,u\nMean (n=3),2,3,u\n", refused: `line 5 … column sample … "Sum of 3 samples"`},
		"after an empty line":        {text: named + "\n\nTOTAL,6,9,u\n", refused: `line 7 … column sample … "TOTAL"`},
		"in a column left out":       {text: "x,y,what,label\n1,2,p,u\n3,4,q,v\n4,6,Total,u\n", o: Options{Table: Table{Leave: []string{"what"}}}, refused: `line 4 … column what … "Total"`},
		"R's margins":                {text: "\"x\" \"y\" \"label\"\n\"1\" 1 2 u\n\"2\" 3 4 v\n\"Sum\" 4 6 u\n", refused: `line 4 … column 1 … "Sum"`},
		"time points":                {text: "sample,time,x,label\na,0,1,u\na,1,2,u\nb,0,3,v\nb,1,1,v\nTotal,1,7,u\n", refused: `line 6 … column sample … "Total"`},
		"Mittelwert":                 {text: named + "Mittelwert,2,3,u\n", refused: `column sample is "Mittelwert"`},
		"Excel's pivot in German":    {text: named + "Gesamtergebnis,6,9,u\n", refused: `column sample is "Gesamtergebnis"`},
		"Excel's pivot in French":    {text: named + "Total général,6,9,u\n", refused: `column sample … "Total général"`},
		"margins of pandas":          {text: named + "All,6,9,u\n", refused: `column sample is "All"`},
		"in Japanese":                {text: named + "合計,6,9,u\n", refused: `column sample is "合計"`},
		"in Russian":                 {text: named + "Итого,6,9,u\n", refused: `column sample is "Итого"`},
		"a sample amid others":       {text: "sample,x,y,label\na,1,2,u\nTotal,3,4,v\nc,2,3,u\n"},
		"a class of several samples": {text: named + "d,6,9,total\ne,6,9,total\n", says: `class "total" … 2 samples … sum up`},
		"a sample of several lines":  {text: "sample,time,x,label\na,0,1,u\na,1,2,u\nmean,0,3,v\nmean,1,1,v\n"},
		"a person named Max":         {text: named + "Max,2,3,u\n", says: `column sample … "Max" … line 5`},
		"max alone":                  {text: named + "max,3,4,u\n", says: "remove … sums up"},
		"a quartile alone":           {text: named + "25%,3,4,u\n", says: `column sample … "25%" … line 5`},
		"a percentile":               {text: named + "97.5th percentile,3,4,u\n", says: "remove … sums up"},
		"what pandas describes":      {text: named + "count,3,3,u\nmean,2,3,u\nstd,1,1,u\nmin,1,2,u\n25%,1,2,u\n50%,2,3,u\n75%,2,3,u\nmax,3,4,u\n", refused: `line 5 … column sample … "count"`},
		"mean of a column":           {text: named + "Column Mean,2,3,u\n", refused: `column sample … "Column Mean"`},
		"overall average":            {text: named + "Overall average,2,3,u\n", refused: `column sample … "Overall average"`},
		"a sign of the mean":         {text: named + "x\u0304,2,3,u\n", refused: "column sample is"},
		"percentages as classes":     {text: "sample,x,y,label\na,1,2,25%\nb,3,4,50%\nc,2,3,25%\nd,2,3,50%\n"},
		"numbers as names":           {text: "sample,x,y,label\n1,1,2,u\n2,3,4,v\n3,2,3,u\n"},
		"words that begin likewise":  {text: named + "summer,2,3,u\nmeaning,1,2,v\ntotally,1,2,u\naveragely,3,3,v\n"},
		"a sensor named sum": {text: "sample,time,sensor,value,label\n" +
			"a,0,x,1,u\na,0,sum,1,u\nb,0,x,2,v\nb,0,sum,3,v\n"},
	} {
		t.Run(name, func(t *testing.T) {
			path := put(t, t.TempDir(), "r.csv", c.text)
			made := put(t, t.TempDir(), "made.npz", "")
			result, err := Import(t.Context(), []string{path}, made, c.o)
			table := Table{Leave: append([]string{"label"}, c.o.Leave...)}
			_, known := readKnown(t, []string{path}, table, nil, 0)
			if c.refused != "" {
				messagetest.Names(t, err, c.refused)
				assert.ErrorContains(t, err, "remove the line")
				messagetest.Names(t, known, c.refused[strings.Index(c.refused, "column"):], "predict")
				return
			}
			require.NoError(t, err)
			require.NoError(t, known)
			if c.says == "" {
				assert.NotContains(t, strings.Join(result.Notes, "\n"), "sum")
			} else {
				messagetest.OneNames(t, result.Notes, c.says)
			}
		})
	}
}
