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

// What a limit tells of the samples that it was found in, and of no group held out, is no finding. Of a single group,
// as the training of two people has, samples are held out each by itself.
func TestAuditOfWhatIsHeldOut(t *testing.T) {
	const each, scale = 20, "can be told by the scale of the values alone"
	last := func(i int) int { return max(0, i%each-each+2) }
	told := func(scales []float64, group func(i int) string) string {
		rng, groups, labels, split := rand.New(rand.NewPCG(3, 3)), []string{}, []int64{}, []int64{}
		for i := range len(scales) * each {
			groups, labels = append(groups, group(i)), append(labels, int64(2*i/(len(scales)*each)))
			split = append(split, int64(2*last(i)))
		}
		file := recordingsOf(len(groups), 1, 40, func(i, _, _ int) float32 {
			return float32(scales[i/each] * rng.NormFloat64())
		})
		file = file.with("labels", vectorOf(labels...)).with("groups", vectorOf(groups...))
		return fmt.Sprint(audited(t, file.with("split", vectorOf(split...))))
	}
	people := func(i int) string { return fmt.Sprint(i / each) }
	assert.Contains(t, told([]float64{1, 1, 100, 100}, people), scale)
	assert.NotContains(t, told([]float64{1, 10, 20, 200}, people), scale, "a new person has a scale beyond the limit")
	two := func(i int) string { return []string{"anna", "ben"}[last(i)] }
	assert.Contains(t, told([]float64{1, 100}, two), scale+": 100%")
}
