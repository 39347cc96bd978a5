package recordings

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

const weka = "% made by hand\n@RELATION 'two moves'\n\n@attribute 'hip x' REAL\n@ATTRIBUTE hand numeric % of " +
	"the right\n" +
	"@attribute activity {walk,'going up', \"o'clock\"}\n@DATA\n"

// An .arff file is a table with a head: names in quotation marks, missing values, remarks, and the classes in their
// order.
func TestARFF(t *testing.T) {
	path := put(t, t.TempDir(), "Moves.arff",
		weka+"1.5,?,walk\n% a pause\n\n-2e-1, 3 ,'going up' % late\n0,1,\"o'clock\"\n7,8,'o\\'clock'\n")
	result, d := imported(t, Options{}, path)
	messagetest.Names(t, result.ReadAs, "line a sample … 1 time point … commas, ARFF … column activity")
	assert.Equal(t, []string{"hip x", "hand"}, result.Sensors)
	assert.Equal(t, []string{"walk", "going up", "o'clock"}, d.ClassNames, "in the order of the file")
	assert.Equal(t, []int32{0, 1, 2, 2}, d.Labels)
	s, err := read(t, []string{path}, Options{})
	require.NoError(t, err)
	assert.Equal(t, []float64{-0.2, 3}, s.samples[1].Values)
	all, _, err := ReadUnlabelled(t.Context(), []string{put(t, t.TempDir(), "new.arff", weka+"1,2,?\n")}, d.Form)
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 2}, all[0].Values, "a new recording needs no class")

	// A series, as in the UCR archive: the columns are time points of one sensor, and the class is called target.
	head := "@relation Gun\n@attribute att1 numeric\n@attribute att2 numeric\n@attribute att3 numeric\n@attribute " +
		"target {1,2}\n@data\n"
	folder := filepath.Join(t.TempDir(), "Gun")
	put(t, folder, "Gun_TRAIN.arff", head+many(4, "1,2,3,1", "3,2,1,2"))
	put(t, folder, "Gun_TEST.arff", head+many(2, "1,2,4,1", "3,2,0,2"))
	put(t, folder, "GunDimension1_TRAIN.arff", head+"1,2,3,1\n")
	result, d = imported(t, Options{}, folder)
	assert.Equal(t, []int{8, 4}, []int{result.Training, result.Test})
	assert.Equal(t, []float32{3, 2, 0}, d.Series[len(d.Series)-1])
	messagetest.Names(t, strings.Join(result.Notes, "\n"), "GunDimension1_TRAIN.arff … left out")

	// Another column may be the class, and blanks may part the values.
	path = put(t, t.TempDir(), "a.arff", "@relation r\n@attribute kind {u,v}\n@attribute x numeric\n@data\nu 1\nv\t2\n")
	s, err = read(t, []string{path}, Options{Label: "kind"})
	require.NoError(t, err)
	assert.Equal(t, []string{"u", "v"}, []string{s.samples[0].label, s.samples[1].label})
	messagetest.Names(t, refused(t, Options{}, path), `no column … "label" … kind, x … --label`)
}

// Files of several dimensions have a relation in place of columns: a row for each dimension, a column for each time
// point.
func TestARFFOfSeveralDimensions(t *testing.T) {
	head := "@relation BasicMotions\n@attribute relationalAtt relational\n  @attribute att0 numeric\n  @attribute att1 " +
		"numeric\n  @attribute att2 " +
		"numeric\n@end relationalAtt\n@attribute activity {Walking,Running}\n@data\n"
	path := put(t, t.TempDir(), "a.arff", head+"'1,2,3\\n4,5,6',Running\n\"7,8,?\\n10,11,12\",Walking\n")
	s, err := read(t, []string{path}, Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"dim_0", "dim_1"}, s.chosen.sensors)
	assert.Equal(t, []float64{1, 4, 2, 5, 3, 6}, s.samples[0].Values)
	assert.Equal(t, []string{"Running", "Walking"}, []string{s.samples[0].label, s.samples[1].label})
	for text, want := range map[string]string{
		head + "'1,2,3\\n4,5,6',Running\n'1,2,3',Walking\n": "line 10 … relationalAtt … 1 rows … 2",
		head + "'1,2\\n4,5',Running\n":                      "relationalAtt … row 0 … 2 values … 3",
		strings.Replace(head, "att1", "height", 1):          "relationalAtt … att0, height, att2 … not numbered",
	} {
		messagetest.Names(t, refused(t, Options{}, put(t, t.TempDir(), "a.arff", text)), want)
	}
}

func TestARFFErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "a.arff … no @data line",
		"x,y\n1,2\n":                          `a.arff, line 1 … "x,y" … before @data`,
		"@relation r\n@data\n1\n":             "line 2 … no @attribute … before @data",
		weka:                                  "a.arff … empty",
		weka + "1,2\n":                        "line 8 … 2 values … 3 … @attribute",
		weka + "1,2,run\n":                    `line 8 … activity … "run" … one of … {walk, going up, o'clock}`,
		weka + "1,2,?\n":                      "line 8 … column activity … class … remove",
		weka + "{0 1, 2 walk}\n":              "line 8 … {1 0.5, …}",
		weka + "1,2,walk,{5}\n":               "weight … {5}",
		weka + "1,2,'walk\n":                  "line 8 … quotation mark … no end",
		weka + "1,2,'walk'x\n":                `"x" … quotation marks … comma`,
		weka + "1,up,walk\n2,3,walk\n":        `line 8 … column hand … "up" … number`,
		"@relation r\n@attribute x complex\n": `x … not understood … "complex"`,
		"@relation r\n@attribute x relational\n@attribute y numeric\n@data\n": "relation … @end",
		"@relation r\n@attribute\n": "line 2 … @attribute … no name",
	} {
		messagetest.Names(t, refused(t, Options{}, put(t, t.TempDir(), "a.arff", text)), want, text)
	}
	folder := t.TempDir()
	put(t, folder, "u/1.arff", "@relation r\n@attribute x numeric\n@attribute class {u,v}\n@data\n1,u\n")
	messagetest.Names(t, refused(t, Options{}, folder), "u … .arff files … by itself")
}
