package images

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
