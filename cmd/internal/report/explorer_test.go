package report

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/clusterpool/ccp/internal/picture"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// place is the middle of a node on the map, in the window.
func place(t testing.TB, ctx context.Context, m *picture.Map, node int) (x, y float64) {
	t.Helper()
	at := read[[]float64](t, ctx, fmt.Sprintf(`(() => {
		const map = document.getElementById("map");
		map.scrollIntoView({block: "center", behavior: "instant"});
		const at = new DOMPoint(%g, %g).matrixTransform(map.getScreenCTM());
		return [at.x, at.y];
	})()`, m.X[node], m.Y[node]))
	return at[0], at[1]
}

// chosen is what the panel says of a cluster: its number, level and input nodes.
func chosen(t testing.TB, ctx context.Context) (cluster, level, nodes int) {
	t.Helper()
	_, err := fmt.Sscanf(read[string](t, ctx, `document.querySelector("#panel h3").textContent`), "Cluster %d of level %d", &cluster, &level)
	require.NoError(t, err)
	text := textOf(t, ctx, "panel-size")
	if strings.HasPrefix(text, "No input node") {
		return cluster, level, 0
	}
	_, err = fmt.Sscanf(text, "%d of 64 input nodes", &nodes)
	require.NoError(t, err, text)
	return cluster, level, nodes
}

// rows are the panel's words of every level, by their names.
func rows(t testing.TB, ctx context.Context) map[string]string {
	t.Helper()
	return read[map[string]string](t, ctx, `Object.fromEntries([...document.querySelectorAll("#panel-levels dt")].map((name) =>
		[name.textContent, [...name.nextSibling.querySelectorAll("li")].map((chip) => chip.textContent).join(" ") ||
			name.nextSibling.textContent]))`)
}

// count is how many of the values are k.
func count(values []int32, k int) (n int) {
	for _, v := range values {
		if int(v) == k {
			n++
		}
	}
	return n
}

// holders lists the indices of the values that are k.
func holders(values []int32, k int) string {
	var all []string
	for i, v := range values {
		if int(v) == k {
			all = append(all, strconv.Itoa(i))
		}
	}
	if all == nil {
		return "none of its clusters"
	}
	return strings.Join(all, " ")
}

// A click, both sliders and the number field show what the model gives.
func TestExplorer(t *testing.T) {
	r, c := built(t, "learned")
	levels, err := c.ClusterLevels(0)
	require.NoError(t, err)
	ctx := opened(t, r)
	x, y := place(t, ctx, r.Map, 3*8+4)
	do(t, ctx, chromedp.MouseClickXY(x, y))
	want := int(levels.Hard().Path(1)[3*8+4])
	cluster, level, nodes := chosen(t, ctx)
	assert.Equal(t, []int{want, 1, count(levels.Hard().Path(1), want)}, []int{cluster, level, nodes})
	assert.Contains(t, textOf(t, ctx, "announcement"),
		fmt.Sprintf("row 4, column 5; Level 1, cluster %d: %d of 64 input nodes", want, nodes))
	up := levels[1].Memberships.Hard()
	assert.Equal(t, strconv.Itoa(int(up[want])), rows(t, ctx)["level 2"])
	assert.Contains(t, textOf(t, ctx, "panel-size"), fmt.Sprintf("%.2f", levels.Mass(1)[want])[:3])

	neighbourhood := read[[][]string](t, ctx,
		`[...document.querySelectorAll("#panel-neighbourhood tbody tr")].map((row) => [...row.cells].map((cell) => `+
			`cell.textContent))`)
	require.Len(t, neighbourhood, levels[0].Neighbours)
	for place, row := range neighbourhood {
		node := levels[0].Neighbourhoods[want][place]
		assert.Equal(t, []string{strconv.Itoa(place), fmt.Sprintf("row %d, column %d", node/8+1, node%8+1)}, row[:2])
		assert.Equal(t, fmt.Sprintf("%.3f", levels[0].Gates[want][place]), row[3])
	}
	central := levels.Central(1, levels.Inputs()[0], c.Graph)[want]
	assert.Equal(t, fmt.Sprintf("row %d, column %d", central[0]/8+1, central[0]%8+1),
		read[string](t, ctx, `document.querySelector("#panel-central li").textContent`))

	// The level's slider, by its keys: the same node's cluster there.
	do(t, ctx, chromedp.SendKeys("#level", kb.ArrowRight))
	want = int(levels.Hard().Path(2)[3*8+4])
	cluster, level, nodes = chosen(t, ctx)
	assert.Equal(t, []int{want, 2, count(levels.Hard().Path(2), want)}, []int{cluster, level, nodes})
	assert.Equal(t, holders(up, want), rows(t, ctx)["level 1"])
	assert.Equal(t, "2 of 3: 4 clusters", textOf(t, ctx, "level-value"))

	// The epoch's slider: from the first epoch to the last, as the files have them.
	for i, epoch := range r.Hierarchy.Epochs {
		key := kb.ArrowRight
		if i == 0 {
			key = kb.Home
		}
		do(t, ctx, chromedp.SendKeys("#epoch", key))
		cluster, level, nodes = chosen(t, ctx)
		assert.Equal(t, []int{want, 2}, []int{cluster, level}, "the cluster is kept")
		assert.Equal(t, count(epoch.Clusters.Path(2), want), nodes)
		assert.Equal(t, holders(epoch.Clusters[1], want), rows(t, ctx)["level 1"])
		assert.Contains(t, textOf(t, ctx, "map-status"), fmt.Sprintf("epoch %d.", epoch.Epoch))
	}

	// Every cluster of each level, by its number.
	do(t, ctx, chromedp.Evaluate[chromedp.Void](
		fmt.Sprintf(`document.getElementById("epoch").value = %d; document.getElementById("epoch").dispatchEvent(new `+
			`Event("input"))`, r.Hierarchy.Shown)))
	for l := range levels {
		do(t, ctx, chromedp.SendKeys("#level", kb.Home+strings.Repeat(kb.ArrowRight, l)))
		for k := range levels[l].Clusters {
			do(t, ctx, chromedp.SetValue("#cluster", ""), chromedp.SendKeys("#cluster", strconv.Itoa(k)))
			cluster, level, nodes = chosen(t, ctx)
			require.Equal(t, []int{k, l + 1, count(levels.Hard().Path(l+1), k)}, []int{cluster, level, nodes})
		}
	}
	do(t, ctx, chromedp.SetValue("#cluster", ""), chromedp.SendKeys("#cluster", "99"))
	assert.Equal(t, "The clusters of level 3 have the numbers 0 to 0.", textOf(t, ctx, "announcement"))
	assert.True(t, read[bool](t, ctx, `document.getElementById("cluster").getAttribute("aria-invalid") === "true"`))
}

// Hovering shows a cluster while it lasts; it is not announced.
func TestHover(t *testing.T) {
	r, c := built(t, "learned")
	levels, err := c.ClusterLevels(0)
	require.NoError(t, err)
	ctx := opened(t, r)
	x, y := place(t, ctx, r.Map, 7)
	do(t, ctx, chromedp.MouseEvent("mouseMoved", x, y))
	cluster, _, _ := chosen(t, ctx)
	assert.Equal(t, int(levels.Hard().Path(1)[7]), cluster)
	assert.Empty(t, textOf(t, ctx, "announcement"))
	outline := read[string](t, ctx, `document.querySelector("#map .shown").getAttribute("d")`)
	assert.Equal(t, count(levels.Hard().Path(1), cluster), strings.Count(outline, "M"), "of its nodes")
	do(t, ctx, chromedp.MouseEvent("mouseMoved", x, 2))
	assert.Equal(t, "No cluster is chosen", read[string](t, ctx, `document.querySelector("#panel h3").textContent`))
	assert.True(t, read[bool](t, ctx, `document.querySelector("#map .shown") === null`))
}

// focused is the id of the element that has the focus.
func focused(t testing.TB, ctx context.Context) string {
	t.Helper()
	return read[string](t, ctx, `document.activeElement.id`)
}

// Everything is reached and worked by keys alone.
func TestKeyboard(t *testing.T) {
	r, c := built(t, "learned")
	levels, err := c.ClusterLevels(0)
	require.NoError(t, err)
	ctx := opened(t, r)
	seen := []string{}
	for range 60 {
		do(t, ctx, chromedp.KeyEvent(kb.Tab))
		if id := focused(t, ctx); id != "" {
			seen = append(seen, id)
		}
		if focused(t, ctx) == "map" {
			break
		}
	}
	assert.Subset(t, seen, []string{"level", "epoch", "cluster", "clear", "map"})
	// the first one begins
	do(t, ctx, chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowRight))
	node := 1*8 + 1
	cluster, level, _ := chosen(t, ctx)
	assert.Equal(t, []int{int(levels.Hard().Path(1)[node]), 1}, []int{cluster, level})
	assert.Contains(t, textOf(t, ctx, "announcement"), "row 2, column 2; Level 1")
	do(t, ctx, chromedp.KeyEvent(kb.PageUp))
	cluster, level, _ = chosen(t, ctx)
	assert.Equal(t, []int{int(levels.Hard().Path(2)[node]), 2}, []int{cluster, level})
	for range 3 { // the panel, then its first button: a cluster of level 1
		do(t, ctx, chromedp.KeyEvent(kb.Tab))
		if focused(t, ctx) != "panel" {
			break
		}
	}
	first := read[string](t, ctx, `document.activeElement.textContent`)
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	cluster, level, _ = chosen(t, ctx)
	assert.Equal(t, []string{first, "1"}, []string{strconv.Itoa(cluster), strconv.Itoa(level)})
	assert.Equal(t, "panel", focused(t, ctx))
	do(t, ctx, chromedp.Focus("#map"), chromedp.KeyEvent(kb.Escape))
	assert.Equal(t, "No cluster is chosen", read[string](t, ctx, `document.querySelector("#panel h3").textContent`))
}

// Of 10,000 nodes each is found under the pointer, and the arrow keys go from one to another.
func TestTenThousandNodes(t *testing.T) {
	r := words(t)
	ctx := opened(t, r)
	shown := training.HierarchyEpoch{Clusters: slices.Clone(r.Hierarchy.Epochs[r.Hierarchy.Shown].Clusters)}
	cluster := shown.Clusters.Path(4)
	x, y := centreOf(t, ctx)
	do(t, ctx, chromedp.MouseClickXY(x, y))
	name, _, found := strings.Cut(textOf(t, ctx, "announcement"), ";")
	require.True(t, found)
	node := -1
	for i := range r.Names {
		if r.Names[i] == name {
			node = i
		}
	}
	require.GreaterOrEqual(t, node, 0)
	assert.Contains(t, textOf(t, ctx, "announcement"),
		fmt.Sprintf("Level 4, cluster %d: %d of 10,000 input nodes; in cluster", cluster[node],
			count(cluster, int(cluster[node]))))
	do(t, ctx, chromedp.KeyEvent(kb.ArrowLeft))
	other, _, _ := strings.Cut(textOf(t, ctx, "announcement"), ";")
	assert.NotEqual(t, name, other)
}

// centreOf is the middle of the map in the window.
func centreOf(t testing.TB, ctx context.Context) (x, y float64) {
	t.Helper()
	place := read[[]float64](t, ctx, `(() => {
		const map = document.getElementById("map");
		map.scrollIntoView({block: "center", behavior: "instant"});
		const box = map.getBoundingClientRect();
		return [box.left + box.width / 2, box.top + box.height / 2];
	})()`)
	return place[0], place[1]
}
