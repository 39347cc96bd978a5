package recording

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// Times in JSON keep their last digits.
func TestJSONTimesWithManyDigits(t *testing.T) {
	var r Recording
	require.NoError(t, r.UnmarshalJSON([]byte(`{"values": [[1],[2],[3]], "times": [1700000000000000123, 1700000000000001123, 1700000000000003123]}`)))
	assert.Equal(t, []float64{0, 1000, 3000}, r.Times)
	messagetest.EachNames(t, r.Notes, "times … more digits … float64 … first, 1700000000000000123")
	require.NoError(t, r.UnmarshalJSON([]byte(`{"times": [1, 2, 1.70000000012345678e9], "values": [[1],[2],[3]], "times": [1700000000.25, 1700000000.5, 1700000001]}`)))
	assert.Equal(t, []float64{1700000000.25, 1700000000.5, 1700000001}, r.Times)
	assert.Empty(t, r.Notes)
}
