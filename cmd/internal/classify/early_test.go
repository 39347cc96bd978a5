package classify

import (
	"testing"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/stretchr/testify/assert"
)

// The unit is that of the training's times, as far as these tell it.
func TestUnitOf(t *testing.T) {
	for unit, form := range map[string]recording.Form{
		"time points":           {Second: 1},
		"the unit of the times": {Rate: 20},
		"seconds":               {Rate: 20, Second: 1},
		"milliseconds":          {Rate: 0.02, Second: 1000},
		"minutes":               {Rate: 1, Second: 1. / 60},
		"days":                  {Rate: 1, Second: 1. / 86400},
	} {
		assert.Equal(t, unit, UnitOf(&form))
	}
}
