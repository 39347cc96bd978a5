package models

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestArchitectureCheck(t *testing.T) {
	level := func(k, f, l int) Level { return Level{Clusters: k, Filters: f, Neighbours: l} }
	for _, a := range []Spec{
		{},
		{Levels: []Level{level(1, 1, 1)}},
		// more clusters than nodes is no error
		{Levels: []Level{level(30, 2, 12), level(5, 2, 30)}, Hidden: []int{1, 2}},
	} {
		require.NoError(t, checkSizes(a, 12))
	}
	for want, a := range map[string]Spec{
		"level 1: L=13 exceeds its 12 nodes; lower L or raise the previous level's " +
			"clusters": {Levels: []Level{level(4, 6, 13)}},
		"level 2: L=5 exceeds its 4 nodes; lower L or raise the previous level's " +
			"clusters": {Levels: []Level{level(4, 6, 4), level(1, 8, 5)}},
		"level 1: 0x6/4; clusters, filters and L must be at least 1": {Levels: []Level{level(0, 6, 4)}},
		"level 2: 1x0/4; clusters, filters and L must be at least " +
			"1": {Levels: []Level{level(4, 6, 4), level(1, 0, 4)}},
		"level 1: 4x6/-1; clusters, filters and L must be at least 1": {Levels: []Level{level(4, 6, -1)}},
		"hidden layer 2: its width is 0; it must be at least 1":       {Hidden: []int{3, 0}},
	} {
		assert.EqualError(t, checkSizes(a, 12), want)
	}
}

func mustLevels(text string) []Level {
	var levels []Level
	for part := range strings.SplitSeq(text, ",") {
		var l Level
		if _, err := fmt.Sscanf(part, "%dx%d/%d", &l.Clusters, &l.Filters, &l.Neighbours); err != nil {
			panic(err)
		}
		_, _ = fmt.Sscanf(part, fmt.Sprintf("%dx%d/%d:candidates=%%d", l.Clusters, l.Filters, l.Neighbours),
			&l.Candidates)
		levels = append(levels, l)
	}
	return levels
}
