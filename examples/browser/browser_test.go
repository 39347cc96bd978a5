//go:build !js

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/browsertest"
	"github.com/clusterpool/ccp/internal/messagetest"
)

var update = flag.Bool("update", false, "take docs/pictures/browser.png anew")

// site is the folder that build has written.
var site string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(func() int {
		folder, err := os.MkdirTemp("", "ccp-browser-test-")
		if err == nil {
			defer os.RemoveAll(folder)
			site = filepath.Join(folder, "site")
			err = build(site)
		}
		if err == nil && build(site) == nil {
			err = errors.New("a folder that is there was written to")
		}
		if err != nil {
			log.Print(err)
			return 1
		}
		return m.Run()
	}())
}

// digits are how a person may draw them: strokes of points from 0 to 100, right and down.
var digits = map[string][][][2]float64{
	"0": {{{50, 15}, {35, 22}, {29, 40}, {29, 60}, {35, 78}, {50, 85}, {65, 78}, {71, 60}, {71, 40}, {65, 22}, {50, 15}}},
	"1": {{{38, 32}, {52, 15}, {52, 85}}},
	"2": {{{30, 32}, {36, 20}, {50, 15}, {64, 20}, {69, 34}, {62, 50}, {46, 66}, {30, 85}, {72, 85}}},
	"3": {{{32, 22}, {48, 15}, {64, 21}, {67, 34}, {60, 45}, {46, 49}, {62, 54}, {69, 66}, {64, 79}, {48, 86}, {31, 79}}},
	"4": {{{56, 15}, {28, 62}, {74, 62}}, {{60, 42}, {60, 86}}},
	"5": {{{68, 15}, {36, 15}, {33, 47}, {50, 42}, {65, 49}, {69, 64}, {62, 79}, {47, 85}, {30, 79}}},
	"6": {{{62, 15}, {46, 26}, {35, 46}, {32, 66}, {40, 82}, {54, 85}, {67, 77}, {68, 62}, {57, 52}, {43, 54}, {34, 66}}},
	"7": {{{30, 16}, {70, 16}, {56, 46}, {46, 86}}, {{38, 50}, {66, 50}}},
	"8": {{{50, 49}, {36, 40}, {35, 24}, {50, 15}, {65, 24}, {64, 40}, {50, 49},
		{34, 60}, {34, 77}, {50, 86}, {66, 77}, {66, 60}, {50, 49}}},
	"9": {{{67, 32}, {58, 45}, {42, 46}, {33, 34}, {38, 20}, {52, 15}, {65, 22}, {67, 34}, {65, 60}, {54, 86}}},
}

func do(t *testing.T, tab context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	require.NoError(t, chromedp.Do(tab, actions...))
}

func read[T any](t *testing.T, tab context.Context, expression string) T {
	t.Helper()
	value, err := chromedp.Run(tab, chromedp.Evaluate[T](expression))
	require.NoError(t, err)
	return value
}

// opened returns a tab whose network is ready.
func opened(t *testing.T, origin, page string) context.Context {
	t.Helper()
	tab := browsertest.Open(t, origin)
	do(t, tab, chromedp.EmulateViewport(1080, 640), browsertest.Theme("light"), chromedp.Navigate(origin+page),
		chromedp.WaitReady(`body[data-ready="yes"]`))
	require.Empty(t, read[string](t, tab, `document.getElementById("error").textContent`))
	t.Logf("ready after %.0f ms", read[float64](t, tab, `performance.now()`))
	return tab
}

// draw moves a real pointer over the paper and returns the class that the page shows.
func draw(t *testing.T, tab context.Context, strokes [][][2]float64) string {
	t.Helper()
	do(t, tab, chromedp.Click("#clear"))
	box := read[[]float64](t, tab, `((b) => [b.left, b.top, b.width])(paper.getBoundingClientRect())`)
	pointer := func(kind input.DispatchMouseEventType, p [2]float64, buttons int64) chromedp.Action[chromedp.Void] {
		return chromedp.MouseEvent(kind, box[0]+p[0]/100*box[2], box[1]+p[1]/100*box[2], chromedp.ButtonLeft,
			chromedp.ClickCount(1),
			func(p *input.DispatchMouseEventParams) { p.Buttons = buttons })
	}
	for _, stroke := range strokes {
		do(t, tab, pointer(chromedp.MousePressed, stroke[0], 1))
		for _, p := range stroke[1:] {
			do(t, tab, pointer(chromedp.MouseMoved, p, 1))
		}
		do(t, tab, pointer(chromedp.MouseReleased, stroke[len(stroke)-1], 0))
	}
	do(t, tab, chromedp.Poll[chromedp.Void](fmt.Sprintf("strokes.length === %d && drawing === null", len(strokes))))
	return class(t, tab)
}

// class returns the class that the page shows once the last prediction is there.
func class(t *testing.T, tab context.Context) string {
	t.Helper()
	do(t, tab, chromedp.Poll[chromedp.Void]("!asked"))
	return read[string](t, tab, `document.querySelector("#class span")?.textContent ?? ""`)
}

func TestDrawnDigits(t *testing.T) {
	for _, name := range []string{"index.html", "ccp.wasm.js", "wasm_exec.js"} {
		info, err := os.Stat(filepath.Join(site, name))
		require.NoError(t, err)
		t.Logf("%s: %d bytes", name, info.Size())
	}
	server := httptest.NewServer(http.FileServer(http.Dir(site)))
	t.Cleanup(server.Close)
	tab := opened(t, server.URL, "/")
	for digit, strokes := range digits {
		assert.Equal(t, digit, draw(t, tab, strokes))
		t.Logf("%s: %.3f in %.0f ms", digit, read[float64](t, tab, `Math.max(...last.probabilities)`),
			read[float64](t, tab, `last.took`))
	}

	assert.Equal(t, "3", draw(t, tab, digits["3"]))
	assert.InDelta(t, 1, read[float64](t, tab, `last.probabilities.reduce((a, b) => a + b)`), 1e-6)
	assert.Equal(t, 10, read[int](t, tab, `document.querySelectorAll("#bars li").length`))
	assert.Equal(t, "3", read[string](t, tab, `document.querySelector("#bars .best span").textContent`))
	assert.Equal(t, 61, read[int](t, tab, `last.pixels.filter((v) => v !== 0).length`), "three are empty in all training samples")
	assert.Contains(t, read[string](t, tab, `document.getElementById("pixels").ariaLabel`), "matters for 3")
	if *update {
		picture, err := chromedp.Run(tab, chromedp.FullScreenshot(100))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile("../../docs/pictures/browser.png", picture, 0o644))
	}
	assert.Empty(t, browsertest.Violations(t, tab))
	do(t, tab, browsertest.Theme("dark"))
	assert.Empty(t, browsertest.Violations(t, tab))
	for _, width := range []int64{360, 800, 1280} {
		do(t, tab, chromedp.EmulateViewport(width, 800))
		assert.Equal(t, int(width), read[int](t, tab, `document.documentElement.scrollWidth`), "no wider than the window")
	}
	for pixels, reason := range map[string]string{"": "0 values", "[1, 2]": "2 values … 64",
		"Array(64).fill(NaN)": "node 0 … channel 0 … NaN"} {
		messagetest.Names(t, read[string](t, tab, `classify(`+pixels+`)`), `"error" … signal 0 … `+reason)
	}
}

// From a file, and by keys: a vertical line is a 1. Escape clears it.
func TestFileAndKeys(t *testing.T) {
	tab := opened(t, (&url.URL{Scheme: "file", Path: filepath.ToSlash(site)}).String(), "/index.html")
	do(t, tab, chromedp.Focus("#paper"), chromedp.KeyEvent(" "))
	for range 12 {
		do(t, tab, chromedp.KeyEvent(kb.ArrowDown))
	}
	assert.Equal(t, "1", class(t, tab))
	assert.Equal(t, 13, read[int](t, tab, `strokes[0].length`))
	do(t, tab, chromedp.KeyEvent(kb.Escape))
	assert.Empty(t, class(t, tab))
}
