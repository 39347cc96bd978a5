package training

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseLevels(t *testing.T) {
	for text, want := range map[string][][3]int{
		"1x1/1":                    {{1, 1, 1}},
		"256x256/16,64x384/16":     {{256, 256, 16}, {64, 384, 16}},
		" 4x6/4 ,\t1x8/3\n":        {{4, 6, 4}, {1, 8, 3}},
		"16777216x16777216/100000": {{1 << 24, 1 << 24, 100000}},
	} {
		var levels Levels
		err := levels.UnmarshalText([]byte(text))
		require.NoError(t, err, text)
		var got [][3]int
		for _, l := range levels {
			got = append(got, [3]int{l.Clusters, l.Filters, l.Neighbours})
		}
		assert.Equal(t, want, got, text)
	}
	for text, want := range map[string]string{
		",":                        `level 1: "" is not CLUSTERSxFILTERS/L, such as 64x384/16`,
		"4x6/4,":                   `level 2: "" is not CLUSTERSxFILTERS/L`,
		"4x6":                      `level 1: "4x6" is not CLUSTERSxFILTERS/L`,
		"4/6x4":                    `level 1: "4/6x4" is not CLUSTERSxFILTERS/L`,
		"4x6/4;1x8/3":              `level 1: L is "4;1x8/3"`,
		"4X6/4":                    `level 1: "4X6/4" is not CLUSTERSxFILTERS/L`,
		"0x6/4":                    `level 1: clusters is "0" in "0x6/4"; it must be a whole number from 1 to 16777216`,
		"4x6/4,1x-8/3":             `level 2: filters is "-8"`,
		"4x6/16777217":             `level 1: L is "16777217"`,
		"4 x6/4":                   `level 1: clusters is "4 "`,
		"4x6.0/4":                  `level 1: filters is "6.0"`,
		"99999999999x6/4":          `level 1: clusters is "99999999999"`,
		"4x6/99999999999999999999": `level 1: L is`,
	} {
		err := new(Levels).UnmarshalText([]byte(text))
		assert.ErrorContains(t, err, want, text)
	}
}

func FuzzParseLevels(f *testing.F) {
	for _, text := range []string{"", "1x1/1", "256x256/16,64x384/16", "4x6/4,", "x/", "+4x6/4", "4x6/4/4", "04x6/4"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var levels Levels
		err := levels.UnmarshalText([]byte(text))
		if err != nil {
			return
		}
		var again Levels
		err = again.UnmarshalText([]byte(levels.String()))
		require.NoError(t, err)
		require.Equal(t, levels, again)
	})
}
