package datasets

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// subjects are 5 groups of 4 of the samples of path4, each of both classes.
func subjects() []string {
	names := make([]string, 20)
	for i := range names {
		names[i] = fmt.Sprintf("s%d", i/4)
	}
	return names
}

// splitOf says in which splits the samples of each group are.
func splitOf(d *Dataset) map[string]string {
	out := map[string]string{}
	for _, split := range d.named() {
		for _, i := range split.indices {
			switch was := out[d.Groups[i]]; {
			case was == "":
				out[d.Groups[i]] = split.name
			case !strings.HasSuffix(was, split.name):
				out[d.Groups[i]] = was + " and " + split.name
			}
		}
	}
	return out
}

// Groups that are not of these labels are the program's fault, and are told as such.
func TestGroupsOfOthers(t *testing.T) {
	labels, groups := []int32{0, 1, 0, 1}, []string{"a", "b"}
	const want = "datasets … 2 groups … 4 labels"
	messagetest.Panics(t, func() { Drawn(labels, groups, 0) }, want)
	messagetest.Panics(t, func() { Split{Train: []int{0, 1, 2}}.HoldOut(labels, groups, 1, 0) }, want)
	messagetest.Panics(t, func() { Split{Train: []int{0, 1, 2}}.Trial(labels, groups, 0.5, 0) }, want)
}

func TestGroupsDrawn(t *testing.T) {
	d := path4().with("groups", vectorOf(subjects()...)).load(t, Options{HoldOut: true})
	assert.Equal(t, subjects(), d.Groups)
	assert.Equal(t, []int{12, 4, 4}, []int{len(d.Train), len(d.Validation), len(d.Test)})
	for name, split := range splitOf(d) {
		assert.Contains(t, []string{"train", "validation", "test"}, split, name)
	}
	messagetest.OneNames(t, d.Warnings, "no array split … 12 training … 4 validation … 4 test … seed 0 … groups")
	assert.Equal(t, d.Test, path4().with("groups", vectorOf(subjects()...)).load(t, Options{Validation: 0.3}).Test,
		"whatever is held out for validation")

	// Numbers do as well. Nodes on a grid have names.
	numbers := make([]int64, 20)
	for i := range numbers {
		numbers[i] = int64(i / 4)
	}
	d = path4().with("groups", vectorOf(numbers...)).with("grid", vectorOf[int32](2, 2)).load(t, Options{HoldOut: true})
	assert.Equal(t, "3", d.Groups[12])
	assert.Equal(t, []int{2, 2}, d.Grid)
	assert.Equal(t, "row 1 column 0", d.NodeName(2))
}

// Classes keep their shares where groups allow it: 30 groups of one class each, of 1 to 6 samples.
func TestGroupsStratified(t *testing.T) {
	var labels []int32
	var groups []string
	var all []int
	for g := range 30 {
		for range 1 + g%6 {
			all = append(all, len(labels))
			labels = append(labels, int32(g%3))
			groups = append(groups, fmt.Sprint(g))
		}
	}
	for seed := range uint64(20) {
		rest, held := holdOutGroups(all, labels, groups, len(all)/5, seed, testStream)
		assert.Len(t, append(rest, held...), len(all))
		counts, whole := make([]float64, 3), make([]float64, 3)
		for _, i := range held {
			counts[labels[i]]++
		}
		for _, label := range labels {
			whole[label]++
		}
		for class := range counts {
			assert.InDelta(t, whole[class]/5, counts[class], 3.01, "half of the largest group")
			assert.NotZero(t, counts[class])
		}
	}
}

func TestGroupsGivenSplit(t *testing.T) {
	marks := make([]int64, 20)
	for i := 0; i < 20; i += 3 {
		marks[i] = 2
	}
	d := path4().with("groups", vectorOf(subjects()...)).with("split", vectorOf(marks...)).load(t, Options{HoldOut: true})
	messagetest.Names(t, d.Warnings[0], "held out … 2 training samples … seed 0 … groups")
	messagetest.Names(t, d.Warnings[1], `split … 4 groups … "s1" … train and test`)
}

// Two groups are enough for a test, not for a validation too.
func TestGroupsTooFew(t *testing.T) {
	groups := make([]string, 20)
	for i := range groups {
		groups[i] = fmt.Sprint(i / 14)
	}
	d := path4().with("groups", vectorOf(groups...)).load(t, Options{HoldOut: true})
	assert.Equal(t, map[string]string{"0": "train and validation", "1": "test"}, splitOf(d))
	messagetest.Names(t, d.Warnings[0], "no whole group … validation … class")
	assert.NotContains(t, d.Warnings[1], "none of the groups")
}

func TestGroupsAndGridErrors(t *testing.T) {
	same := make([]string, 20)
	classes := make([]int64, 20)
	for i := range same {
		same[i], classes[i] = "anna", int64(i%2)
	}
	for _, c := range []struct {
		data arrays
		want string
	}{
		{path4().with("sample_names", vectorOf(1.5)),
			"sample_names … [1] … [20] … features"},
		{path4().with("groups", vectorOf("a", "b")), "groups … [2] … [20] … features"},
		{path4().with("groups", vectorOf(same...)),
			`groups … 20 samples … one group … "anna"`},
		{path4().with("labels", vectorOf(make([]int64, 20)...)).with("groups", vectorOf(same...)),
			"labels name 1 class"},
		{path4().with("labels", vectorOf(classes...)).with("groups", vectorOf(classes...)),
			"no whole group … test … class"},
		{path4().with("groups", vectorOf(make([]float64, 19)...)), "groups has shape [19]"},
		{path4().with("groups", vectorOf(append(make([]float64, 19), 0.5)...)),
			"groups … element 19 … 0.5 … whole number"},
		{path4().with("grid", vectorOf[int64](2, 3)),
			"grid … 2 x 3 … 4 nodes"},
		{path4().with("grid", vectorOf[int64](-2, -2)), "grid is -2 x -2; want"},
		{path4().with("grid", vectorOf[int64](1<<62, 4)), "want rows and columns"},
		{path4().with("grid", vectorOf[int64](2, 1<<62+2)), "want rows and columns"},
		{path4().with("grid", vectorOf[int64](2, 2)).with("parts", vectorOf[int64](0, 1)).with("bodies",
			vectorOf[int64](1<<62)), "bodies is 4611686018427387904"},
		{path4().with("grid", vectorOf[int64](4)), "grid … [1] … [2]"},
		{path4().with("parts", vectorOf[int64](0, 1)), "parts needs grid"},
		{path4().with("grid", vectorOf[int64](2, 2)).with("parts", vectorOf[int64](0, 1, 1)),
			"parts … [3] … [2] … joint"},
		{path4().with("grid", vectorOf[int64](2, 2)).with("parts", vectorOf[int64](0, -2)),
			"parts[1] … -2 … from 0"},
		{path4().with("grid", vectorOf[int64](2, 2)).with("parts", vectorOf[int64](-1, -1)),
			"parts … -1 … from 0"},
		{path4().with("grid", vectorOf[int64](2, 2)).with("parts", vectorOf[int64](7, 0)), "parts … 7 … number"},
		{path4().with("grid", vectorOf[int64](2, 2)).with("parts", vectorOf[int64](1, -1)),
			"parts … no joint … part 0 … part 1"},
		{path4().with("grid", vectorOf[int64](2, 2)).with("parts", vectorOf[int64](0, 1)).with("bodies",
			vectorOf[int64](2)), "bodies … 2 … x, y and z … 2 channels"},
		{path4().with("bodies", vectorOf[int64](1)),
			"bodies … joints … parts"},
	} {
		_, err := Load(t.Context(), c.data.write(t), Options{HoldOut: true})
		messagetest.Names(t, err, c.want)
	}
}

// A body of three joints in two frames: its parts, two bodies' positions with one deviation each for all axes.
func TestParts(t *testing.T) {
	features := make([]float32, 20*6*7)
	for i := range features {
		features[i] = float32(i % 11 * (1 + i%7)) // axes of different spread
	}
	file := path4().with("features", &npz.Array{Shape: []int{20, 6, 7}, Data: features}).with("grid",
		vectorOf[int64](2, 3)).
		with("parts", vectorOf[int64](1, 0, -1)).with("bodies", vectorOf[int64](2))
	d := file.load(t, Options{HoldOut: true})
	assert.Equal(t, [][]int{{1}, {0}}, d.Parts)
	assert.Equal(t, 2, d.Bodies)
	_, own := d.ChannelStats(d.Train)
	square := 0.0
	for _, std := range own[:6] {
		square += float64(std*std) / 6
	}
	for channel := range 6 {
		assert.InDelta(t, math.Sqrt(square), d.Std[channel], 1e-4)
	}
	assert.Equal(t, own[6], d.Std[6])
	assert.Equal(t, 1, file.with("bodies", nil).load(t, Options{HoldOut: true}).Bodies)

	// An axis that does not change has no part in the common deviation, which stands in for its own.
	for i := range features {
		if i%7 == 2 {
			features[i] = 4
		}
	}
	plane := file.with("bodies", vectorOf[int64](1)).load(t, Options{})
	_, own = plane.ChannelStats(plane.Train)
	require.Zero(t, own[2])
	for channel := range 3 {
		assert.InDelta(t, math.Sqrt(float64(own[0]*own[0]+own[1]*own[1])/2), plane.Std[channel], 1e-4)
	}
	messagetest.OneNames(t, plane.Warnings, "channel 2 … constant … 4")

	// x and y alone
	flat := path4().with("grid", vectorOf[int64](2, 2)).with("parts", vectorOf[int64](0, 0)).load(t,
		Options{HoldOut: true})
	assert.Zero(t, flat.Bodies)
	_, own = flat.ChannelStats(flat.Train)
	assert.Equal(t, own, flat.Std)
}
