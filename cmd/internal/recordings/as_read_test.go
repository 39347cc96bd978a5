package recordings

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/datasets"
)

// An import makes times even and fills holes. What it saw before stays in the file, so that an audit asks whether it
// tells a class: two devices with two rates, a clock that jitters, and packets that are lost, each in one class.
func TestImportKeepsHowRecordingsWereRead(t *testing.T) {
	const each = 24
	for name, c := range map[string]struct {
		step, jitter float64
		lost         int    // time points from the 60th on
		what         string // tells the second class; "" where it does not
	}{
		"rates":  {step: 0.0125, what: "the rate of the times"},
		"jitter": {step: 0.01, jitter: 0.002, what: "the jitter of the times"},
		"holes":  {step: 0.01, lost: 40, what: "the share of values made up in holes"},
	} {
		for _, sound := range []bool{false, true} {
			rng := rand.New(rand.NewPCG(3, 4))
			folder := t.TempDir()
			for i := range 2 * each {
				class := i % 2
				odd := class == 1
				if sound {
					odd = rng.IntN(2) == 1
				}
				step, jitter, lost := 0.01, 0.0, 0
				if odd {
					step, jitter, lost = c.step, c.jitter, c.lost
				}
				var b strings.Builder
				b.WriteString("time,v\n")
				for at := range int(2 / step) {
					if at < 60 || at >= 60+lost {
						fmt.Fprintf(&b, "%.5f,%.3f\n", float64(at)*step+jitter*rng.Float64(), rng.NormFloat64())
					}
				}
				put(t, folder, fmt.Sprintf("%c/r%d.csv", 'a'+class, i), b.String())
			}
			_, d := imported(t, Options{}, folder)
			found, err := datasets.Audit(d)
			require.NoError(t, err)
			told := ""
			for _, f := range found {
				if f.Kind == "shortcut" {
					assert.True(t, f.IsWarning(), name)
					told += f.What
				}
			}
			want := c.what
			if sound {
				want = ""
			}
			assert.Equal(t, want, told, "%s sound=%v", name, sound)
		}
	}
}
