package training

import (
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Settings that no memory holds are refused before anything is allocated, by the option that asks for them.
func TestWeightsBeyondMemoryAreRefused(t *testing.T) {
	d, err := datasets.Load(t.Context(), "digits", datasets.Options{})
	require.NoError(t, err)
	for _, one := range []struct {
		name  string
		value any
		want  string
	}{
		{"hidden", "1000000000", "3,192 GB … 16 GB … narrower"},
		{"hidden", "100000,100000", "120 GB … 16 GB … narrower"},
		{"levels", "32x1000000/9,8x1000000/8", "16 GB … fewer filters or clusters"},
		{"hidden", "64", ""},
	} {
		p, err := draft(Patch{"data": "digits", one.name: one.value}, nil)
		require.NoError(t, err)
		c, spec, _, err := p.resolve(d)
		require.NoError(t, err)
		err = checkWeights(c, spec, 16e9)
		if one.want == "" {
			require.NoError(t, err)
			continue
		}
		messagetest.Option(t, err, one.name, one.value, one.want)
		if one.value == "1000000000" {
			assert.ErrorContains(t, checkWeights(c, spec, 0), "1,100 GB of memory", "unknown memory is a terabyte")
		}
	}
}

// More steps than a training may have are refused by the option that asks for them.
func TestStepsBeyondAllAreRefused(t *testing.T) {
	d, err := datasets.Load(t.Context(), "digits", datasets.Options{})
	require.NoError(t, err)
	for _, name := range []string{"steps", "epochs"} {
		p, err := draft(Patch{"data": "digits", name: 1_000_000_000}, nil)
		require.NoError(t, err)
		_, _, _, err = p.resolve(d)
		messagetest.Option(t, err, name, 1_000_000_000, "100,000,000 … lower")
	}
}
