package skeleton

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// ids are the ids of bodies, each with the number of its frames.
func ids(bodies []Body) map[string]int {
	found := map[string]int{}
	for _, b := range bodies {
		found[b.ID] = len(b.Frames)
	}
	return found
}

func TestActors(t *testing.T) {
	still := [][]float32{upright(9, 0, 3, 0), upright(9, 0, 3, 0), upright(9, 0, 3, 0)}
	for name, c := range map[string]struct {
		bodies []Body
		limit  int
		want   map[string]int
		main   string
	}{
		"one": {[]Body{body("a", 0, still...)}, 2, map[string]int{"a": 3}, "a"},
		"the one that moves first": {[]Body{body("a", 0, still...), body("b", 0, walk(0, 0.5, 3)...)}, 2,
			map[string]int{"a": 3, "b": 3}, "b"},
		"a tie keeps the order": {[]Body{body("a", 0, still...), body("b", 0, still...)}, 2,
			map[string]int{"a": 3, "b": 3}, "a"},
		"the third is left out": {[]Body{body("a", 0, still...), body("b", 0, walk(0, 0.5, 3)...),
			body("c", 0, walk(0, 0.7, 3)...)}, 2, map[string]int{"b": 3, "c": 3}, "c"},
		"seen for longer": {[]Body{body("a", 0, walk(0, 0.1, 40)...), body("b", 7, walk(20, 0.5, 3)...)}, 1,
			map[string]int{"a": 40}, "a"},
		"a new id": {[]Body{body("a", 0, walk(0, 0.5, 3)...), body("b", 5, walk(2, 0.5, 4)...)}, 2,
			map[string]int{"a": 7}, "a"},
		"a new id, bodies unsorted": {[]Body{body("b", 5, walk(2, 0.5, 4)...), body("a", 0, walk(0, 0.5, 3)...)}, 2,
			map[string]int{"a": 7}, "a"},
		"elsewhere": {[]Body{body("a", 0, walk(0, 0.5, 3)...), body("b", 5, walk(4, 0.5, 4)...)}, 2,
			map[string]int{"a": 3, "b": 4}, "b"},
		"at the same time": {[]Body{body("a", 0, walk(0, 0.5, 3)...), body("b", 2, walk(1, 0.5, 4)...)}, 2,
			map[string]int{"a": 3, "b": 4}, "b"},
		"the nearer one": {[]Body{body("a", 0, walk(0, 0.5, 3)...), body("b", 0, walk(2, 0.1, 3)...),
			body("c", 3, walk(2.1, 0.5, 3)...)}, 2,
			map[string]int{"a": 3, "b": 6}, "b"},
		"furniture": {[]Body{body("a", 0, still...), body("b", 0, lying(0), lying(1), lying(2))}, 2,
			map[string]int{"a": 3}, "a"},
		"on the floor": {[]Body{body("b", 0, lying(0), lying(1), lying(2))}, 2, map[string]int{"b": 3}, "b"},
		"falls at last": {[]Body{body("a", 0, still...), body("b", 0, upright(0, 0, 0, 0), lying(0), lying(0))}, 2,
			map[string]int{"a": 3, "b": 3}, "b"},
		"none": {nil, 2, map[string]int{}, ""},
	} {
		actors := stick.actors(&Recording{Frames: 50, Bodies: c.bodies}, c.limit)
		assert.Equal(t, c.want, ids(actors), name)
		if c.main != "" {
			assert.Equal(t, c.main, actors[0].ID, name)
		}
	}
}

// TestSpread works the spread out by hand: a joint at 0 and 2, the other three still.
func TestSpread(t *testing.T) {
	a, b := upright(0, 0, 3, 0), upright(0, 0, 3, 0)
	b[0] += 2
	moving := body("1", 0, a, b)
	assert.InDelta(t, (1.+1.)/4, moving.spread(), 1e-6)
	still := body("1", 0, a)
	assert.Zero(t, still.spread())
}

func TestActorsKeepTheRecording(t *testing.T) {
	r := &Recording{Frames: 3, Bodies: []Body{body("a", 0, walk(0, 1, 3)...)}}
	want := append([]float32{}, r.Bodies[0].Joints...)
	p := Preparation{Layout: &stick, Frames: 4, Bodies: 1}
	signal(t, p, r)
	assert.Equal(t, want, r.Bodies[0].Joints)
}
