package recordings

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// odd is a file of recordings as people have them. text is a file of the class a and of the class b, or an archive of
// several: a line "-- name --" begins each. want are the sensors and the values of the first sample, and @ its times.
type odd struct {
	name, text string
	o          Options
	want       string
	says       string // in what it was read as, or in the notes
	refused    string // what the error says, with line and column; then mend follows its advice, and want holds
	mend       func(text string, o *Options) string
}

func replace(pairs ...string) func(string, *Options) string {
	return func(text string, _ *Options) string { return strings.NewReplacer(pairs...).Replace(text) }
}

func set1(change func(o *Options)) func(string, *Options) string {
	return func(text string, o *Options) string { change(o); return text }
}

func leave(names ...string) func(string, *Options) string {
	return set1(func(o *Options) { o.Leave = names })
}

func packed(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

func wideText(text string) string {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return string(out)
}

const plain = "x,y\n1,2\n3,4\n"

// One file in each class: the same text twice.
var oddRecordings = []odd{
	{name: "commas", text: plain, want: "[x y] [1 2 3 4]", says: "one file … line a time point … commas"},
	{name: "blanks around cells", text: "x, y\n1, 2 \n 3,4\n", want: "[x y] [1 2 3 4]"},
	{name: "semicolons and decimal commas", text: "x;y\n1,5;2\n3;-4,25\n", want: "[x y] [1.5 2 3 -4.25]",
		says: "semicolons, decimal commas"},
	{name: "semicolons and decimal points", text: "x;y\n1.5;2\n3;4\n", want: "[x y] [1.5 2 3 4]",
		says: "time point; semicolons"},
	{name: "more decimal commas than separators", text: "x;y\n1,5;2,5\n3,5;4,5\n", want: "[x y] [1.5 2.5 3.5 4.5]"},
	{name: "an address is no thousands", text: "x\ty\tby\n0.500\t1\t192.168.178.101\n0.25\t2\t192.168.178.101\n",
		o: Options{Table: Table{Leave: []string{"by"}}}, want: "[x y] [0.5 1 0.25 2]"},
	{name: "a version in a comment is no thousands", text: "# firmware 1.024.001\nx;y\n1.024;1\n2.048;2\n",
		want: "[x y] [1.024 1 2.048 2]"},
	{name: "thousands by points, then a decimal point", text: "x;y\n1.234.567;1\n2.048;2\n1.2E3;2\n",
		refused: `1.csv, line 4 … column x … "1.2E3" … decimal point … line 2 … thousands`,
		mend:    replace("1.2E3", "1200"), want: "[x y] [1.234567e+06 1 2048 2 1200 2]", says: "thousands by points"},
	{name: "temperatures", text: "p,T (degC),rh\n1,20,3\n2,19,5\n", want: "[p T (degC) rh] [1 20 3 2 19 5]"},
	{name: "temperatures beside times", text: "T,time [s],p\n20,1,3\n19,2,5\n", want: "[T p] [20 3 19 5]@[1 2]"},
	{name: "seconds", text: "t [s],p\n1,3\n2,5\n", want: "[p] [3 5]@[1 2]", says: "column t [s] as time in s"},
	{name: "seconds, as R names them", text: "Time..ms.,p\n0,3\n10,5\n", want: "[p] [3 5]@[0 10]",
		says: "column Time..ms. … ms"},
	{name: "stamps of digits", text: "time,x\n20240531115959,3\n20240531120000,5\n20240531120001,4\n",
		want: "[x] [3 5 4]@[1.717156799e+09 1.7171568e+09 1.717156801e+09]"},
	{name: "days of digits", text: "date,x\n20240531,3\n20240601,5\n", want: "[x] [3 5]@[1.7171136e+09 1.7172e+09]"},
	{name: "a counter of eight digits", text: "time,x\n20240531,3\n20240601,5\n",
		want: "[x] [3 5]@[2.0240531e+07 2.0240601e+07]"},
	{name: "temperature or time", text: "p,T\n1,20\n2,19\n",
		refused: "1.csv, line 2 … column T … rise … --time T … --take … --leave T",
		mend:    set1(func(o *Options) { o.Take = []string{"p", "T"} }), want: "[p T] [1 20 2 19]"},
	{name: "a least and a greatest temperature", text: "T_min,T_max\n12,20\n11,19\n12,21\n",
		want: "[T_min T_max] [12 20 11 19 12 21]"},
	{name: "temperatures that rise", text: "T_min,t_max,T_amb\n11,20,3\n12,19,4\n13,21,2\n",
		want: "[T_min t_max T_amb] [11 20 3 12 19 4 13 21 2]",
		o:    Options{Table: Table{Take: []string{"T_min", "t_max", "T_amb"}}}},
	{name: "a surface and the air", text: "T_s,T_air\n11,20\n12,19\n13,21\n",
		o:    Options{Table: Table{Take: []string{"T_s", "T_air"}}},
		want: "[T_s T_air] [11 20 12 19 13 21]"},
	{name: "numbered temperatures", text: "T_s,T1,p\n12,20,1\n11,19,2\n12,21,1\n",
		want: "[T_s T1 p] [12 20 1 11 19 2 12 21 1]"},
	{name: "one temperature alone", text: "T_min,p\n12,20\n11,19\n",
		refused: "1.csv, line 2 … column T_min … rise … --time T_min … --take … --leave T_min",
		mend:    set1(func(o *Options) { o.Take = []string{"T_min", "p"} }), want: "[T_min p] [12 20 11 19]"},
	{name: "a temperature that stays", text: "T_h,p\n12,20\n12,20\n12,21\n",
		refused: "1.csv, line 2 … column T_h … rise",
		mend:    set1(func(o *Options) { o.Take = []string{"T_h", "p"} }), want: "[T_h p] [12 20 12 20 12 21]"},
	{name: "minutes", text: "t_min,p\n0,20\n1,19\n2,21\n", want: "[p] [20 19 21]@[0 1 2]",
		says: "column t_min … min"},
	{name: "seconds beside temperatures", text: "t_s,T_in,T_out\n0,20,1\n1,19,2\n2,21,1\n",
		want: "[T_in T_out] [20 1 19 2 21 1]@[0 1 2]",
		says: "column t_s as time in s"},
	{name: "a time beside a temperature", text: "T_min,time,p\n12,0,1\n11,1,3\n12,2,1\n",
		want: "[T_min p] [12 1 11 3 12 1]@[0 1 2]",
		says: "column time as time"},
	{name: "milliseconds that come late", text: "t_ms,p\n0,20\n20,19\n10,21\n", want: "[p] [20 21 19]@[0 10 20]",
		says: "not in the order"},
	{name: "tabs with a missing cell", text: "x\ty\tz\n1\t\t3\n4\t5\t6\n", want: "[x y z] [1 NaN 3 4 5 6]", says: "tabs"},
	{name: "tabs and decimal commas", text: "x\ty\n1,5\t2\n", want: "[x y] [1.5 2]", says: "tabs, decimal commas"},
	{name: "bars", text: "x|y\n1|2\n", want: "[x y] [1 2]", says: "bars"},
	{name: "aligned by blanks", text: "  x    y\n1.0  2.0 \n3.0  -4.0\n", want: "[x y] [1 2 3 -4]", says: "blanks"},
	{name: "mark of UTF-8, Windows' line ends", text: "\ufeffx,y\r\n1,2\r\n3,4\r\n", want: "[x y] [1 2 3 4]"},
	{name: "gzip", text: packed(plain), want: "[x y] [1 2 3 4]", says: "gzip"},
	{name: "UTF-16", text: wideText("x\ty\n1\t2\n"), want: "[x y] [1 2]", says: "UTF-16"},
	{name: "Windows-1252", text: "x \xb0C,y\n1,2\n", want: "[x °C y] [1 2]", says: "Windows-1252"},
	{name: "Excel's sep", text: "sep=;\nx;y\n1;2\n", want: "[x y] [1 2]", says: "semicolons"},
	{name: "Excel's sep of two separators", text: "sep=,\r\n\"x;1\",\"y;1\"\r\n1,2\r\n", want: "[x;1 y;1] [1 2]",
		says: "commas"},
	{name: "Excel's sep of a single column with decimal commas", text: "sep=;\nx\n1,5\n2,5\n3,5\n",
		want: "[x] [1.5 2.5 3.5]", says: "decimal commas"},
	{name: "Excel's sep that fewer lines have than commas", text: "sep=;\nx\n1,5\n2,5;\n3,5\n", want: "[x] [1.5 2.5 3.5]",
		says: "decimal commas"},
	{name: "other words before the headings", text: "logger 5\nx;y\n1;2\n",
		refused: "line 2 … 2 cells … 1 columns … #",
		mend:    replace("logger", "#logger"), want: "[x y] [1 2]", says: "semicolons"},
	{name: "minus signs of print", text: "x;y\n−1,5;2\n3;−0,25\n", want: "[x y] [-1.5 2 3 -0.25]", says: "decimal commas"},
	{name: "headings that look alike", text: "x ,x,y\n1,2,3\n",
		refused: `columns 1 and 2 … "x" … apart`, mend: replace("x ,", "z,"), want: "[z x y] [1 2 3]"},
	{name: "two marks of UTF-8", text: "\ufeff\ufeffx,y\n1,2\n", want: "[x y] [1 2]"},
	{name: "decomposed letters", text: "gro\u0308ße,y\n1,2\n", o: Options{Table: Table{Take: []string{"größe"}}},
		want: "[größe] [1]"},
	{name: "headings again", text: "time,x\n0,1\n1,2\ntime,x\n0,5\n", refused: "line 4 … headings … again … cut",
		mend: replace("\ntime,x\n0,5", "\n2,5"), want: "[x] [1 2 5]@[0 1 2]"},
	{name: "zeros at the end", text: "x,y\n1,2\n" + strings.Repeat("1,3\n", 1<<15) + "\x00\x00\x00\n",
		refused: "line 32771 … zero bytes",
		mend:    func(string, *Options) string { return plain }, want: "[x y] [1 2 3 4]"},
	{name: "trash", text: "x,y\n1,2\n3,\xff\xff\xff\n", refused: `line 3 … column y … "ÿÿÿ" … number`,
		mend: replace("\xff\xff\xff", "4"), want: "[x y] [1 2 3 4]"},
	{name: "a line cut off", text: "x,y\n1,2\n3", refused: "line 3 … 1 cells … 2 columns",
		mend: replace("\n3", "\n3,?"), want: "[x y] [1 2 3 NaN]"},
	{name: "a column of no times", text: "time,x\n,1\n,2\n",
		refused: `line 2 … column time … "" … not a time … 31.05.2024 12:00 … --leave "time"`,
		mend:    leave("time"), want: "[x] [1 2]"},
	{name: "a zone of hours and minutes", text: "time,x\n2024-04-11 12:25:59.487929+00:00,1\n2024-04-11 " +
		"14:26:00.487929+02:00,2\n", want: "[x] [1 2]@[1.712838359487929e+09 1.712838360487929e+09]"},
	{name: "a last frame without its time", text: "time,x\n" +
		"1,1\n2,3\n3,2\n4,4\n5,1\n6,2\n7,3\n8,1\n9,2\n10,1\n" +
		"11,4\n12,2\n13,1\n14,2\n15,3\n16,1\n17,2\n18,3\n19,1\n20,2\n0,1\n",
		refused: "line 22 … back … 20 to 0",
		mend:    func(string, *Options) string { return "time,x\n1,1\n2,3\n" }, want: "[x] [1 3]@[1 2]"},
	{name: "comments", text: "# made by a logger, version 2\n#\nx,y\n1,2\n# a pause\n3,4\n", want: "[x y] [1 2 3 4]"},
	{name: "blank lines", text: "\n\nx,y\n1,2\n\n3,4\n\n", want: "[x y] [1 2 3 4]"},
	{name: "quotation marks", text: "\"x\",\"y\"\n\"1\",\"2\"\n", want: "[x y] [1 2]"},
	{name: "commas within headings", text: "\"x, left\";y\n1;2\n", want: "[x, left y] [1 2]"},
	{name: "headings with blanks", text: "left knee,right knee\n1,2\n", want: "[left knee right knee] [1 2]"},
	{name: "one column", text: "heart rate\n61\n62\n", want: "[heart rate] [61 62]"},
	{name: "missing values", text: "x,y\n1,NA\nnull,2\nNaN,?\n,n/a\nNone,-\n#N/A,3\n5,#N/A\n",
		want: "[x y] [1 NaN NaN 2 NaN NaN NaN NaN NaN NaN NaN 3 5 NaN]", says: "taken for missing values: #N/A (4), - (2)"},
	{name: "exponents", text: "x,y\n1e3,-2E-1\n+4,.5\n", want: "[x y] [1000 -0.2 4 0.5]"},
	{name: "units", text: "x,y\ng,m/s^2\n1,2\n", want: "[x y] [1 2]", says: "line 2 holds units: x g, y m/s^2"},
	{name: "units in brackets, some without", text: "x;y;z\n[g];;-\n1;2;3\n", want: "[x y z] [1 2 3]",
		says: "holds units"},
	{name: "units that begin with numbers", text: "x,y,z,w\n1/min,[1],10^3 Pa,m/s2\n1,2,3,4\n",
		want: "[x y z w] [1 2 3 4]", says: "holds units"},
	{name: "thousands by blanks between blanks", text: "x\n1 234\n1 377\n2 001\n",
		refused: "1.csv, line 4 … 1 … 234 … line 2 … thousands, 1 234",
		mend:    replace("1 ", "1", "2 ", "2"), want: "[x] [1234 1377 2001]"},
	{name: "R's table of three digits, without quotation marks", text: "x\n1 234\n2 377\n3 101\n",
		want: "[x] [234 377 101]", says: "only numbers the lines"},
	{name: "units of times", text: "time,x\n(ms),(g)\n0,1\n10,2\n", want: "[x] [1 2]@[0 10]",
		says: "column time … ms"},
	{name: "pandas' index", text: ",x,y\n0,1,2\n1,3,4\n", want: "[x y] [1 2 3 4]",
		says: "numbers the lines … left out"},
	{name: "pandas' index read again", text: "Unnamed: 0,x,y\n0,1,2\n1,3,4\n", want: "[x y] [1 2 3 4]",
		says: "numbers the lines … left out"},
	{name: "R's names of rows", text: "\"\",\"x\"\n\"1\",5\n\"2\",NA\n", want: "[x] [5 NaN]",
		says: "numbers the lines … left out"},
	{name: "R's table", text: "\"x\" \"y\"\n\"1\" -0.626 NA\n\"2\" 1e-05 0.5\n", want: "[x y] [-0.626 NaN 1e-05 0.5]",
		says: "column 1 … numbers the lines … left out"},
	{name: "R's table with names of lines", text: "x\ty\nMazda RX4\t21\t6\nDatsun 710\t22.8\t4\n",
		want: "[x y] [21 6 22.8 4]",
		says: `first column … "Mazda RX4" … left out`},
	{name: "R's table between commas", text: "\"x\",\"y\"\n\"1\",-0.626,NA\n\"2\",5,0.5\n",
		want: "[x y] [-0.626 NaN 5 0.5]"},
	{name: "R's table between semicolons", text: "x;y\n1;-0,626;2\n2;5;0,5\n", want: "[x y] [-0.626 2 5 0.5]"},
	{name: "UTF-16 without a mark", text: wideText("x\ty\n1\t2\n")[2:], want: "[x y] [1 2]", says: "UTF-16"},
	{name: "R's table with decimal commas", text: "\"x\"\t\"y\"\n\"1\"\t-0,626\t3\n", want: "[x y] [-0.626 3]"},
	{name: "words and values before the headings", text: "station 5\nx y z\n1 2 3\n", refused: `line 1 … column 2 … "5"`,
		mend: replace("station", "# station"), want: "[x y z] [1 2 3]"},
	{name: "words before the headings", text: "made by\nx y z\n1 2 3\n",
		refused: "line 2 … 3 cells … 2 columns",
		mend:    replace("made", "# made"), want: "[x y z] [1 2 3]"},
	{name: "a separator at the end of lines", text: "x,y,\n1,2,\n3,4,\n", want: "[x y] [1 2 3 4]"},
	{name: "a separator at the end of values only", text: "x;y\n1;2;\n", want: "[x y] [1 2]"},
	{name: "times", text: "time,x\n0,1\n0.5,2\n3,4\n", want: "[x] [1 2 4]@[0 0.5 3]", says: "column time as time"},
	{name: "times last, with a unit", text: "x,T [ms]\n1,0\n2,10\n", want: "[x] [1 2]@[0 10]",
		says: "column T [ms] … ms"},
	{name: "dates", text: "Timestamp,x\n2024-05-31T12:00:00.5Z,1\n2024-05-31T12:00:02Z,2\n",
		want: "[x] [1 2]@[1.7171568005e+09 1.717156802e+09]", says: "in seconds"},
	{name: "dates with blanks", text: "date;x\n2024-05-31 12:00:00;1,5\n2024-05-31 12:01:00;2\n",
		want: "[x] [1.5 2]@[1.7171568e+09 1.71715686e+09]"},
	{name: "times with decimal commas", text: "t;x\n0,5;1\n1,5;2\n", want: "[x] [1 2]@[0.5 1.5]"},
	{name: "times of day", text: "time,x\n00:00:01,1\n00:00:02.5,2\n", want: "[x] [1 2]@[1 2.5]"},
	{name: "durations of pandas", text: "time,x\n-1 days +23:59:59.500000,1\n0 days 00:00:00,2\n1 days 00:00:01.25,3\n",
		want: "[x] [1 2 3]@[-0.5 0 86401.25]", says: "in seconds"},
	{name: "durations beyond a day", text: "time;x\n23:59:59,5;1\n24:00:00;2\n100:00:00;3\n",
		want: "[x] [1 2 3]@[86399.5 86400 360000]"},
	{name: "durations of polars", text: "time,x\nPT0S,1\nPT0.5S,2\nP1DT2H3M4.5S,3\n", want: "[x] [1 2 3]@[0 0.5 93784.5]"},
	{name: "minutes and seconds", text: "time,x\n00:59.5,1\n01:00.0,2\n100:00.25,3\n",
		want: "[x] [1 2 3]@[59.5 60 6000.25]"},
	{name: "dates in ISO's basic form", text: "time,x\n20240531T120000.5,1\n20240531T120001.5,2\n",
		want: "[x] [1 2]@[1.7171568005e+09 1.7171568015e+09]"},
	{name: "days of the year", text: "time,x\n2024-152T12:00:00,1\n2024-152T12:00:01,2\n",
		want: "[x] [1 2]@[1.7171568e+09 1.717156801e+09]"},
	{name: "dates of C", text: "time,x\nFri May 31 12:00:00 2024,1\nFri May 31 12:00:01 2024,2\n",
		want: "[x] [1 2]@[1.7171568e+09 1.717156801e+09]"},
	{name: "JSON", text: "{\"x\": 1}\n{\"x\": 2}\n",
		refused: "1.csv … JSON … no table … CSV",
		mend:    func(string, *Options) string { return plain }, want: "[x y] [1 2 3 4]"},
	{name: "letters of DOS", text: "f\x81r,y\n1,2\n",
		refused: "1.csv … UTF-8 … Windows-1252",
		mend:    replace("\x81", "ü"), want: "[für y] [1 2]"},
	{name: "a head of LabVIEW's", text: "LabVIEW Measurement\t\nSeparator\tTab\n\nx\ty\tz\n1\t2\t3\n4\t5\t6\n7\t8\t9\n",
		refused: `line 1 … "LabVIEW Measurement" … one cell … 3`,
		mend:    replace("LabV", "#LabV", "Sep", "#Sep"), want: "[x y z] [1 2 3 4 5 6 7 8 9]"},
	{name: "tslearn's text", text: "1.0 2.0|4.0 5.0\n1.5 2.5|4.5 5.5\n",
		refused: "line 1 … tslearn's save_time_series_txt",
		mend:    func(string, *Options) string { return plain }, want: "[x y] [1 2 3 4]"},
	{name: "times that go back", text: "time,x\n1,2\n0,1\n", want: "[x] [1 2]@[0 1]",
		says: "not in the order"},
	{name: "times left out", text: "time,x\n1,2\n0,1\n", o: Options{Table: Table{Leave: []string{"time"}}},
		want: "[x] [2 1]"},
	{name: "times of another name", text: "When,x\n1,2\n2,1\n", o: Options{Table: Table{Time: "when"}},
		want: "[x] [2 1]@[1 2]"},
	{name: "a column of words left out", text: "x,activity\n1,up\n2,down\n",
		o: Options{Table: Table{Leave: []string{"activity"}}}, want: "[x] [1 2]"},
	{name: "a sensor left out", text: "hip.x,hip.y,knee.x,knee.y\n1,2,3,4\n",
		o: Options{Table: Table{Leave: []string{"hip"}}}, want: "[knee] [3 4]"},
	{name: "columns taken, in that order", text: "z,who,y,x\n1,me,2,3\n",
		o: Options{Table: Table{Take: []string{"x", "z"}}}, want: "[x z] [3 1]"},

	{name: "the same heading twice", text: "x,y,x\n1,2,3\n", refused: `1.csv, line 1 … columns 1 and 3 … "x"`,
		mend: replace("y,x\n", "y,z\n"), want: "[x y z] [1 2 3]"},
	{name: "a column of words", text: "x,activity\n1,up\n", refused: `line 2 … column activity … "up" … number`,
		mend: leave("activity"), want: "[x] [1]"},
	{name: "decimal commas between commas", text: "x,y\n\"1,5\",2\n", refused: `line 2 … column x … "1,5" … number`,
		mend: replace(`"1,5"`, "1.5"), want: "[x y] [1.5 2]"},
	{name: "decimal commas and points", text: "x;y\n1,5;2\n1.25;4\n",
		refused: `line 3 … column x … "1.25" … decimal point … line 2 … decimal comma`,
		mend:    replace(".", ","), want: "[x y] [1.5 2 1.25 4]"},
	{name: "decimal commas and no other separator",
		text: "x,y\n1,5,2\n", refused: "line 2 … 3 cells … 2 columns … # … decimal commas … semicolons",
		mend: replace("x,y", "x;y", "5,2", "5;2"), want: "[x y] [1.5 2]"},
	{name: "decimal commas in one column", text: "x\n1,5\n2,5\n",
		refused: "line 2 … 2 cells … 1 columns … # … decimal commas … semicolons",
		mend:    replace("x", "x;", "5\n", "5;\n"), want: "[x] [1.5 2.5]"},
	{name: "thousands by points", text: "x;y\n998,5;2\n1.234;-1.014.120,5\n",
		want: "[x y] [998.5 2 1234 -1.0141205e+06]", says: "semicolons, decimal commas … thousands by points"},
	{name: "thousands by commas", text: "x,y\n\"1,014.12\",2\n\"2,014\",3.5\n", want: "[x y] [1014.12 2 2014 3.5]",
		says: "commas, thousands by commas"},
	{name: "thousands by points between commas", text: "x,y\n\"1.014,12\",2\n\"3,5\",3\n",
		want: "[x y] [1014.12 2 3.5 3]"},
	{name: "thousands by blanks and apostrophes", text: "x;y\n1 014,12;2'000\n12;3\n", want: "[x y] [1014.12 2000 12 3]"},
	{name: "three cells, no thousands", text: "x,y,z\n1,014,120.5\n", want: "[x y z] [1 14 120.5]"},
	{name: "a comma before three digits is a decimal comma", text: "x;y\n1,014;2\n", want: "[x y] [1.014 2]"},
	{name: "errors of spreadsheets and loggers", text: "x;y;z\n#NV;#DIV/0!;1\n#WERT!;---;OVER\n1;2;Bad\n",
		want: "[x y z] [NaN NaN 1 NaN NaN NaN 1 2 NaN]",
		says: "missing values … #DIV/0! (2), #NV (2), #WERT! (2), --- (2), Bad (2), OVER (2)"},
	{name: "dates of a German logger", text: "Zeit;x\n28.03.2024 07:58:31,000;1.014,120\n28.03.2024 " +
		"07:58:31,500;998,5\n", want: "[x] [1014.12 998.5]@[1.711612711e+09 1.7116127115e+09]",
		says: "semicolons, decimal commas … thousands by points … column Zeit … seconds"},
	{name: "the day first, as one date says", text: "date,x\n01/02/2024 07:58,1\n13/02/2024 07:58,2\n",
		want: "[x] [1 2]@[1.70677428e+09 1.70781108e+09]"},
	{name: "the month first, as one date says", text: "date,x\n02/01/2024 07:58,1\n02/13/2024 07:58,2\n",
		want: "[x] [1 2]@[1.70677428e+09 1.70781108e+09]"},
	{name: "a day or a month, on one day", text: "date,x\n01/02/2024 07:58,1\n01/02/2024 07:59,2\n",
		want: "[x] [1 2]@[1.70677428e+09 1.70677434e+09]"},
	{name: "a day or a month", text: "date,x\n01/02/2024 07:58,1\n02/02/2024 07:58,2\n",
		refused: "1.csv, line 3 … 02/02/2024 … --dates day … --dates month",
		mend:    set1(func(o *Options) { o.Dates = "day" }), want: "[x] [1 2]@[1.70677428e+09 1.70686068e+09]"},
	{name: "a month or a day", text: "date,x\n2-1-2024 07:58,1\n2-2-2024 07:58,2\n",
		refused: "--dates day … --dates month",
		mend:    set1(func(o *Options) { o.Dates = "month" }), want: "[x] [1 2]@[1.70677428e+09 1.70686068e+09]"},
	{name: "a month or a day, on another day in UTC", text: "date,x\n01/03/2024 23:30:00 -0500,1\n",
		o: Options{Table: Table{Dates: "month"}}, want: "[x] [1]@[1.7043426e+09]"},
	{name: "days and months in both orders", text: "date,x\n13/02/2024,1\n02/13/2024,2\n",
		refused: "line 3 … column date … 13/02/2024 … line 2 … 02/13/2024 … alike",
		mend:    replace("02/13", "14/02"), want: "[x] [1 2]@[1.7077824e+09 1.7078688e+09]"},
	{name: "a date under another name", text: "When,x\n2024-05-31 12:00,1\n",
		refused: `line 2 … column When … "2024-05-31 12:00" … date … --time "When" … --leave "When"`,
		mend:    set1(func(o *Options) { o.Time = "When" }), want: "[x] [1]@[1.7171568e+09]"},
	{name: "a time under another name", text: "step,x\n0.1,5\n0.2,4\n0.4,5\n0.5,4\n0.6,5\n0.7,4\n",
		refused: "column step … rises … 0.1 to 0.7",
		mend:    set1(func(o *Options) { o.Time = "step" }), want: "[x] [5 4 5 4 5 4]@[0.1 0.2 0.4 0.5 0.6 0.7]"},
	{name: "a counter beside the time", text: "time,n,x\n1,7,5\n2,8,4\n3,9,5\n4,10,4\n5,11,5\n6,12,4\n",
		refused: `--time "n" … --leave "n" … --take n,x`,
		mend:    leave("n"), want: "[x] [5 4 5 4 5 4]@[1 2 3 4 5 6]"},
	{name: "a sensor that rises", text: "n,x\n7,5\n8,4\n9,5\n10,4\n11,5\n12,4\n",
		refused: "column n … rises", mend: set1(func(o *Options) { o.Take = []string{"n", "x"} }),
		want: "[n x] [7 5 8 4 9 5 10 4 11 5 12 4]"},
	{name: "times of other names", text: "Elapsed Time [ms],x\n0,1\n10,2\n", want: "[x] [1 2]@[0 10]",
		says: "as time in ms"},
	{name: "a value with its unit", text: "x,y\n1,2\n3 g,4\n",
		refused: `line 3 … column x … "3 g" … number`, mend: replace(" g", ""),
		want: "[x y] [1 2 3 4]"},
	{name: "a value too large", text: "x,y\n1,2\n1e99,4\n",
		refused: `line 3 … column x … "1e99" … number … ?`,
		mend:    replace("1e99", "?"), want: "[x y] [1 2 NaN 4]"},
	{name: "infinity", text: "x,y\n1,2\ninf,4\n", refused: `line 3: column x: "inf"`, mend: replace("inf", "?"), want: "[x y] [1 2 NaN 4]"},
	{name: "a cell too few", text: "x;y\n1;2\n3\n",
		refused: "line 3 … 1 cells … 2 columns",
		mend:    replace("3\n", "3;\n"), want: "[x y] [1 2 3 NaN]"},
	{name: "a missing value between blanks", text: "x y z\n1 2 3\n4  6\n",
		refused: "line 3 … 2 cells … 3 columns",
		mend:    replace("4  6", "4 ? 6"), want: "[x y z] [1 2 3 4 NaN 6]"},
	{name: "lines before the headings", text: "Device: 7\nx,y\n1,2\n",
		refused: "line 2 … 2 cells … 1 columns … #",
		mend:    replace("Device", "# Device"), want: "[x y] [1 2]"},
	{name: "no headings", text: "1,2\n3,4\n", refused: `line 1 … column 1 … "1" … columns`,
		mend: func(text string, _ *Options) string { return "x,y\n" + text }, want: "[x y] [1 2 3 4]"},
	{name: "a spreadsheet's own file", text: "PK\x03\x04...", refused: "1.csv … not text … UTF-8",
		mend: func(string, *Options) string { return plain }, want: "[x y] [1 2 3 4]"},
	{name: "zeros between the bytes", text: "x\x00,\x00y\x00", refused: "1.csv … not text … UTF-8",
		mend: func(string, *Options) string { return plain }, want: "[x y] [1 2 3 4]"},
	{name: "half of a gzip", text: packed(plain)[:20], refused: "cut off or damaged",
		mend: func(string, *Options) string { return packed(plain) }, want: "[x y] [1 2 3 4]"},
	{name: "two columns of times", text: "time,timestamp,x\n0,5,1\n", want: "[x] [1]@[0]",
		says: "column timestamp … left out … --time time"},
	{name: "a sensor named like times", text: "time,t,x\n0,5,1\n", o: Options{Table: Table{Time: "time"}},
		want: "[t x] [5 1]@[0]", says: "column time as time"},
	{name: "a day and a time of day", text: "date,time,x\n2024-05-31,12:00,1\n2024-06-01,12:01,2\n",
		want: "[x] [1 2]@[1.7171568e+09 1.71724326e+09]"},
	{name: "a time of day and its day", text: "Uhrzeit;Datum;x\n12:00:01;31.05.2024;1\n12:01:00;31.05.2024;2\n",
		want: "[x] [1 2]@[1.717156801e+09 1.71715686e+09]"},
	{name: "a day left out", text: "date,time,x\n2024-05-31,12:00,1\n2024-05-31,12:01,2\n",
		o: Options{Table: Table{Leave: []string{"date"}}}, want: "[x] [1 2]@[43200 43260]"},
	{name: "a day and a time with its day", text: "date,time,x\n2024-05-31,2024-05-31 12:00,1\n2024-05-31,2024-05-31 " +
		"12:01,2\n", want: "[x] [1 2]@[1.7171568e+09 1.71715686e+09]"},
	{name: "a day and seconds", text: "date,time,x\n2024-05-31,0.5,1\n2024-05-31,1,2\n", want: "[x] [1 2]@[0.5 1]"},
	{name: "a time twice", text: "time,x\n0,1\n0,2\n",
		refused: "line 3 … line 2 … this time … --leave",
		mend:    leave("time"), want: "[x] [1 2]"},
	{name: "no time", text: "time,x\nnoon,1\n", refused: `line 2 … column time … "noon" … not a time`, mend: leave("time"), want: "[x] [1]"},
	{name: "a missing time", text: "time,x\n0,1\n,2\n", refused: `line 3 … column time … "" … not a time`,
		mend: leave("time"), want: "[x] [1 2]"},
	{name: "dates and numbers", text: "time,x\n2024-05-31,1\n5,2\n",
		refused: `line 3 … column time … "5" … another form`,
		mend:    replace("\n5,", "\n2024-06-01,"), want: "[x] [1 2]@[1.7171136e+09 1.7172e+09]"},
	{name: "nothing of that name to leave", text: plain, o: Options{Table: Table{Leave: []string{"z"}}},
		refused: `--leave "z" … no column … x, y`, mend: leave("y"), want: "[x] [1 3]"},
	{name: "nothing of that name to take", text: plain, o: Options{Table: Table{Take: []string{"z"}}},
		refused: `line 1 … no column … "z" … x, y`,
		mend:    set1(func(o *Options) { o.Take = []string{"x"} }), want: "[x] [1 3]"},
	{name: "a quotation mark within", text: "x,y\n1,\"2\"\"\n", refused: "line 2, character ",
		mend: replace(`"2""`, "2"), want: "[x y] [1 2]"},
	{name: "a column without a heading", text: "x,,y\n1,5,2\n",
		refused: `line 2 … column 2 … no heading … "5" … --leave "column 2"`,
		mend:    leave("column 2"), want: "[x y] [1 2]"},
	{name: "names of rows", text: ",x,y\na,1,2\n",
		refused: `line 2 … column 1 … no heading … "a" … --leave "column 1"`,
		mend:    leave("column 1"), want: "[x y] [1 2]"},
	{name: "units, and one that is a number", text: "x,y\ng,1\n1,2\n",
		refused: `line 2 … column x … "g" … number … units … #`,
		mend:    replace("\ng", "\n#g"), want: "[x y] [1 2]"},
	{name: "nothing", text: "", refused: "1.csv … empty",
		mend: func(string, *Options) string { return plain }, want: "[x y] [1 2 3 4]"},
	{name: "headings only", text: "x,y\n", refused: "1.csv … no line … values",
		mend: replace("y\n", "y\n1,2\n"), want: "[x y] [1 2]"},
	{name: "axes that one sensor lacks", text: "a.x,a.y,b.x,b.y,b.z\n1,2,3,4,5\n",
		refused: `line 1 … sensors (a, b) … axes … --leave "b.z"`,
		mend:    leave("b.z"), want: "[a b] [1 2 3 4]"},
	{name: "a sensor without axes among others", text: "battery,hip.x,hip.y\n1,2,3\n",
		refused: `line 1 … sensors (battery, hip) … axes … --leave "battery"`,
		mend:    leave("battery"), want: "[hip] [2 3]"},
	{name: "axes of a sensor apart", text: "a.x,b.x,a.y,b.y\n1,2,3,4\n", want: "[a b] [1 3 2 4]"},
	{name: "nothing but times", text: "time\n1\n2\n", refused: "line 1 … no column of values",
		mend: func(string, *Options) string { return plain }, want: "[x y] [1 2 3 4]"},
	{name: "a sensor without values", text: "x,y\n1,\n3,\n", refused: `"y" … no value`,
		mend: set1(func(o *Options) { o.Missing = "zero" }), want: "[x y] [1 NaN 3 NaN]"},
}

// Several files.
var oddFiles = []odd{
	{name: "columns in another order", text: "-- r/a/1.csv --\nx,y\n1,2\n-- r/b/1.csv --\ny,x\n2,1\n",
		want: "[x y] [1 2] [1 2]", says: "columns … another order"},
	{name: "axes in another order", text: "-- r/a/1.csv --\nh.x,h.y\n1,2\n-- r/b/1.csv --\nh.y,h.x\n2,1\n",
		want: "[h] [1 2] [1 2]"},
	{name: "other dialects", text: "-- r/a/1.csv --\nx,y\n1,2\n-- r/b/1.tsv --\nx\ty\n1,5\t2\n",
		want: "[x y] [1 2] [1.5 2]", says: "commas … line a time point … tabs, decimal commas"},
	{name: "notes beside", text: "-- r/a/1.csv --\nx\n1\n-- r/a/notes.txt --\nhello\n-- r/b/1.txt --\nx\n1\n-- " +
		"r/readme.md --\n", want: "[x] [1] [1]"},
	{name: "folders of a split", text: "-- r/train/a/1.csv --\nx\n1\n-- r/train/b/1.csv --\nx\n2\n-- r/test/a/1.csv " +
		"--\nx\n3\n", want: "[x] [1] [2] [3] test", says: "the folders"},
	{name: "folders of a split, of other names", text: "-- r/Training/a/1.csv --\nx\n1\n-- r/Testing/b/1.csv --\nx\n3\n",
		want: "[x] [1] [3] test"},
	{name: "a folder of a split too many", text: "-- r/test/a/1.csv --\nx\n1\n-- r/train/a/1.csv --\nx\n2\n-- " +
		"r/val/b/1.csv --\nx\n3\n", refused: "test … folders, no recordings … train and test",
		mend: replace("r/val", "r/train"), want: "[x] [2] [3] [1] test"},
	{name: "classes named train and test", text: "-- r/train/1.csv --\nx\n1\n-- r/test/1.csv --\nx\n3\n",
		want: "[x] [1] [3]"},
	{name: "a line a time point", text: "-- r.csv --\nsample,time,x,y,label\na,0,1,2,u\na,1,3,4,u\nb,0,5,6,v\n",
		want: "[x y] [1 2 3 4]@[0 1] [5 6]@[0]", says: "line a time point … commas … column time"},
	{name: "a line a time point, in any order",
		text: "-- r.csv --\nsample,time,x,label\nb,1,6,v\na,1,3,u\nb,0,5,v\na,0,1,u\n", want: "[x] [5 6]@[0 1] [1 3]@[0 1]"},
	{name: "a line a time point, without times", text: "-- r.csv --\nlabel;sample;x;y\nu;a;1,5;2\nv;b;5;6\nu;a;3;4\n",
		want: "[x y] [1.5 2 3 4] [5 6]", says: "line a time point … semicolons, decimal commas"},
	{name: "a line a time point, other names", text: "-- r.csv --\nid,When,x,kind\na,0,1,u\nb,0,5,v\n",
		o: Options{Table: Table{Columns: []string{"id", "When"}}, Label: "kind"}, want: "[x] [1]@[0] [5]@[0]"},
	{name: "a line a time point, axes and groups",
		text: "-- r.csv --\nsample,h.x,h.y,who,label\na,1,2,me,u\nb,5,6,you,v\n", o: Options{Group: "who"},
		want: "[h] [1 2] [5 6]"},
	{name: "a line a time point, numbered sensors",
		text:    "-- r.csv --\nsample,x1,x2,label\na,1,2,u\na,3,4,u\nb,5,6,v\n",
		refused: `r.csv, line 3 … "a" … line 2 … --layout timepoints`,
		mend:    set1(func(o *Options) { o.Layout = "timepoints" }), want: "[x1 x2] [1 2 3 4] [5 6]"},
	{name: "a line a reading", text: "-- r.tsv --\nsample\ttime\tsensor\tvalue\tlabel\na\t0\tp\t1,5\tu\nb\t0\tp\t2\tv\n",
		want: "[p] [1.5]@[0] [2]@[0]", says: "line a reading … tabs, decimal commas"},
	{name: "a line a reading, one sensor left out",
		text: "-- r.csv --\nsample,time,sensor,value,label\na,0,p,1,u\na,0,q,1,u\nb,0,p,2,v\n",
		o:    Options{Table: Table{Leave: []string{"q"}}}, want: "[p] [1]@[0] [2]@[0]"},
	{name: "a line a reading, with units",
		text: "-- r.csv --\nsample,time,sensor,value,label\n-,s,-,bpm,-\na,0,p,1,u\nb,0,p,2,v\n",
		want: "[p] [1]@[0] [2]@[0]", says: "holds units"},
	{name: "a line a reading, and units that differ",
		text:    "-- r.csv --\nsample,time,sensor,value,unit,label\na,0,p,1,V,u\na,0,q,1,,u\nb,0,p,2000,mV,v\nb,0,q,2,K,v\n",
		refused: `r.csv, line 4 … column unit … "p" … mV … V … --leave "unit"`,
		mend:    replace("2000,mV", "2,V"), want: "[p q] [1 1]@[0] [2 2]@[0]"},
	{name: "a line a reading, and units that differ between files",
		text: "-- r.csv --\nsample,time,sensor,value,unit,label\na,0,p,1,V,u\n-- s.csv " +
			"--\nsample,time,sensor,value,unit,label\nb,0,p,2000,mV,v\n",
		refused: `s.csv, line 2 … column unit … "p" … mV … V`,
		mend:    leave("unit"), want: "[p] [1]@[0] [2000]@[0]"},
	{name: "a line a reading, and a column of nothing",
		text: "-- r.csv --\nsample,time,sensor,value,status,label\na,0,p,1,ok,u\nb,0,p,2,error,v\n",
		want: "[p] [1]@[0] [2]@[0]", says: "column status … no value … left out"},
	{name: "a line a sample", text: "-- r.csv --\nf0,f1,f2,label\n1,2,3,u\n4,5,6,v\n", want: "[f] [1 2 3] [4 5 6]",
		says: "line a sample … 3 time points … commas"},
	{name: "a line a sample, plain numbers", text: "-- r.csv --\nlabel,0,1,2\nu,1,2,3\nv,4,5,6\n",
		want: "[value] [1 2 3] [4 5 6]"},
	{name: "a line a sample, numbers from 1, pandas' index", text: "-- r.csv --\n,t_1,t_2,label\n7,1,2,u\n9,4,5,v\n",
		want: "[t] [1 2] [4 5]", says: "numbers the lines … left out"},
	{name: "a line a sample, two series", text: "-- r.csv --\nx_0,x_1,y_0,y_1,label\n1,2,3,4,u\n5,6,7,8,v\n",
		want: "[x y] [1 3 2 4] [5 7 6 8]"},
	{name: "a line a sample, sensors at time points",
		text: "-- r.csv --\nhip.x@0,hip.y@0,hip.x@1,hip.y@1,label\n1,2,3,4,u\n5,6,7,8,v\n",
		want: "[hip] [1 2 3 4] [5 6 7 8]"},
	{name: "a line a sample, no time points", text: "-- r.csv --\nwidth,height,label\n1,2,u\n5,6,v\n",
		want: "[width height] [1 2] [5 6]"},
	{name: "a line a sample, named", text: "-- r.csv --\nsample,f0,f1,label\na,1,2,u\nb,4,5,v\n", want: "[f] [1 2] [4 5]"},
	{name: "a line a sample, one time point lacking", text: "-- r.csv --\nh@0,h@1,k@0,label\n1,2,3,u\n5,6,7,v\n",
		refused: "r.csv, line 1 … column k@0 … from 0",
		mend:    leave("k@0"), want: "[h] [1 2] [5 6]"},
	{name: "a line a sample, one column of no time point", text: "-- r.csv --\nh@0,h@1,age,label\n1,2,3,u\n5,6,7,v\n",
		refused: `r.csv, line 1 … column age … hip.x@0, hip.x@1 … --leave "age"`,
		mend:    leave("age"), want: "[h] [1 2] [5 6]"},
	{name: "several tables", text: "-- a.csv --\nsample,x,label\na,1,u\n-- b.csv --\nsample,x,label\na,2,v\n",
		want: "[x] [1] [2]"},
	{name: "a table to train and one to test",
		text: "-- r_test.csv --\nsample,x,label\na,1,u\n-- r_train.csv --\nsample,x,label\na,2,v\n",
		want: "[x] [2] [1] test", says: "the files"},
	{name: "tables in folders to train and to test",
		text: "-- r/train/a.csv --\nsample,x,label\na,1,0\nb,3,1\n-- r/test/b.csv --\nsample,x,label\na,2,1\n",
		want: "[x] [1] [3] [2] test", says: "the folders"},
	{name: "the same, classes in another column",
		text: "-- r/train/a.csv --\nsample,x,of\na,1,0\n-- r/Testing/b.csv --\nsample,x,of\na,2,1\n",
		o:    Options{Label: "of"}, want: "[x] [1] [2] test", says: "the folders"},
	{name: "a class in the folder and in a column",
		text: "-- r/u/1.csv --\nx,label\n1,7\n-- r/v/1.csv --\nx,label\n2,8\n", want: "[x] [1] [2]",
		says: "column label … left out … folder"},
	{name: "a class in a column and in a table",
		text: "-- r.csv --\nsample,x,label\na,1,7\nb,2,7\n-- labels.csv --\nsample,label\na,u\nb,v\n",
		o:    Options{Labels: "labels.csv"}, want: "[x] [1] [2]", says: "column label … left out … --labels"},
	{name: "a folder and labels", text: "-- r/1.csv --\nx\n1\n-- r/2.csv --\nx\n2\n-- labels.csv " +
		"--\nsample;label\n1;u\n2.csv;v\n", o: Options{Labels: "labels.csv"}, want: "[x] [1] [2]"},
	{name: "a folder and labels, one lacking",
		text: "-- r/1.csv --\nx\n1\n-- r/2.csv --\nx\n2\n-- labels.csv --\nsample,label\n1,u\n",
		o:    Options{Labels: "labels.csv"}, refused: `labels.csv … no label … "2.csv" … line 2`,
		mend: replace("1,u\n", "1,u\n2.csv,v\n"), want: "[x] [1] [2]"},
	{name: "readings in folders of classes",
		text: "-- r/train/u/1.csv --\nsample,time,sensor,value\na,0,p,1\na,1,p,2\nb,0,p,3\n-- r/train/v/1.csv " +
			"--\nsample,time,sensor,value\na,0,p,5\n-- r/test/u/1.csv --\nsample,time,sensor,value\nc,0,p,7\n",
		want: "[p] [1 2]@[0 1] [3]@[0] [5]@[0] [7]@[0] test", says: "one line a reading"},
	{name: "readings of one recording in folders of classes",
		text: "-- r/u/1.csv --\nZeit;sensor;value\n0,5;p;1\n0,5;q;2\n-- r/v/1.csv " +
			"--\nZeit;sensor;value\n0,5;q;3\n0,5;p;4\n", want: "[p q] [1 2]@[0.5] [4 3]@[0.5]"},
	{name: "time points in folders of classes",
		text: "-- r/u/1.csv --\nsample,time,x,who\na,0,1,me\na,1,2,me\nb,0,3,you\n-- r/v/1.csv " +
			"--\nsample,time,x,who\na,0,5,me\n", o: Options{Group: "who"}, want: "[x] [1 2]@[0 1] [3]@[0] [5]@[0]",
		says: "line a time point"},
	{name: "time points of other names in folders of classes",
		text: "-- r/u/1.csv --\nid,When,x\na,0,1\na,1,2\n-- r/v/1.csv --\nid,When,x\na,0,5\n",
		o:    Options{Table: Table{Columns: []string{"id", "when"}}}, want: "[x] [1 2]@[0 1] [5]@[0]"},
	{name: "a sensor named sensor", text: "-- r/u/1.csv --\ntime,sensor\n0,1\n1,2\n-- r/v/1.csv --\ntime,sensor\n0,3\n",
		want: "[sensor] [1 2]@[0 1] [3]@[0]"},
	{name: "samples that may be time points",
		text:    "-- r/u/1.csv --\nsample,x\n0,1\n1,2\n-- r/v/1.csv --\nsample,x\n0,5\n1,4\n",
		refused: "1.csv … column sample … 2 lines … --leave sample … --layout samples",
		mend:    leave("sample"), want: "[x] [1 2] [5 4]"},
	{name: "samples in folders of classes", text: "-- r/u/1.csv --\nsample,x\n0,1\n1,2\n-- r/v/1.csv --\nsample,x\n0,5\n",
		o: Options{Table: Table{Layout: "samples"}}, want: "[x] [1] [2] [5]"},
	{name: "series of the UEA archive", text: "-- r.ts --\n@classLabel true u v\n@data\n1,2:3,4:u\n5,?:7,8:v\n",
		want: "[dim_0 dim_1] [1 3 2 4] [5 7 NaN 8]", says: ".ts"},
	{name: "packed series", text: "-- r.ts.gz --\n" + packed("@classLabel true u v\n@data\n1,2:u\n5,?:v\n"),
		want: "[dim_0] [1 2] [5 NaN]"},

	{name: "columns that one file lacks", text: "-- r/a/1.csv --\nx,y,z\n1,2,3\n-- r/b/1.csv --\nx,w,y\n1,5,2\n",
		refused: "1.csv, line 1 … z, w … not in",
		mend:    leave("z", "w"), want: "[x y] [1 2] [1 2]"},
	{name: "units that differ", text: "-- r/a/1.csv --\nx\ng\n1\n-- r/b/1.csv --\nx\nm/s^2\n9.81\n",
		refused: "1.csv, line 2 … column x … m/s^2 … g … convert",
		mend:    replace("m/s^2", "g", "9.81", "1"), want: "[x] [1] [1]"},
	{name: "time points without a sample", text: "-- r.csv --\ntime,id,x,label\n0,a,1,u\n1,a,2,u\n0,b,3,v\n",
		refused: "r.csv, line 1 … no layout … timepoints … column headed sample … --columns",
		mend:    set1(func(o *Options) { o.Columns = []string{"id"} }), want: "[x] [1 2]@[0 1] [3]@[0]"},
	{name: "samples named by another column", text: "-- r.csv --\nid,x,label\na,1,u\na,2,u\nb,3,v\n",
		refused: `r.csv, line 2 … column id … "a" … number … --leave "id" … --columns "id"`,
		mend:    set1(func(o *Options) { o.Columns = []string{"id"} }), want: "[x] [1 2] [3]"},
	{name: "no classes", text: "-- r.csv --\nsample,x,activity\na,1,u\nb,2,v\n",
		refused: `r.csv, line 1 … no column … "label" … sample, x, activity … --label`,
		mend:    set1(func(o *Options) { o.Label = "activity" }), want: "[x] [1] [2]"},
	{name: "recordings without classes", text: "-- r/1.csv --\nx\n1\n-- r/2.csv --\nx\n2\n",
		refused: `no column … "label" … x … --label … --labels … folder`,
		mend:    replace("r/1", "r/a/1", "r/2", "r/b/2"), want: "[x] [1] [2]"},
	{name: "classes that change", text: "-- r.csv --\nsample,x,label\na,1,u\na,2,v\nb,1,v\n",
		refused: `r.csv, line 3 … column label … "v" … sample "a" … "u" … line 2`,
		mend:    replace("a,2,v", "b,2,v"), want: "[x] [1] [2 1]"},
	{name: "classes of Weka's CSVSaver", text: "-- r.csv --\nx,label\n1,walk\n2,'going up'\n", want: "[x] [1] [2]",
		says: "class 'going up' … apostrophes … Weka's CSVSaver"},
	{name: "a class that is missing", text: "-- r.csv --\nx,label\n1,u\n2,NA\n3,none\n", want: "[x] [1] [2] [3]",
		says: `class "NA" … 1 sample … missing values`},
	{name: "an empty class", text: "-- r.csv --\nsample,x,label\na,1,u\nb,1,\n",
		refused: "r.csv, line 3 … column label … empty", mend: replace("b,1,", "b,1,v"),
		want: "[x] [1] [1]"},
	{name: "a reading twice", text: "-- r.csv --\nsample,time,sensor,value,label\na,0,p,1,u\na,0,p,2,u\nb,0,p,2,v\n",
		refused: `r.csv, line 3 … sensor "p" … this time … sample "a" … line 2`,
		mend:    replace("a,0,p,2,u\n", ""), want: "[p] [1]@[0] [2]@[0]"},
	{name: "tables of two layouts", text: "-- a.csv --\nsample,x,label\na,1,u\n-- b.csv --\nx,label\n2,v\n",
		refused: "b.csv … layout samples … layout timepoints … by itself",
		mend:    replace("x,label\n2", "sample,x,label\nb,2"), want: "[x] [1] [2]"},
	{name: "tables and series", text: "-- a.csv --\nsample,x,label\na,1,u\n-- b.ts --\n@classLabel true u " +
		"v\n@data\n1:u\n2:v\n", refused: "a .ts file … a table … by itself",
		mend: func(text string, _ *Options) string { return text[strings.Index(text, "-- b.ts"):] }, want: "[dim_0] [1] [2]"},
	{name: "another ending", text: "-- r.dat --\nsample,x,label\na,1,u\nb,2,v\n",
		refused: "r.dat … neither … .csv",
		mend:    replace("r.dat", "r.csv"), want: "[x] [1] [2]"},
	{name: "a class without recordings", text: "-- r/a/1.csv --\nx\n1\n-- r/b/1.csv --\nx\n1\n-- r/c/readme --\n",
		refused: `c … no .csv or .npy … class "c"`,
		mend:    replace("r/c/readme --\n", "r/c/1.csv --\nx\n3\n"), want: "[x] [1] [1] [3]"},
}

// write writes the files of a case, and returns what to import.
func (c odd) write(t *testing.T, text string, o *Options) (inputs []string) {
	t.Helper()
	folder := t.TempDir()
	if !strings.HasPrefix(text, "-- ") {
		put(t, folder, "r/a/1.csv", text)
		put(t, folder, "r/b/1.csv", text)
		return []string{filepath.Join(folder, "r")}
	}
	labels := o.Labels
	for _, part := range strings.Split("\n"+text, "\n-- ")[1:] {
		name, text, _ := strings.Cut(part, " --\n")
		if !strings.HasSuffix(name, ".gz") {
			text += "\n"
		}
		path := put(t, folder, name, text)
		if top, _, _ := strings.Cut(name, "/"); name == labels {
			o.Labels = path
		} else if input := filepath.Join(folder, top); len(inputs) == 0 || inputs[len(inputs)-1] != input {
			inputs = append(inputs, input)
		}
	}
	return inputs
}

// Files as people have them are imported rightly, or refused with the place and a way out that works.
func TestOddFiles(t *testing.T) {
	cases := append(append([]odd{}, oddRecordings...), oddFiles...)
	require.GreaterOrEqual(t, len(cases), 60)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o, text := c.o, c.text
			inputs := c.write(t, text, &o)
			out := filepath.Join(t.TempDir(), "out.npz")
			if c.refused != "" {
				_, err := Import(t.Context(), inputs, out, o)
				messagetest.Names(t, err, c.refused)
				assert.NoFileExists(t, out)
				o = c.o
				text = c.mend(text, &o)
				inputs = c.write(t, text, &o)
			}
			result, err := Import(t.Context(), inputs, out, o)
			require.NoError(t, err)
			s, err := read(t, inputs, o)
			require.NoError(t, err)
			got := fmt.Sprint(s.chosen.sensors)
			for i, x := range s.samples {
				if strings.HasPrefix(text, "-- ") || i == 0 {
					got += fmt.Sprint(" ", x.Values)
					if x.Times != nil {
						got += fmt.Sprint("@", x.Times)
					}
					if x.test != "" {
						got += " test"
					}
				}
			}
			assert.Equal(t, c.want, got)
			if c.says != "" {
				messagetest.Names(t, result.ReadAs+"\n"+strings.Join(result.Notes, "\n")+result.SplitBy, c.says)
			}
			_, err = os.Stat(out)
			assert.NoError(t, err)
		})
	}
}
