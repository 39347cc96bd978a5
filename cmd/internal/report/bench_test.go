package report

import (
	"context"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// clock keeps the milliseconds that the work before each frame takes, and those from each input event to what it
// brought on the screen, which browsers tell in steps of 8.
const clock = `
window.frames_ = []; window.events_ = [];
const request = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (work) => request((time) => {
  const start = performance.now();
  work(time);
  window.frames_.push(performance.now() - start);
});
new PerformanceObserver((list) => {
  for (const e of list.getEntries()) window.events_.push(e.duration);
}).observe({ type: "event", durationThreshold: 16, buffered: true });
`

// BenchmarkExplorer moves the pointer over the map of 10,000 nodes, and both sliders, by real input events, and
// reports how long it takes to draw the map and the panel again:
//
//	go test -bench Explorer -benchtime 200x ./cmd/internal/report
func BenchmarkExplorer(b *testing.B) {
	ctx := opened(b, words(b), chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, page.AddScriptToEvaluateOnNewDocument,
			page.AddScriptToEvaluateOnNewDocumentParams{Source: clock})
		return err
	}))
	for _, c := range []struct {
		name string
		act  func(i int) chromedp.Action[chromedp.Void]
	}{
		{"hover", func(i int) chromedp.Action[chromedp.Void] {
			x, y := centreOf(b, ctx)
			return chromedp.MouseEvent("mouseMoved", x-150+float64(i*37%300), y-150+float64(i*53%300))
		}},
		{"level", func(i int) chromedp.Action[chromedp.Void] {
			return chromedp.SendKeys("#level", []string{kb.ArrowLeft, kb.ArrowRight}[i%2])
		}},
		{"epoch", func(i int) chromedp.Action[chromedp.Void] {
			return chromedp.SendKeys("#epoch", []string{kb.Home, kb.ArrowRight, kb.ArrowRight, kb.End, kb.ArrowLeft}[i%5])
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			require.NoError(b, chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](`window.frames_.length = window.events_.length = 0`)))
			for i := range b.N {
				do(b, ctx, c.act(i))
			}
			frames := read[[]float64](b, ctx, `window.frames_.filter((ms) => ms > 0.2)`) // the others only wait
			events := read[[]float64](b, ctx, `window.events_`)
			if len(frames) == 0 { // of a single move, which may have met no node
				return
			}
			slices.Sort(frames)
			b.ReportMetric(frames[len(frames)/2], "ms-median")
			b.ReportMetric(frames[len(frames)-1], "ms-max")
			if len(events) > 0 { // those of 16 ms and more: quicker ones are not told
				slices.Sort(events)
				slow, _ := slices.BinarySearch(events, 50)
				b.ReportMetric(events[len(events)-1], "ms-to-screen-max")
				b.ReportMetric(float64(len(events)-slow), "to-screen-over-50ms")
			}
			b.ReportMetric(float64(len(frames)), "redraws")
		})
	}
}
