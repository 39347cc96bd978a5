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
	softmax, _ := built(t, "softmax")
	missing := softmax
	missing.Evaluation, missing.Mistakes, missing.Gallery = nil, nil, nil
	missing.Notices = []string{"The data set is not here."}
	warned := learned
	warned.Health = append(warned.Health[:0:0], learned.Health...)
	warned.Health[0].Warnings = []string{"level 1: collapsed"}
	for name, r := range map[string]Report{"clusters": learned, "softmax": softmax, "missing": missing, "warned": warned, "words": words(t)} {
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

// At 360 pixels nothing is wider than the page.
func TestNarrow(t *testing.T) {
	r, _ := built(t, "learned")
	ctx := opened(t, r, chromedp.EmulateViewport(360, 800))
	assert.Equal(t, 360, read[int](t, ctx, `document.documentElement.scrollWidth`))
}

func TestMissingSections(t *testing.T) {
	r, _ := built(t, "softmax")
	r.Notices = []string{"a notice <b>"}
	ctx := opened(t, r)
	assert.Equal(t, []string{"curves", "confusion", "mistakes", "gallery", "rerun"}, read[[]string](t, ctx, `[...document.querySelectorAll("main > section")].filter((s) => s.offsetParent !== null).map((s) => s.id)`))
	assert.Equal(t, "a notice <b>", textOf(t, ctx, "notices"))
	assert.Contains(t, textOf(t, ctx, "command"), "ccp train --test")
}
