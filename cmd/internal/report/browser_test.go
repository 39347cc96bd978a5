package report

import (
	"bytes"
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// absent skips a test that needs what is not there, or fails it where CCP_REQUIRE_BROWSER=1.
func absent(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CCP_REQUIRE_BROWSER") == "1" {
		require.FailNow(t, what)
	}
	t.Skip(what)
}

// browser is a tab of a headless Chromium, which CCP_CHROMIUM names or the PATH has. At the end of the test its
// requests are those under origin alone, and its scripts have thrown nothing.
func browser(t testing.TB, origin string) context.Context {
	t.Helper()
	path := os.Getenv("CCP_CHROMIUM")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path == "" {
			path, _ = exec.LookPath(name)
		}
	}
	if path == "" {
		absent(t, "there is no Chromium: CCP_CHROMIUM names none, and the PATH has none")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-background-networking", true),
		chromedp.WSURLReadTimeout(time.Minute))
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	var mu sync.Mutex
	var strange []string
	chromedp.ListenTarget(ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, origin) && !strings.HasPrefix(e.Request.URL, "data:") { // data: is the page's own
				strange = append(strange, "request "+e.Request.URL)
			}
		case *runtime.EventExceptionThrown:
			strange = append(strange, e.ExceptionDetails.Error())
		}
	})
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		assert.Empty(t, strange)
	})
	require.NoError(t, chromedp.Run(ctx, network.Enable(), chromedp.EmulateViewport(1200, 900)))
	return ctx
}

// opened is a tab that shows a report from a file.
func opened(t testing.TB, r Report, before ...chromedp.Action) context.Context {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	var page bytes.Buffer
	require.NoError(t, Write(&page, r))
	require.NoError(t, os.WriteFile(path, page.Bytes(), 0o644))
	address := (&url.URL{Scheme: "file", Path: path}).String()
	ctx := browser(t, address)
	require.NoError(t, chromedp.Run(ctx, append(before, chromedp.Navigate(address), chromedp.WaitVisible("#rerun"))...))
	frame(t, ctx)
	return ctx
}

// do runs actions and waits until the page has been drawn again.
func do(t testing.TB, ctx context.Context, actions ...chromedp.Action) {
	t.Helper()
	require.NoError(t, chromedp.Run(ctx, actions...))
	frame(t, ctx)
}

// frame waits for the next two frames.
func frame(t testing.TB, ctx context.Context) {
	t.Helper()
	await := func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
	require.NoError(t, chromedp.Run(ctx, chromedp.Evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`, new(bool), await)))
}

// read evaluates an expression in the page.
func read[T any](t testing.TB, ctx context.Context, expression string) (value T) {
	t.Helper()
	require.NoError(t, chromedp.Run(ctx, chromedp.Evaluate(expression, &value)))
	return value
}

func textOf(t testing.TB, ctx context.Context, id string) string {
	t.Helper()
	return read[string](t, ctx, `document.getElementById("`+id+`").textContent`)
}

func theme(name string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}})
}

// violations are what axe-core, from the file that CCP_AXE names, finds wrong with the page, in words.
func violations(t testing.TB, ctx context.Context) []string {
	t.Helper()
	path := os.Getenv("CCP_AXE")
	if path == "" {
		absent(t, "CCP_AXE does not name the file axe.min.js of axe-core")
	}
	axe, err := os.ReadFile(path)
	require.NoError(t, err)
	await := func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
	var found []string
	require.NoError(t, chromedp.Run(ctx, chromedp.Evaluate(string(axe), nil), chromedp.Evaluate(`axe.run(document, {resultTypes: ["violations"]}).then((result) =>
		result.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.target.join(" ") + ": " + n.failureSummary)))`, &found, await)))
	return found
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
	for name, r := range map[string]Report{"clusters": learned, "sensors": sensors, "softmax": softmax, "missing": missing, "warned": warned, "words": words(t)} {
		t.Run(name, func(t *testing.T) {
			ctx := opened(t, r, theme("light"))
			if r.Hierarchy != nil {
				do(t, ctx, chromedp.SendKeys("#cluster", "1"))
			}
			do(t, ctx, chromedp.Evaluate(`document.querySelectorAll("details").forEach((d) => { d.open = true; })`, nil))
			assert.Empty(t, violations(t, ctx))
			do(t, ctx, theme("dark"))
			assert.Empty(t, violations(t, ctx))
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
			do(t, ctx, chromedp.EmulateViewport(size[0], size[1]), chromedp.SetValue("#cluster", ""), chromedp.SendKeys("#cluster", "1"))
			assert.Equal(t, int(size[0]), read[int](t, ctx, `document.documentElement.scrollWidth`), "%s at %v", name, size)
			assert.Empty(t, read[[]string](t, ctx, `[...document.querySelectorAll("body *:not(main):not(.frame)")].map((e) => {
				const box = e.closest(".reel") && !e.matches(".reel") ? {height: e.tagName === "UL" ? 0 : e.getBoundingClientRect().height} : e.getBoundingClientRect();
				return [e.tagName, e.id, e.className, Math.round(box.height)];
			}).filter((e) => e[3] > 2 * innerHeight).map(String)`), "%s at %v", name, size)
			small := read[[]string](t, ctx, `[...document.querySelectorAll("main img")].map((e) => e.getBoundingClientRect()).filter((b) => b.width < 60 || b.height < 60).map((b) => b.width + " x " + b.height)`)
			assert.Empty(t, small, "%s at %v: pictures that show nothing", name, size)
		}
	}
}

// Sensors over time are curves and blocks with names, and the page says so.
func TestSensors(t *testing.T) {
	r, _ := built(t, "sensors")
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
	assert.Equal(t, len(r.Means), read[int](t, ctx, `document.querySelectorAll("#means-list img").length`))
	assert.Equal(t, len(r.Gallery), read[int](t, ctx, `document.querySelectorAll("#gallery-list img").length`), "a picture for each sample")
}

func TestMissingSections(t *testing.T) {
	r, _ := built(t, "softmax")
	r.Notices = []string{"a notice <b>"}
	ctx := opened(t, r)
	assert.Equal(t, []string{"curves", "confusion", "mistakes", "gallery", "rerun"}, read[[]string](t, ctx, `[...document.querySelectorAll("main > section")].filter((s) => s.offsetParent !== null).map((s) => s.id)`))
	assert.Equal(t, "a notice <b>", textOf(t, ctx, "notices"))
	assert.Contains(t, textOf(t, ctx, "command"), "ccp train --test")
}
