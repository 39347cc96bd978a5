package models

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseLevels(t *testing.T) {
	for text, want := range map[string][]Level{
		"1x1/1":                    {{1, 1, 1}},
		"256x256/16,64x384/16":     {{256, 256, 16}, {64, 384, 16}},
		" 4x6/4 ,\t1x8/3\n":        {{4, 6, 4}, {1, 8, 3}},
		"16777216x16777216/100000": {{1 << 24, 1 << 24, 100000}},
	} {
		levels, err := ParseLevels(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, levels, text)
	}
	for text, want := range map[string]string{
		"":                         `level 1: "" is not CLUSTERSxFILTERS/L, such as 64x384/16`,
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
		_, err := ParseLevels(text)
		assert.ErrorContains(t, err, want, text)
	}
}

func FuzzParseLevels(f *testing.F) {
	for _, text := range []string{"", "1x1/1", "256x256/16,64x384/16", "4x6/4,", "x/", "+4x6/4", "4x6/4/4", "04x6/4"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		levels, err := ParseLevels(text)
		if err != nil {
			return
		}
		again, err := ParseLevels(Architecture{Levels: levels}.LevelsString())
		require.NoError(t, err)
		require.Equal(t, levels, again)
	})
}

func TestArchitectureCheck(t *testing.T) {
	level := func(k, f, l int) Level { return Level{Clusters: k, Filters: f, Neighbours: l} }
	for _, a := range []Architecture{
		{},
		{Levels: []Level{level(1, 1, 1)}},
		{Levels: []Level{level(30, 2, 12), level(5, 2, 30)}, Hidden: []int{1, 2}}, // more clusters than nodes is no error
	} {
		require.NoError(t, a.checkSizes(12))
	}
	for want, a := range map[string]Architecture{
		"level 1: L=13 exceeds its 12 nodes; lower L or raise the previous level's clusters": {Levels: []Level{level(4, 6, 13)}},
		"level 2: L=5 exceeds its 4 nodes; lower L or raise the previous level's clusters":   {Levels: []Level{level(4, 6, 4), level(1, 8, 5)}},
		"level 1: 0x6/4; clusters, filters and L must be at least 1":                         {Levels: []Level{level(0, 6, 4)}},
		"level 2: 1x0/4; clusters, filters and L must be at least 1":                         {Levels: []Level{level(4, 6, 4), level(1, 0, 4)}},
		"level 1: 4x6/-1; clusters, filters and L must be at least 1":                        {Levels: []Level{level(4, 6, -1)}},
		"hidden layer 2: its width is 0; it must be at least 1":                              {Hidden: []int{3, 0}},
	} {
		assert.EqualError(t, a.checkSizes(12), want)
	}
}

func mustLevels(text string) []Level {
	levels, err := ParseLevels(text)
	if err != nil {
		panic(err)
	}
	return levels
}
