package skeleton

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSources(t *testing.T) {
	assert.Equal(t, []int{20, 60}, []int{len(ntuTrainSubjects), len(NTU.Classes)})
	for _, s := range []*Source{&NTU, &NWUCLA} {
		assert.NotNil(t, s.numbers(s.Example))
		assert.Nil(t, s.numbers("x"+s.Example))
		_, taken := s.take(s.numbers(s.Example))
		assert.True(t, taken)
		seen := map[string]bool{}
		for _, class := range s.Classes {
			assert.False(t, seen[class], class)
			seen[class] = true
		}
	}
}
