package report

import (
	"bytes"
	"context"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/early"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/browsertest"
)

// opened is a tab that shows a report from a file.
func opened(t testing.TB, r Report, before ...chromedp.Action[chromedp.Void]) context.Context {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	var page bytes.Buffer
	require.NoError(t, Write(&page, r))
	require.NoError(t, os.WriteFile(path, page.Bytes(), 0o644))
	address := (&url.URL{Scheme: "file", Path: path}).String()
	ctx := browsertest.Open(t, address)
	require.NoError(t, chromedp.Do(ctx, append(before, chromedp.Navigate(address), chromedp.WaitVisible("#rerun"))...))
	frame(t, ctx)
	return ctx
}

// do runs actions and waits until the page has been drawn again.
func do(t testing.TB, ctx context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	require.NoError(t, chromedp.Do(ctx, actions...))
	frame(t, ctx)
}

// frame waits for the next two frames.
func frame(t testing.TB, ctx context.Context) {
	t.Helper()
	require.NoError(t, chromedp.Do(ctx,
		chromedp.Evaluate[chromedp.Void](`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() `+
			`=> done(true))))`, chromedp.EvalAwaitPromise)))
}

// read evaluates an expression in the page.
func read[T any](t testing.TB, ctx context.Context, expression string) T {
	t.Helper()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	require.NoError(t, err)
	return value
}

func textOf(t testing.TB, ctx context.Context, id string) string {
	t.Helper()
	return read[string](t, ctx, `document.getElementById("`+id+`").textContent`)
}

func TestAccessible(t *testing.T) {
	learned, _ := built(t, "learned")
	sensors, _ := built(t, "sensors")
	softmax, _ := built(t, "softmax")
	missing := softmax
	missing.Evaluation, missing.Mistakes, missing.Gallery = nil, nil, nil
	missing.Notices = []string{"The data set is not here."}
	warned := learned
	warned.Health = append(warned.Health[:0:0], learned.Health...)
	warned.Health[0].Warnings = []string{"level 1: collapsed"}
	for name, r := range map[string]Report{"clusters": learned, "sensors": sensors, "softmax": softmax,
		"missing": missing, "warned": warned, "words": words(t)} {
		t.Run(name, func(t *testing.T) {
			ctx := opened(t, r, browsertest.Theme("light"))
			if r.Hierarchy != nil {
				do(t, ctx, chromedp.SendKeys("#cluster", "1"))
			}
			do(t, ctx, chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach((d) => { d.open = true; })`))
			assert.Empty(t, browsertest.Violations(t, ctx))
			do(t, ctx, browsertest.Theme("dark"))
			assert.Empty(t, browsertest.Violations(t, ctx))
		})
	}
}

// Nothing is wider than a telephone or a desk, and nothing but the page itself is higher than two screens, whatever the
// nodes are and also where a cluster is chosen.
func TestSizes(t *testing.T) {
	for _, name := range []string{"learned", "sensors"} {
		r, _ := built(t, name)
		ctx := opened(t, r)
		for _, size := range [][2]int64{{360, 780}, {390, 844}, {1280, 900}} {
			do(t, ctx, chromedp.EmulateViewport(size[0], size[1]), chromedp.SetValue("#cluster", ""),
				chromedp.SendKeys("#cluster", "1"))
			assert.Equal(t, int(size[0]), read[int](t, ctx, `document.documentElement.scrollWidth`), "%s at %v", name, size)
			assert.Empty(t, read[[]string](t, ctx, `[...document.querySelectorAll("body *:not(main):not(.frame)")].map((e) => {
				const high = e.closest(".reel") && !e.matches(".reel") && e.tagName === "UL" ? 0 : e.getBoundingClientRect().height;
				return [e.tagName, e.id, e.className, Math.round(high)];
			}).filter((e) => e[3] > 2 * innerHeight).map(String)`), "%s at %v", name, size)
			small := read[[]string](t, ctx,
				`[...document.querySelectorAll("main img")].map((e) => e.getBoundingClientRect()).filter((b) => `+
					`b.width < 60 || b.height < 60).map((b) => b.width + " x " + b.height)`)
			assert.Empty(t, small, "%s at %v: pictures that show nothing", name, size)
		}
	}
}

// Sensors over time are curves and blocks with names, and the page says so.
func TestSensors(t *testing.T) {
	r, _ := built(t, "sensors")
	r.PredictedBy, r.Method = "lags (50%), with the network (50%)", models.Occlusion
	assert.Equal(t, []string{"hip", "left wrist", "right wrist"}, r.Layout.RowNames)
	require.NotEmpty(t, r.Means)
	for _, s := range r.Gallery {
		assert.Less(t, len(s.Pictures[0]), 40_000, "forty of them are a small page")
	}
	ctx := opened(t, r)
	assert.Contains(t, textOf(t, ctx, "explorer-text"), "in a row for its sensor and a column for its frame")
	assert.NotContains(t, read[string](t, ctx, `document.body.innerText`), "image")
	for range 3 {
		do(t, ctx, chromedp.Focus("#map"), chromedp.KeyEvent(kb.ArrowRight))
	}
	do(t, ctx, chromedp.KeyEvent(kb.ArrowDown))
	assert.Contains(t, textOf(t, ctx, "announcement"), "left wrist, frame 2; Level 1")
	assert.Contains(t, textOf(t, ctx, "means-text"), "of 4 test samples")
	assert.Contains(t, textOf(t, ctx, "facts"), "Predicted bylags (50%), with the network (50%)")
	assert.Contains(t, textOf(t, ctx, "curves-text"),
		"They are of the network alone; predictions are made by lags (50%), with the network (50%).")
	assert.Contains(t, textOf(t, ctx, "curves-charts"), "training, network alone")
	assert.Contains(t, textOf(t, ctx, "gallery-text"), "(occlusion)")
	assert.NotContains(t, read[string](t, ctx, `document.body.innerText`), "integrated")
	assert.Equal(t, len(r.Means), read[int](t, ctx, `document.querySelectorAll("#means-list img").length`))
	assert.Equal(t, len(r.Gallery), read[int](t, ctx, `document.querySelectorAll("#gallery-list img").length`), "a picture for each sample")
}

// Where transforms predict alone, the page claims nothing of a network.
func TestPageWithoutANetwork(t *testing.T) {
	r, _ := built(t, "transforms")
	ctx := opened(t, r)
	assert.Equal(t, []string{"doubts", "members", "confusion", "reliability", "mistakes", "gallery", "rerun"},
		read[[]string](t, ctx, `[...document.querySelectorAll("main > section")].filter((s) => s.offsetParent !== `+
			`null).map((s) => s.id)`))
	assert.Equal(t, "sensors.npz · values", textOf(t, ctx, "title"))
	assert.Regexp(t, `^Predicted by values, fitted to 2 classes, without a network. `+
		`No network is tried, since what it could gain on a held-out quarter \(30 samples\), 0\.\d nats, may be chance. `+
		`Of 30 samples held out of the training they have `+
		`100.0% right, at a log-loss of 0\.\d+\.$`, textOf(t, ctx, "about"))
	assert.Contains(t, textOf(t, ctx, "members-text"), "None goes by links or pairs of sensors.")
	assert.Regexp(t, `values\s*\d+\.\d%\s*[0-9.]+\s*30 samples\s*no\s*100%`, textOf(t, ctx, "members-table"))
	assert.NotRegexp(t, `(?i)pooling|epoch|dropout|Levels|Parameters|trainable|first step`, read[string](t, ctx, `document.body.innerText`))
}

// Where nothing was held out the page has no figure of it.
func TestPageWithoutHeldOutSamples(t *testing.T) {
	r, _ := built(t, "transforms")
	result := *r.Result
	result.Train, result.Members = training.Score{}, slices.Clone(result.Members)
	result.NoNetwork = "" // as in results of earlier versions
	for i := range result.Members {
		result.Members[i].Score = nil
	}
	r.Result = &result
	ctx := opened(t, r)
	assert.Equal(t, "Predicted by values, fitted to 2 classes, without a network. No samples could be held out to tell "+
		"how well they predict.",
		textOf(t, ctx, "about"))
	assert.Equal(t, "No training samples could be held out to judge these by.", textOf(t, ctx, "members-text"))
	assert.Regexp(t, `values\s*not measured\s*–\s*no\s*100%`, textOf(t, ctx, "members-table"))
	assert.NotContains(t, textOf(t, ctx, "members"), "NaN")
	assert.NotContains(t, textOf(t, ctx, "members"), "undefined")
}

// The section on early decisions says how right and how early they are, and how a class is decided; or that none is.
func TestEarlySection(t *testing.T) {
	r, _ := built(t, "transforms")
	shows := func(ctx context.Context, id string) bool {
		return read[bool](t, ctx, `document.getElementById("`+id+`").offsetParent !== null`)
	}
	assert.False(t, shows(opened(t, r), "early"), "it was not asked for")
	result := *r.Result
	rule := &early.Rule{Looks: []int{8, 16}, Agree: 2, By: early.ByLoss, Loss: 0.02, Thresholds: []float64{0.9, 0.9},
		Shares: []float64{0.5, 0.5},
		Chosen: early.Figures{Samples: 40, Accuracy: 0.95, AtEnd: 0.97, Seen: 0.4, Mean: 0.735},
		Best:   early.Figures{Samples: 40, Accuracy: 0.9, AtEnd: 0.97, Seen: 0.2, Mean: 0.847},
		Curve:  []early.Point{{Seen: 0.2, Accuracy: 0.9}, {Seen: 0.4, Accuracy: 0.94}, {Seen: 1, Accuracy: 0.97}}}
	result.Early = &training.EarlyResult{Rule: rule, Test: &early.Figures{Samples: 20, Accuracy: 0.9, AtEnd: 1, Seen: 0.5}}
	r.Result = &result
	ctx := opened(t, r)
	assert.Regexp(t, `looked at 2 times .* from 8 time points .* 2 looks in a row .* at most 2 points`, textOf(t, ctx, "early-text"))
	assert.Regexp(t, `test\s*20\s*90\.0%\s*100\.0%\s*50%[^%]*held out\s*40\s*95\.0%\s*97\.0%\s*40%`, textOf(t, ctx, "early-table"))
	assert.Regexp(t, `held out, --early=mean\s*40\s*90\.0%\s*97\.0%\s*20%\s*0\.847`, textOf(t, ctx, "early-table"))
	assert.True(t, shows(ctx, "early-details"))
	assert.Equal(t, 2, read[int](t, ctx, `document.querySelectorAll("#early-chart circle").length`))

	for _, accuracy := range []float64{0.91, 0.95, 0.99, 1} {
		result.Early.Test = &early.Figures{Samples: 20, Accuracy: accuracy, AtEnd: 1, Seen: 0.41}
		assert.Empty(t, read[string](t, opened(t, r), `(() => {
			const picture = document.querySelector("#early-chart svg"), frame = picture.getBoundingClientRect();
			const names = [...picture.querySelectorAll("text")].filter((n) => /held-out|^test$/.test(n.textContent));
			const [a, b] = names.map((n) => n.getBoundingClientRect());
			if (a.top < b.bottom && b.top < a.bottom && a.left < b.right && b.left < a.right) return "names overlap";
			return [a, b].every((r) => r.top >= frame.top && r.bottom <= frame.bottom) ? "" : "a name is cut off";
		})()`), accuracy)
	}

	never := *rule
	never.Looks, never.Curve = []int{}, rule.Curve[2:]
	result.Early = &training.EarlyResult{Rule: &never}
	ctx = opened(t, r)
	assert.Contains(t, textOf(t, ctx, "early-text"), "Nothing is decided before a recording ends")
	assert.False(t, shows(ctx, "early-details"))
	assert.NotContains(t, textOf(t, ctx, "early-table"), "--early=mean")
}

func TestMissingSections(t *testing.T) {
	r, _ := built(t, "softmax")
	r.Notices = []string{"a notice <b>"}
	ctx := opened(t, r)
	assert.Equal(t, []string{"curves", "doubts", "confusion", "reliability", "mistakes", "gallery", "rerun"},
		read[[]string](t, ctx, `[...document.querySelectorAll("main > section")].filter((s) => s.offsetParent !== `+
			`null).map((s) => s.id)`))
	assert.Equal(t, "a notice <b>", textOf(t, ctx, "notices"))
	assert.Contains(t, textOf(t, ctx, "command"), "ccp train --test")
}
