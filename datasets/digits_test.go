package datasets

import (
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDigits(t *testing.T) {
	d, err := Load(t.Context(), "digits", Options{HoldOut: true, Augment: true})
	require.NoError(t, err)
	require.NoError(t, d.Validate())
	sample := make([]float32, 64)
	d.Signals.Read(0, sample)
	assert.Equal(t, []float32{0, 0, 5, 13, 9, 1, 0, 0}, sample[:8])
	assert.Equal(t, []int32{0, 1, 2, 3}, d.Labels[:4])

	// Each class has its proportion, within one sample, in each split.
	all := d.classCounts(loop.Indices(1797))
	for _, split := range d.named() {
		for class, n := range d.classCounts(split.indices) {
			exact := float64(all[class]) * float64(len(split.indices)) / 1797
			assert.InDelta(t, exact, n, 1.2, "%s class %d", split.name, class)
		}
	}

	// The normalised training samples have mean 0 and deviation 1.
	var sum, squares float64
	for _, i := range d.Train {
		d.Sample(i, sample)
		for _, value := range sample {
			sum += float64(value)
			squares += float64(value) * float64(value)
		}
	}
	values := float64(len(d.Train) * 64)
	assert.InDelta(t, 0, sum/values, 1e-5)
	assert.InDelta(t, 1, squares/values, 1e-5)

	assert.Equal(t, []string{"no augmentation is known for digits: its samples are used as they are"}, d.Warnings)
	assert.Contains(t, d.Provenance, "CC BY 4.0")
}

func TestParseDigitsErrors(t *testing.T) {
	row := strings.Repeat("0,", 64)
	for text, want := range map[string]string{
		"1,2,3\n":                  "wrong number of fields",
		row + "3\n" + row + "10\n": `row 1, column 64 is "10"; want 0 to 9`,
		"17," + row[2:] + "3\n":    `row 0, column 0 is "17"; want 0 to 16`,
		"-1," + row[2:] + "3\n":    `row 0, column 0 is "-1"`,
		"x," + row[2:] + "3\n":     `row 0, column 0 is "x"`,
	} {
		_, _, err := parseDigits(strings.NewReader(text))
		assert.ErrorContains(t, err, want)
	}
}

func FuzzParseDigits(f *testing.F) {
	f.Add(strings.Repeat("16,", 64) + "9\n")
	f.Add(strings.Repeat("0,", 64))
	f.Fuzz(func(t *testing.T, text string) {
		pixels, labels, err := parseDigits(strings.NewReader(text))
		if err == nil {
			require.Len(t, pixels, 64*len(labels))
		}
	})
}
