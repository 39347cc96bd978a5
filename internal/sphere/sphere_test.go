package sphere

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// haversine is the length of the arc between two positions, in radians.
func haversine(lat1, lon1, lat2, lon2 float64) float64 {
	square := func(x float64) float64 { return x * x }
	h := square(math.Sin(radians(lat2-lat1)/2)) +
		math.Cos(radians(lat1))*math.Cos(radians(lat2))*square(math.Sin(radians(lon2-lon1)/2))
	return 2 * math.Asin(math.Sqrt(h))
}

// The distance of two points is the chord of their arc: at the date line, at the poles, at 60 degrees and anywhere.
func TestPointsAgainstHaversine(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	latitudes, longitudes := []float64{0, 0, 89, 89, 60, 60, -90}, []float64{179.5, -179.5, 10, -170, 5, 6, 33}
	for range 100 {
		latitudes, longitudes = append(latitudes, 180*rng.Float64()-90), append(longitudes, 360*rng.Float64()-180)
	}
	points := Points(latitudes, longitudes)
	for i := range latitudes {
		for j := range i {
			chord := math.Hypot(math.Hypot(points[3*i]-points[3*j], points[3*i+1]-points[3*j+1]), points[3*i+2]-points[3*j+2])
			arc := haversine(latitudes[i], longitudes[i], latitudes[j], longitudes[j])
			assert.InDelta(t, 2*math.Sin(arc/2), chord, 1e-12)
		}
	}
	// As numpy has them: 2*arcsin(sqrt(h))*180/pi.
	for at, degrees := range []float64{1, 2, 0.4999952403301622} {
		assert.InDelta(t, degrees,
			haversine(latitudes[2*at], longitudes[2*at], latitudes[2*at+1], longitudes[2*at+1])*180/math.Pi, 1e-12)
	}
}

func TestLongitudesUpTo360(t *testing.T) {
	for _, longitudes := range [][]float64{{359, 181}, {-180, 180}, {0, 360}} {
		_, err := Check([]float64{10, -90}, longitudes)
		require.NoError(t, err)
	}
	assert.InDeltaSlice(t, Points([]float64{10, 20}, []float64{-1, -179}),
		Points([]float64{10, 20}, []float64{359, 181}), 1e-12)
	assert.InDeltaSlice(t, Plan([]float64{10, 20}, []float64{-1, -179}),
		Plan([]float64{10, 20}, []float64{359, 181}), 1e-9)
	at, err := Check([]float64{10, 20, 30}, []float64{5, -3, 200})
	messagetest.Names(t, err, "longitude 200 … 180 … -3")
	assert.Equal(t, 2, at)
	for _, wrong := range [][2]float64{{91, 0}, {-90.5, 0}, {0, 360.5}, {0, -181}, {math.NaN(), 0}, {0, math.NaN()}} {
		_, err := Check([]float64{wrong[0]}, []float64{wrong[1]})
		messagetest.Names(t, err, "degrees … 90 and 180")
	}
}

// Neighbours on the map are neighbours on the sphere, also where stations lie around a pole.
func TestPlanAroundAPole(t *testing.T) {
	for _, pole := range []float64{90, -90} {
		latitudes, longitudes := []float64{}, []float64{}
		for i := range 12 {
			latitudes, longitudes = append(latitudes, pole-math.Copysign(10, pole)), append(longitudes, float64(30*i))
		}
		plan := Plan(latitudes, longitudes)
		for i := range 12 {
			assert.InDelta(t, 10, math.Hypot(plan[2*i], plan[2*i+1]), 1e-9, "from the pole")
			next := (i + 1) % 12
			assert.InDelta(t, 20*math.Sin(radians(15)), math.Hypot(plan[2*i]-plan[2*next], plan[2*i+1]-plan[2*next+1]), 1e-9)
		}
	}
}

func TestSeemsDegrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	between := func(a, b, c, d float64) (positions []float64) {
		for range 50 {
			positions = append(positions, a+(b-a)*rng.Float64(), c+(d-c)*rng.Float64())
		}
		return positions
	}
	for name, degrees := range map[string][]float64{
		"Europe":        between(35, 70, -10, 40),
		"Europe turned": between(-10, 40, 35, 70),
		"date line":     append(between(55, 65, 175, 180), between(55, 65, -180, -175)...),
		"the world":     between(-60, 80, -180, 180),
		"0 to 360":      between(-60, 80, 0, 360),
		"America":       between(25, 50, -125, -65),
	} {
		messagetest.Names(t, Seems(degrees), "degrees … latitude and longitude", name)
	}
	for name, plane := range map[string][]float64{
		"unit square":  between(0, 1, 0, 1),
		"picture":      between(0, 28, -28, 0),
		"scalp in mm":  between(-80, 80, -80, 80),
		"room in cm":   between(0, 60, 0, 120),
		"metres":       between(0, 1000, 0, 1000),
		"UTM":          between(4e5, 5e5, 5e6, 6e6),
		"one town":     between(48.1, 48.3, 11.4, 11.7),
		"whole pixels": {3, 5, 30, 70, 40, 100},
		"one place":    {48.1, 11.5},
		"none":         nil,
	} {
		assert.Empty(t, Seems(plane), name)
	}
}
