package report

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/browsertest"
	"github.com/stretchr/testify/assert"
)

// Descriptors have a table, and neighbours a picture; without them the page has neither.
func TestDoubts(t *testing.T) {
	r, _ := built(t, "transforms")
	result := *r.Result
	result.Findings = datasets.Findings{
		{Kind: "families", Level: "warning", What: "samples that stand together in the file", Seen: 0.6, Drawn: 0.1,
			Places: [][2]int{{0, 1}, {1, 0}, {5, 40}}},
		{Kind: "descriptors", Level: "note", Accuracy: 0.91, Chance: 0.5, Artefacts: 0.87, Table: []datasets.Descriptor{
			{Name: "the run of one value at the end", Artefact: true, Class: "1 (run)", Area: 0.98, Accuracy: 0.964,
				Recall: 0.97, Others: 0.042},
			{Name: "the length", Class: "0 (walk)", Area: 0.6, Accuracy: 0.55, Recall: 0.5, Others: 0.4}}}}
	r.Result = &result
	ctx := opened(t, r)
	assert.Equal(t, 3, read[int](t, ctx, `document.querySelectorAll("#places-chart circle").length`))
	assert.Regexp(t, `67% stand within`, read[string](t, ctx, `document.querySelector("#places-chart svg").getAttribute("aria-label")`))
	assert.Regexp(t, `the run of one value at the end\s*96\.4%\s*1 \(run\)\s*97%\s*4%\s*0\.980\s*artefact`,
		textOf(t, ctx, "descriptors-table"))
	assert.Regexp(t, `the length\s*55\.0%.*property`, textOf(t, ctx, "descriptors-table"))
	assert.Regexp(t, `91\.0% .*50\.0% by chance.* 87\.0%`, textOf(t, ctx, "descriptors-text"))
	do(t, ctx, chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("#doubts details").forEach((d) => { d.open = true; })`))
	assert.Empty(t, browsertest.Violations(t, ctx))
	result.Findings = result.Findings[:0]
	ctx = opened(t, r)
	assert.Zero(t, read[int](t, ctx, `[...document.querySelectorAll("#doubts *")].filter((e) => e.offsetParent !== null).length`))
}
