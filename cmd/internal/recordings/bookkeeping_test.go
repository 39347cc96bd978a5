package recordings

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// lineOf makes the cells of a line of sample i.
type lineOf func(i, timepoint int) string

// described writes recordings with a line for each time point, with a column more; in one table, or in a file for each
// of them.
func described(t *testing.T, column string, cell lineOf, oneTable bool) (path string) {
	t.Helper()
	var table strings.Builder
	folder := t.TempDir()
	for i := range 8 {
		text := ""
		for at := range 12 {
			line := fmt.Sprintf("%d,%d,%s\n", at*at%5+i, (at+i)%7, cell(i, at))
			text += line
			fmt.Fprintf(&table, "s%d,%c,%s", i, 'a'+i%2, line)
		}
		put(t, folder, fmt.Sprintf("set/%c/%d.csv", 'a'+i%2, i), "x,y,"+column+"\n"+text)
	}
	if oneTable {
		return put(t, folder, "r.csv", "sample,label,x,y,"+column+"\n"+table.String())
	}
	return folder + "/set"
}

func ofSample(i, _ int) string { return fmt.Sprint(i%4 + 1) }

// A column that describes the recordings by its name and its whole numbers is no sensor in silence.
func TestColumnsThatDescribeRecordings(t *testing.T) {
	for column, want := range map[string]string{
		"subject":        `column subject … 1 in %s … --group "subject" … --leave "subject"`,
		"Participant_ID": `column Participant_ID … 1 in %s … --group "Participant_ID"`,
		"patient no":     `column patient no … 1 in %s … --group "patient no"`,
		"session":        `column session … which recording … 1 in %s … --leave "session"`,
		"trial":          `column trial … which recording … 1 in %s … --leave "trial"`,
		"id":             `column id … which recording … 1 in %s … --leave "id"`,
		"case_id":        "column case_id … which recording … 1 in %s",
		"fold":           `column fold … split … 1 in %s … --leave "fold"`,
		"split":          "column split … of which split … 1 in %s",
		"class":          `column class … of which class … 1 in %s … --leave "class"`,
		"month":          `column month … date … 1 in %s … --leave "month"`,
	} {
		for _, oneTable := range []bool{true, false} {
			path := described(t, column, ofSample, oneTable)
			where := path + "/a/0.csv"
			if oneTable {
				where = path + `, sample "s0"`
			}
			messagetest.Names(t, refused(t, Options{}, path), fmt.Sprintf(want, where), column)
			for _, o := range []Table{{Leave: []string{column}}, {Take: []string{"x", "y", column}}} {
				made, d := imported(t, Options{Table: o}, path)
				assert.Len(t, made.Sensors, 2+len(o.Take)/3)
				alike(t, Options{Table: o}, d, path)
			}
		}
	}
	path := described(t, "subject", ofSample, true)
	made, _ := imported(t, Options{Group: "subject"}, path)
	assert.Equal(t, []string{"x", "y"}, made.Sensors)
	assert.Equal(t, []string{"1", "2", "3", "4"}, made.Groups)
	assert.Contains(t, made.ReadAs, "; column subject as group")
}

// Several such columns are told of at once.
func TestSeveralColumnsThatDescribeRecordings(t *testing.T) {
	path := described(t, "subject,trial,year,month,day",
		func(i, at int) string { return fmt.Sprintf("%d,%d,2024,5,%d", i%4, i, 3+at/6) }, true)
	message := refused(t, Options{}, path)
	for _, part := range []string{"subject … who", "trial … which recording",
		"year … date",
		"day … date", `--group "subject" keeps`, `--leave "subject,trial,year,month,day"`} {
		messagetest.Names(t, message, part)
	}
	made, _ := imported(t, Options{Group: "subject", Table: Table{Leave: []string{"trial", "year", "month", "day"}}}, path)
	assert.Equal(t, []string{"x", "y"}, made.Sensors)
}

// Buoys and weather stations write a column for each part of a time, some by abbreviations: none is a sensor in
// silence.
func TestColumnsOfThePartsOfTimes(t *testing.T) {
	cells := func(_, at int) string { return fmt.Sprintf("2024,5,%d,%d,%d", 3+at/8, 3*at%24, at%2*30) }
	for _, names := range []string{"YY,MM,DD,hh,mm", "year,month,day,hour,minute", "yr,mo,dy,hr,mn", "YYYY,MM,DD,HH,MI"} {
		message := refused(t, Options{}, described(t, names, cells, false))
		parts := strings.Split(names, ",")
		for i, part := range parts {
			messagetest.Names(t, message, part+" … part of … "+[]string{"date", "date", "date", "time of day",
				"time of day"}[i], names)
		}
		messagetest.Names(t, message, `one column … 2024-05-31 12:00 … --leave "`+names+`"`)
		made, _ := imported(t, Options{Table: Table{Leave: parts}}, described(t, names, cells, false))
		assert.Equal(t, []string{"x", "y"}, made.Sensors)
	}
	short := described(t, "YY,MM,DD,hh", func(_, at int) string { return fmt.Sprintf("24,5,%d,%d", 3+at/8, 3*at%24) },
		false)
	messagetest.Names(t, refused(t, Options{}, short), `--leave "YY,MM,DD,hh"`)
	for name, cell := range map[string]lineOf{ // without a year, or with values that no time has
		"mm":       cells1,
		"yy,mm":    func(_, at int) string { return fmt.Sprintf("%d.5,%d", at%4, at%5) },
		"hour":     cells1,
		"xx,yy":    func(_, at int) string { return fmt.Sprintf("%d,%d", 5*at%7, at%5) },
		"year,min": func(_, at int) string { return fmt.Sprintf("%d,%d", 5*at%7, at%5) },
	} {
		made, _ := imported(t, Options{}, described(t, name, cell, false))
		assert.Len(t, made.Sensors, 3+strings.Count(name, ","), name)
	}
}

func cells1(_, at int) string { return fmt.Sprint(at * at % 11) }

// A sensor may have any name: its values go on within a recording, or are no whole numbers.
func TestSensorsNamedLikeBookkeeping(t *testing.T) {
	for name, cell := range map[string]lineOf{
		"id":      func(i, at int) string { return fmt.Sprint((7*at + i) % 11) },
		"index":   func(i, at int) string { return fmt.Sprintf("%d.5", (at+i)%3) },
		"session": func(i, _ int) string { return fmt.Sprintf("%d.25", i) },
		"case":    func(i, at int) string { return fmt.Sprint((at*at + i) % 5) },
		"split":   func(i, at int) string { return fmt.Sprint(at % 2) },
		"day":     func(i, at int) string { return fmt.Sprint((40*at + i) % 77) },
		"year":    func(i, at int) string { return fmt.Sprint((at + i) % 4) },
		"month":   func(i, at int) string { return fmt.Sprintf("%d.5", (at+i)%4) },
	} {
		for _, oneTable := range []bool{true, false} {
			made, _ := imported(t, Options{}, described(t, name, cell, oneTable))
			assert.Equal(t, []string{"x", "y", name}, made.Sensors)
		}
	}
	for _, name := range []string{"person_height", "idle", "caseload", "daylight", "splitter", "yearly", "classic",
		"userland", "trialing"} {
		assert.Len(t, described3(t, name).Sensors, 3, name)
	}
}

// described3 imports recordings with a whole number of each in a column of some name.
func described3(t *testing.T, name string) *Result {
	made, _ := imported(t, Options{}, described(t, name, ofSample, true))
	return made
}

// Where each line is a sample, whole numbers under such names are no sensors either; parts of dates are told of.
func TestColumnsThatDescribeSamples(t *testing.T) {
	table := func(column string, cell func(i int) string) string {
		text := "age,weight," + column + ",label\n"
		for i := range 24 {
			text += fmt.Sprintf("%d,%d.5,%s,%c\n", 20+i*i%17, 60+i*7%13, cell(i), 'a'+i%2)
		}
		return put(t, t.TempDir(), "r.csv", text)
	}
	number := func(i int) string { return fmt.Sprint(i%5 + 1) }
	for column, want := range map[string]string{
		"subject": "column subject … who … 1 in",
		"fold":    "column fold … split … 1 in",
		"id":      `--columns "id" … --leave "id"`,
		"target":  "column target … class … 1 in",
	} {
		path := table(column, number)
		messagetest.Names(t, refused(t, Options{}, path), want)
		made, _ := imported(t, Options{Table: Table{Leave: []string{column}}}, path)
		assert.Equal(t, []string{"age", "weight"}, made.Sensors)
		made, _ = imported(t, Options{Table: Table{Take: []string{"age", "weight", column}}}, path)
		assert.Len(t, made.Sensors, 3)
	}
	made, _ := imported(t, Options{}, table("month", number))
	assert.Equal(t, []string{"age", "weight", "month"}, made.Sensors)
	messagetest.OneNames(t, made.Notes, `column month … date … sensor … --leave "month"`)
	made, _ = imported(t, Options{}, table("index", func(i int) string { return fmt.Sprintf("%d.5", i%3) }))
	assert.Len(t, made.Sensors, 3)
	require.Empty(t, made.Notes)
}

// The import says what each column is that holds no values, unless its heading says the same.
func TestRolesAreTold(t *testing.T) {
	path := put(t, t.TempDir(), "r.csv", "rec,t,who,x,y,activity\n"+
		"1,0,7,1,2,a\n1,1,7,3,1,a\n2,0,8,2,2,b\n2,1,8,4,1,b\n3,0,9,1,3,a\n3,1,9,2,3,a\n")
	made, _ := imported(t, Options{Group: "who", Label: "activity", Table: Table{Columns: []string{"rec"}}}, path)
	messagetest.Names(t, made.ReadAs,
		"line a time point … commas … rec as sample … activity as class … who as group … t as time")
}
