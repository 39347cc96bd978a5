package recordings

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stations is a table of samples by four stations, s1 to s4, of 20 days. gaps says which cells are empty.
func stations(gaps ...string) string {
	text := "s1,s2,s3,s4,label\n"
	for day := range 20 {
		for s := range 4 {
			cell := fmt.Sprintf("%d", 10*(s+1)+day*(1+s/2)%7)
			for _, gap := range gaps {
				if gap == fmt.Sprintf("%d:s%d", day, s+1) {
					cell = ""
				}
			}
			text += cell + ","
		}
		text += []string{"dry", "wet"}[day%2] + "\n"
	}
	return text
}

// Two stations lie at both sides of the 180th degree, two at the 70th of latitude: on a plane of degrees others would
// be near.
const degrees = "Name;Latitude (deg);Longitude (deg);Elevation\ns1;0;179;12\ns2;0;-179;8000\ns3;70;0;1\ns4;70;5;3\n"

func TestPositionsInDegrees(t *testing.T) {
	folder := t.TempDir()
	table, positions := put(t, folder, "rain.csv", stations()), put(t, folder, "stations.csv", degrees)
	result, d := imported(t, Options{Positions: positions, Neighbours: 1}, table)
	assert.Equal(t, []string{"s1", "s2", "s3", "s4"}, result.Sensors, "sensors, not the time points of one")
	assert.Equal(t, 1, result.Timepoints.Longest)
	assert.Equal(t, []float64{1, 0, 1, 0}, []float64{d.Affinity.At(0, 1), d.Affinity.At(1, 2), d.Affinity.At(2, 3),
		d.Affinity.At(0, 3)})
	messagetest.Names(t, result.Graph, "1 nearest … "+positions+" … sphere")
	messagetest.EachNames(t, result.Notes, "column Elevation … "+positions+" … left out")
	assert.Equal(t, []string{"s1", "s2", "s3", "s4"}, d.NodeNames)
	assert.Nil(t, d.Grid, "pictures are maps")
	require.Len(t, d.Coordinates, 4*2)
	for at, want := range []float64{0, 0, 70, 70} {
		assert.Equal(t, want, d.Coordinates[2*at+1], "to the north")
	}
	east := func(a, b int) float64 { return d.Coordinates[2*b] - d.Coordinates[2*a] }
	assert.InDelta(t, 2*east(2, 3)/5, east(0, 1), 1e-9, "all degrees of longitude are of one length")
	assert.Positive(t, east(0, 1))

	// A column without a place is no sensor.
	more := put(t, folder, "more.csv", "s1,s2,gauge,label\n"+many(10, "1,2,3,u", "3,4,5,v"))
	result, _ = imported(t, Options{Positions: positions, Neighbours: 1}, more)
	assert.Equal(t, []string{"s1", "s2"}, result.Sensors)
	messagetest.OneNames(t, result.Notes, positions+" … no position … column gauge … left out")
	points, dims, err := (&positionsOf{of: map[string][]float64{"a": {0, 90}}, degrees: true}).points([]string{"a"}, "")
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{0, 1, 0}, points, 1e-12)
	assert.Equal(t, 3, dims)

	// What moves has its coordinates in each frame.
	text := "sample,time,s1,s2,label\n"
	for i := range 20 {
		text += fmt.Sprintf("%d,0,1,2,%c\n%d,1,1,1,%c\n", i, 'u'+i%2, i, 'u'+i%2)
	}
	timepoints := put(t, folder, "timepoints.csv", text)
	_, d = imported(t, Options{Positions: positions, Neighbours: 1}, timepoints)
	assert.Equal(t, d.Coordinates[:4], d.Coordinates[4:])

	// New samples are sensors, too.
	sensors := []string{"s1", "s2", "s3", "s4"}
	s, err := readKnown(t, []string{put(t, folder, "new.csv", "s2,s1,s3,s4\n2,1,3,4\n5,4,6,7\n")},
		Table{Layout: samplesLayout, Take: sensors}, sensors, 1)
	require.NoError(t, err)
	require.Len(t, s.samples, 2)
	assert.Equal(t, []float64{1, 2, 3, 4}, s.samples[0].Values)

	for _, c := range []struct {
		text, want string
		o          Options
	}{
		{text: strings.Replace(degrees, "s2;0", "s2;95", 1),
			want: "stations.csv, line 3 … latitude 95 … longitude -179 … 90 and 180 … x and y"},
		{text: strings.Replace(degrees, "s2;0", "s2;north", 1),
			want: `stations.csv, line 3 … "north" … finite number … sensor,x,y`},
		{text: degrees + "s1;1;1;1\n", want: `stations.csv, line 6 … "s1" … position already`},
		{text: strings.Replace(degrees, "s3;", "S3;", 1), o: Options{Table: Table{Take: []string{"s1", "s3"}}},
			want: `stations.csv … no position … "s3" … --leave "s3"`},
	} {
		c.o.Positions, c.o.Neighbours = put(t, folder, "stations.csv", c.text), 1
		messagetest.Names(t, refused(t, c.o, table), c.want)
	}
}

// Gaps of a table are filled by what the neighbours say, of an import and of new samples by the same lines. Tests have
// no part in these.
func TestFillTable(t *testing.T) {
	folder := t.TempDir()
	positions := put(t, folder, "stations.csv", degrees)
	whole, _ := read(t, []string{put(t, folder, "whole.csv", stations())},
		Options{Table: Table{Take: []string{"s1", "s2", "s3", "s4"}}})
	table := put(t, folder, "rain.csv", stations("3:s1", "5:s4", "5:s3"))
	result, d := imported(t, Options{Positions: positions, Neighbours: 1}, table)
	assert.Equal(t, Filled{Changes: recording.Changes{Filled: 3}, Samples: 2, Of: 80}, result.Filled)
	assert.InDelta(t, whole.samples[3].Values[0], signal(d, 3)[0], 0.01, "s1 goes with s2")
	mean := 0.0
	for _, i := range d.Train {
		if i != 5 {
			mean += whole.samples[i].Values[2] / float64(len(d.Train)-1)
		}
	}
	assert.InDelta(t, mean, signal(d, 5)[2], 1e-4, "both neighbours are missing")
	assert.InDelta(t, mean, d.Form.Fill.Mean[2], 1e-4)

	again, _, err := ReadUnlabelled(t.Context(), []string{put(t, folder, "new.csv", "s2,s3,s4\n21,30,\n")}, d.Form)
	require.NoError(t, err)
	out, notes, err := d.Form.Series(again[0])
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float32{11, 21, 30, 40}, out, 0.01)
	messagetest.EachNames(t, notes, "no sensor s1 … filled")

	messagetest.Names(t, refused(t, Options{Positions: positions, Neighbours: 1, Missing: "error"}, table),
		`"s1" … no value`)
	var gaps []string
	for day := range 20 {
		gaps = append(gaps, fmt.Sprintf("%d:s2", day))
	}
	empty := put(t, folder, "empty.csv", stations(gaps...))
	messagetest.Names(t, refused(t, Options{Positions: positions, Neighbours: 1}, empty),
		`"s2" … no value … any training sample … --leave`)

	// The samples of the test say nothing.
	train, test := put(t, folder, "x_train.csv", "a,b,label\n"+many(10, "1,10,u", "3,30,v")),
		put(t, folder, "x_test.csv", "a,b,label\n5,900,u\n2,,v\n")
	_, d = imported(t, Options{}, train, test)
	assert.Equal(t, []float64{2, 20}, d.Form.Fill.Mean)
	assert.Equal(t, []float32{2, 20}, signal(d, 21))

	// A sensor that is never read during a recording is filled in each time point, if that is asked.
	text := "sample,time,a,b,label\n"
	for i := range 20 {
		b := [2]string{"10", "20"}
		if i == 4 {
			b = [2]string{}
		}
		text += fmt.Sprintf("%d,0,2,%s,%c\n%d,1,1,%s,%c\n", i, b[0], 'u'+i%2, i, b[1], 'u'+i%2)
	}
	_, d = imported(t, Options{Missing: "fill"}, put(t, folder, "time.csv", text))
	assert.InDeltaSlice(t, []float32{2, 10, 1, 20}, signal(d, 4), 1e-5)
}

// Longitudes are counted to both sides of Greenwich or, where none is negative, up to 360; the neighbours are the same.
func TestLongitudesUpTo360(t *testing.T) {
	folder := t.TempDir()
	table := put(t, folder, "rain.csv", stations())
	_, d := imported(t, Options{Positions: put(t, folder, "stations.csv", strings.Replace(degrees, "0;-179", "0;181", 1)),
		Neighbours: 1}, table)
	assert.Equal(t, []float64{1, 0, 1, 0}, []float64{d.Affinity.At(0, 1), d.Affinity.At(1, 2), d.Affinity.At(2, 3),
		d.Affinity.At(0, 3)})
	mixed := put(t, folder, "mixed.csv", "name,lat,lon\ns1,0,179\ns2,0,181\ns3,70,-3\ns4,70,5\n")
	messagetest.Names(t, refused(t, Options{Positions: mixed, Neighbours: 1}, table),
		`mixed.csv … "s2" … longitude 181 … 180 … -3`)
	plane := put(t, folder, "plane.csv", "name,x,y\ns1,61.5,179.5\ns2,60.25,-179.5\ns3,70,178\ns4,70,-177\n")
	result, _ := imported(t, Options{Positions: plane, Neighbours: 1}, table)
	messagetest.Names(t, strings.Join(result.Notes, "\n"),
		"degrees … latitude and longitude … 60.25 to 70 … -179.5 to 179.5")
	messagetest.Names(t, strings.Join(result.Notes, "\n"), "degrees … latitude and longitude")
}

// Sensors whose positions do not tell them apart are told of.
func TestSensorsAtOnePlaceAreTold(t *testing.T) {
	folder := t.TempDir()
	table, positions := put(t, folder, "rain.csv", stations()),
		put(t, folder, "plan.csv", "name,x,y\ns1,1,1\ns2,0,0\ns3,0,0\ns4,0,0\n")
	result, _ := imported(t, Options{Positions: positions, Neighbours: 1}, table)
	messagetest.EachNames(t, result.Notes, "3 of the 4 … "+positions+" … place … s2 … --links")
	result, _ = imported(t, Options{Positions: positions, Neighbours: 2}, table)
	assert.Empty(t, result.Notes)
}

// A position has two coordinates or three: a single number is more likely half of one, or no position.
func TestPositionsOfOneCoordinateAreRefused(t *testing.T) {
	folder := t.TempDir()
	table := put(t, folder, "rain.csv", stations())
	for _, line := range []string{"name,x\ns1,1\ns2,2\ns3,3\ns4,4\n", "s1,1\ns2,2\ns3,3\ns4,4\n"} {
		positions := put(t, folder, "line.csv", line)
		messagetest.Names(t, refused(t, Options{Positions: positions, Neighbours: 1}, table),
			"line.csv, line 1 … 2 cells … sensor,x,y")
	}
}
