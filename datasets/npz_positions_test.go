package datasets

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stations is a file of features at positions in degrees, without a graph.
func stations(latitudes, longitudes []float64) arrays {
	n := len(latitudes)
	labels := make([]int64, 20)
	for i := range labels {
		labels[i] = int64(i % 2)
	}
	features := make([]float64, 20*n)
	for i := range features {
		features[i] = float64(i*7%13) / 3
	}
	return arrays{"features": &npz.Array{Shape: []int{20, n}, Data: features}, "labels": vectorOf(labels...),
		"latitude": vectorOf(latitudes...), "longitude": vectorOf(longitudes...)}
}

// arc is the angle between two positions in degrees, by the haversine.
func arc(lat1, lon1, lat2, lon2 float64) float64 {
	const degree = math.Pi / 180
	a, b := math.Sin((lat2-lat1)*degree/2), math.Sin((lon2-lon1)*degree/2)
	return 2 * math.Asin(math.Sqrt(a*a+math.Cos(lat1*degree)*math.Cos(lat2*degree)*b*b))
}

// Latitudes and longitudes are measured on the sphere: on both sides of the date line, around a pole and at 60 degrees.
// Longitudes up to 360 are the same places.
func TestPositionsInDegreesAreOnTheSphere(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for place, region := range map[string][4]float64{
		"date line at 55 to 65 degrees": {55, 65, 170, 190},
		"north pole":                    {75, 90, -180, 180},
		"60 degrees":                    {58, 62, -5, 25},
		"the world":                     {-90, 90, -180, 180},
	} {
		const n, k = 40, 3
		latitudes, longitudes, all := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range n {
			latitudes[i] = region[0] + (region[1]-region[0])*rng.Float64()
			longitudes[i] = math.Remainder(region[2]+(region[3]-region[2])*rng.Float64(), 360)
			all[i] = math.Mod(longitudes[i]+360, 360)
		}
		d := stations(latitudes, longitudes).load(t, Options{KNN: k})
		for i := range n {
			order := slices.Delete(nodesUpTo(n), i, i+1)
			far := func(j int) float64 { return arc(latitudes[i], longitudes[i], latitudes[j], longitudes[j]) }
			slices.SortFunc(order, func(a, b int) int { return cmp.Compare(far(a), far(b)) })
			for _, j := range order[:k] {
				assert.Positive(t, d.Affinity.At(i, j), "%s: %d is one of the %d nearest of %d", place, j, k, i)
			}
		}
		assert.LessOrEqual(t, d.Affinity.Edges(), k*n, place)
		turned := stations(latitudes, all).load(t, Options{KNN: k})
		for _, e := range d.Affinity.EdgeList() {
			assert.InDelta(t, e.Weight, turned.Affinity.At(e.I, e.J), 1e-9, "%s, longitudes from 0 to 360", place)
		}
		require.Len(t, d.Raw.Coordinates, 2*n, "a map")
	}
}

func nodesUpTo(n int) (nodes []int) {
	for i := range n {
		nodes = append(nodes, i)
	}
	return nodes
}

// Coordinates that look like degrees are told of, and stay on the plane.
func TestCoordinatesThatLookLikeDegreesAreTold(t *testing.T) {
	var latitudes, longitudes, both []float64
	for i := range 40 {
		latitudes, longitudes = append(latitudes, 55.25+float64(i)/4),
			append(longitudes, math.Remainder(175.1+float64(i*7%40)/4, 360))
		both = append(both, latitudes[i], longitudes[i])
	}
	planar := stations(latitudes, longitudes)
	delete(planar, "latitude")
	delete(planar, "longitude")
	planar["coordinates"] = matrixOf(2, both...)
	report := planar.check(t, Options{})
	messagetest.Names(t, strings.Join(report.Warnings, "\n"), "coordinates … degrees … 55.25 to 65")
	messagetest.Names(t, strings.Join(report.Warnings, "\n"), "latitude and longitude … coordinates")
	report = stations(latitudes, longitudes).check(t, Options{})
	assert.NotContains(t, strings.Join(report.Warnings, "\n"), "degrees")
}

func TestPositionsInDegreesErrors(t *testing.T) {
	with := func(name string, array *npz.Array) arrays {
		return stations([]float64{10, 20, 30, 40}, []float64{1, 2, 3, 4}).with(name, array)
	}
	refuse(t, []badFile{
		{"no longitude", with("longitude", nil), 0,
			[]string{"latitude and longitude … together … longitude is not there"}},
		{"no latitude", with("latitude", nil), 0,
			[]string{"latitude and longitude … together … latitude is not there"}},
		{"too few", with("latitude", vectorOf(1.0, 2, 3)), 0,
			[]string{"latitude … [3] … [4]"}},
		{"text", with("latitude", vectorOf("a", "b", "c", "d")), 0, []string{"latitude: elements are string"}},
		{"turned", with("latitude", vectorOf(10.0, 20, 130, 40)), 0,
			[]string{"latitude[2] … latitude 130 … longitude 3 … 90 and 180"}},
		{"no number", with("longitude", vectorOf(1, 2, math.NaN(), 4)), 0,
			[]string{"latitude[2] … latitude 30 … longitude NaN"}},
		{"two ways to count", with("longitude", vectorOf(1.0, -2, 200, 4)), 0,
			[]string{"longitude 200 … 180 … -2"}},
		{"twice", with("coordinates", matrixOf(1, 1.0, 2, 3, 4)), 0,
			[]string{"twice … coordinates … latitude and longitude"}},
	})
}

// Nodes whose positions do not tell them apart have neighbours by their numbers, and a warning says so.
func TestNodesAtOnePlaceAreTold(t *testing.T) {
	const n = 12
	warningsOf := func(points []float64, k int) string {
		a := stations(make([]float64, n), make([]float64, n)).with("latitude", nil).with("longitude", nil)
		return strings.Join(a.with("coordinates", matrixOf(2, points...)).check(t, Options{KNN: k}).Warnings, "\n")
	}
	points := make([]float64, 2*n)
	messagetest.Names(t, warningsOf(points, 0), "12 of 12 nodes … place … the 8 … node 0")
	for i := 2; i < n; i++ {
		points[2*i] = float64(i / 5)
	}
	messagetest.Names(t, warningsOf(points, 3), "10 of 12 nodes … place … the 3 … node 0")
	assert.NotContains(t, warningsOf(points, 4), "others at their place", "each is joined to all at its place")
	degrees := stations(make([]float64, n), make([]float64, n)).check(t, Options{})
	messagetest.Names(t, strings.Join(degrees.Warnings, "\n"), "12 of 12 nodes … place … the 8")
}

// Neighbours are the nearest in whatever unit coordinates are.
func TestCoordinatesOfTinyAndHugeUnits(t *testing.T) {
	const n = 30
	graph := func(unit int) string {
		points := make([]float64, n)
		for i := range points {
			points[i] = math.Ldexp(float64(i*7%n+1), unit)
		}
		a := stations(make([]float64, n), make([]float64, n)).with("latitude", nil).with("longitude", nil)
		return a.with("coordinates", matrixOf(1, points...)).load(t, Options{}).Affinity.Hash()
	}
	for _, unit := range []int{-1074, -997, -530, 700, 1018} {
		assert.Equal(t, graph(0), graph(unit), "2^%d", unit)
	}
}
