package training

import (
	"cmp"
	"testing"

	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func specOf(t *testing.T, nodes int, levels string, settings map[string]any) models.Spec {
	t.Helper()
	s := models.Spec{Model: "ccp", Info: signal.Info{Nodes: nodes, Channels: 1, ClassNames: make([]string, 2)},
		Options: models.DefaultOptions()}
	require.NoError(t, (*Levels)(&s.Levels).UnmarshalText([]byte(levels)))
	for path, value := range settings {
		require.NoError(t, s.Put(path, value))
	}
	return s
}

// Where all memberships would be millions and are learned, a node has four, unless the setting says otherwise.
func TestAutoFillCandidates(t *testing.T) {
	of := func(levels string, nodes int, chosen map[string]any) (all []int) {
		s := AutoFill(specOf(t, nodes, levels, chosen))
		for i, level := range s.Levels {
			all = append(all, cmp.Or(s.Levels[i].Candidates, level.Clusters))
		}
		return all
	}
	const words, image = "2048x128/16,512x192/16,128x256/8,32x384/8,4x512/8,1x512/4",
		"256x256/16,64x384/16,16x512/8,4x768/8,1x1024/4"
	assert.Equal(t, []int{4, 512, 128, 32, 4, 1}, of(words, 10000, nil))
	assert.Equal(t, []int{2048, 512, 128, 32, 4, 1}, of("2048x128/16:candidates=2048"+words[len("2048x128/16"):],
		10000, nil))
	assert.Equal(t, []int{2048, 512, 128, 32, 4, 1}, of(words, 10000, map[string]any{"ccp_hierarchy": "prepared"}))
	assert.Equal(t, []int{256, 64, 16, 4, 1}, of(image, 1024, nil))
}

// What is left open is by the graph, if its hierarchies can be several. What the settings say stays.
func TestAutoFill(t *testing.T) {
	prepared := map[string]any{"ccp_hierarchy": "prepared"}
	for _, c := range []struct {
		nodes             int
		levels            string
		settings          map[string]any
		open              []string
		stem, hierarchies int
	}{
		{4096, "4x6/4,1x8/3", prepared, []string{"ccp_stem", "ccp_hierarchies"}, autoStem, autoHierarchies},
		{4097, "4x6/4,1x8/3", prepared, []string{"ccp_stem", "ccp_hierarchies"}, 0, 1},
		{100, "4x6/4,1x8/3", nil, []string{"ccp_stem", "ccp_hierarchies"}, autoStem, autoHierarchies},
		{2048, "512x6/4,1x8/3", nil, []string{"ccp_hierarchies"}, 0, autoHierarchies},
		{2049, "512x6/4,1x8/3", nil, []string{"ccp_hierarchies"}, 0, 1},
		{4096, "2048x6/4,1x8/3", nil, []string{"ccp_hierarchies"}, 0, 1},
		{100, "4x6/4:candidates=2,1x8/3", nil, []string{"ccp_hierarchies"}, 0, 1},
		{100, "4x6/4,1x8/3", map[string]any{"ccp_hierarchy": "random"}, []string{"ccp_hierarchies"}, 0, 1},
		{100, "4x6/4,2x8/3", prepared, []string{"ccp_hierarchies"}, 0, 1},
		{100, "4x6/4,1x8/3", map[string]any{"ccp_hierarchy": "prepared", "ccp_stem": 5, "ccp_hierarchies": 2}, nil, 5,
			2},
		{9000, "4x6/4,1x8/3", map[string]any{"ccp_hierarchy": "prepared", "ccp_stem": 5, "ccp_hierarchies": 2}, nil,
			5, 2},
		{100, "4x6/4,1x8/3", nil, nil, 0, 1},
		{100, "4x6/4,1x8/3", map[string]any{"ccp_hierarchy": "prepared", "ccp_search": "cut"},
			[]string{"ccp_hierarchies"}, 0, 1},
	} {
		s := AutoFill(specOf(t, c.nodes, c.levels, c.settings), c.open...)
		assert.Equal(t, []int{c.stem, c.hierarchies}, []int{s.Options.Stem, s.Hierarchies()}, "%d nodes, %s, %v",
			c.nodes, c.levels, c.settings)
		assert.NoError(t, s.Check())
	}
}
