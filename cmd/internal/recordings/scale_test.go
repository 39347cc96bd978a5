package recordings

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A pulse and a temperature are of one channel, but not of one scale. The tests do not count.
func TestScale(t *testing.T) {
	text := "sample,time,sensor,value,label\n"
	for i := range 20 {
		for moment := range 2 {
			pulse, heat := 60+20*moment, 36+moment
			if i >= 15 {
				pulse, heat = 70+20*(2*moment-1), 500
			}
			text += fmt.Sprintf("s%02d,%d,pulse,%d,%c\ns%02d,%d,heat,%d,%c\ns%02d,%d,off,7.1,%c\n", i, moment, pulse, 'a'+i%2, i, moment, heat, 'a'+i%2, i, moment, 'a'+i%2)
		}
	}
	path := put(t, t.TempDir(), "ward.csv", text)
	result, _ := imported(t, Options{Test: "s1[5-9]"}, path)
	assert.Equal(t, []string{`sensor "pulse" varies 20 times as much as sensor "heat"; if they measure different things, --scale makes them alike`}, result.Notes)
	result, d := imported(t, Options{Test: "s1[5-9]", Scale: true}, path)
	assert.Empty(t, result.Notes)
	assert.InDeltaSlice(t, []float32{-1, -1, 0, 1, 1, 0}, signal(d, 0), 1e-6)
	assert.InDeltaSlice(t, []float32{-2, 927, 0, 2, 927, 0}, signal(d, 15), 1e-4)
}
