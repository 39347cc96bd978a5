package recordings

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// Ten sensors in two bands: within a band all signals are one, or its opposite; the bands have nothing in common. A
// tenth is constant.
func TestCorrelatedLinks(t *testing.T) {
	text := "@classLabel true a b\n@data\n"
	for i := range 20 {
		for sensor := range 11 {
			for timepoint := range 16 {
				// whole turns: sines of different numbers of them are orthogonal
				angle := 2 * math.Pi * float64((1+sensor/5)*timepoint) / 16
				sign := float64(1 - 2*(sensor%2))
				if sensor == 10 {
					sign = 0
				}
				text += fmt.Sprintf("%g,", 3+sign*float64(1+i)*math.Sin(angle))
			}
			text = text[:len(text)-1] + ":"
		}
		text += []string{"a", "b"}[i%2] + "\n"
	}
	folder := t.TempDir()
	result, d := imported(t, Options{}, put(t, folder, "Bands_TRAIN.ts", text), put(t, folder, "Bands_TEST.ts", text))
	messagetest.OneNames(t, d.Notes, "4 most correlated … training samples")
	for a := range 10 {
		for b := range 10 {
			want := 0.0
			if a != b && a/5 == b/5 {
				want = 1
			}
			assert.Equal(t, want, d.Affinity.At(a, b), "%d-%d", a, b)
		}
	}
	assert.Equal(t, 1.0, d.Affinity.At(10, 0), "a constant sensor goes with nothing, so the first are taken")
	assert.Equal(t, 16*(2*10+4)+15*11, d.Affinity.Edges())
	assert.Empty(t, result.Notes)
}
