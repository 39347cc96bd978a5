package datasets

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What an .npz file has beside the values is asked about: names, and times. A clock among the sensors is a warning.
// Each file has a twin in which it goes with no class.
func TestAuditOfCircumstances(t *testing.T) {
	const n, points = 100, 40
	rng := rand.New(rand.NewPCG(11, 11))
	for want, file := range map[string]func(class func(i int) int) arrays{
		`question: class 0 can be told by a name that begins with "new-" alone: 100% of held-out`: func(
			class func(i int) int) arrays {
			names := make([]string, n)
			for i := range names {
				names[i] = fmt.Sprintf("%s-%d.csv", []string{"new", "old"}[class(i)], i)
			}
			return recordingsOf(n, 1, points, noiseOf(rng)).with("sample_names", vectorOf(names...))
		},
		"question: class 0 can be told by the time of the first value alone: 100% of held-out": func(
			class func(i int) int) arrays {
			var times []float64
			for i := range n {
				for at := range points {
					times = append(times, 1e5*float64(class(i))+100*float64(i)+float64(at))
				}
			}
			return recordingsOf(n, 1, points, noiseOf(rng)).with("times", &npz.Array{Shape: []int{n, points}, Data: times})
		},
		`warning: class 0 can be told by the first value of sensor "clock", which rises throughout, alone: 100% of`: func(
			class func(i int) int) arrays {
			return recordingsOf(n, 2, points, func(i, sensor, time int) float32 {
				if sensor == 0 {
					return float32(rng.NormFloat64())
				}
				return float32(10_000*class(i) + 50*i + time)
			}).with("sensor_names", vectorOf("hand", "clock"))
		},
		`question: class 0 can be told by the value of sensor "ward", which never changes within a recording, alone: 100`: func(
			class func(i int) int) arrays {
			return recordingsOf(n, 2, points, func(i, sensor, _ int) float32 {
				if sensor == 0 {
					return float32(rng.NormFloat64())
				}
				return float32(10*class(i) + i/5%3)
			}).with("sensor_names", vectorOf("temperature", "ward"))
		},
	} {
		found := audited(t, file(func(i int) int { return i % 2 }))
		told := func(found Findings) bool {
			return slices.ContainsFunc(found, func(f Finding) bool {
				return strings.HasPrefix(f.Level+": "+f.String(), want)
			})
		}
		assert.True(t, told(found), "%s: %v", want, found)
		require.Contains(t, kindsOf(found), "note descriptors", want)
		found = audited(t, file(func(i int) int { return i / 2 % 2 }))
		assert.NotContains(t, fmt.Sprint(kindsOf(found)), "shortcut", "%s: %v", want, found)
	}
}
