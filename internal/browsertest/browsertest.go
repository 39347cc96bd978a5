// Package browsertest gives tests a tab of a headless Chromium, and axe-core's opinion of the page in it.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
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

// Open returns a tab of a headless Chromium, which CCP_CHROMIUM names or the PATH has. At the end of the test its
// requests are those under origin alone, and its scripts have thrown nothing. With -short the test is skipped.
func Open(t testing.TB, origin string) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a browser")
	}
	path := os.Getenv("CCP_CHROMIUM")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path == "" {
			path, _ = exec.LookPath(name)
		}
	}
	if path == "" {
		absent(t, "there is no Chromium: CCP_CHROMIUM names none, and the PATH has none")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-background-networking", true),
		chromedp.WSURLReadTimeout(time.Minute))
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	var mu sync.Mutex
	var strange []string
	require.NoError(t, chromedp.Listen(ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			// data: is the page's own
			if !strings.HasPrefix(e.Request.URL, origin) && !strings.HasPrefix(e.Request.URL, "data:") {
				strange = append(strange, "request "+e.Request.URL)
			}
		case *runtime.EventExceptionThrown:
			strange = append(strange, (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error())
		}
	}))
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		assert.Empty(t, strange)
	})
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(1200, 900)))
	return ctx
}

// Violations returns what axe-core, from the file that CCP_AXE names, finds wrong with the page, in words.
func Violations(t testing.TB, ctx context.Context) []string {
	t.Helper()
	path := os.Getenv("CCP_AXE")
	if path == "" {
		absent(t, "CCP_AXE does not name the file axe.min.js of axe-core")
	}
	axe, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](string(axe))))
	found, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](`axe.run(document, {resultTypes: ["violations"]}).then((result) =>
		result.violations.flatMap((v) => v.nodes.map((n) =>
			v.id + ": " + n.target.join(" ") + ": " + n.failureSummary)))`, chromedp.EvalAwaitPromise))
	require.NoError(t, err)
	return found
}

// Theme makes the page light or dark.
func Theme(name string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
		return err
	})
}
