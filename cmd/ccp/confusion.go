package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/clusterpool/ccp/models/training"
)

// What is printed of an evaluation at most: columns of a line, so that it does not wrap, and classes confused.
const (
	widestMatrix   = 80
	longestName    = 30
	mostConfusions = 20
)

// printEvaluation prints the scores of each class, and the confusion matrix or, if that is too wide to be read, its
// largest entries off the diagonal.
func printEvaluation(w io.Writer, e training.Evaluation) {
	width := len("class")
	names := make([]string, len(e.PerClass))
	for k, c := range e.PerClass {
		names[k] = shorten(c.Name, longestName)
		width = max(width, len([]rune(names[k])))
	}
	fmt.Fprintf(w, "%-*s  samples  precision  recall     F1\n", width, "class")
	for k, c := range e.PerClass {
		fmt.Fprintf(w, "%-*s  %7d  %9.3f  %6.3f  %5.3f\n", width, names[k], c.Samples, c.Precision, c.Recall, c.F1)
	}
	fmt.Fprintln(w)
	cell := 1
	for _, row := range e.Confusion {
		cell = max(cell, len(fmt.Sprint(slices.Max(row))))
	}
	if width+len(names)*(cell+1) > widestMatrix {
		printConfusions(w, e.Confusion, names, width)
		return
	}
	fmt.Fprintln(w, "confusion: a row for each true class, a column for each predicted one, as above")
	for k, row := range e.Confusion {
		fmt.Fprintf(w, "%-*s ", width, names[k])
		for _, n := range row {
			if n == 0 {
				fmt.Fprintf(w, " %*s", cell, ".")
			} else {
				fmt.Fprintf(w, " %*d", cell, n)
			}
		}
		fmt.Fprintln(w)
	}
}

// printConfusions lists the pairs of classes that are taken for each other most.
func printConfusions(w io.Writer, matrix [][]int, names []string, width int) {
	type pair struct{ truth, predicted, samples int }
	var pairs []pair
	for i, row := range matrix {
		for j, n := range row {
			if i != j && n > 0 {
				pairs = append(pairs, pair{i, j, n})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.samples, a.samples) })
	shown := pairs[:min(len(pairs), mostConfusions)]
	fmt.Fprintf(w, "confused most: %d of %d pairs of classes (--json has the whole matrix)\n", len(shown), len(pairs))
	fmt.Fprintf(w, "%-*s  %-*s  samples\n", width, "class", width, "taken for")
	for _, p := range shown {
		fmt.Fprintf(w, "%-*s  %-*s  %7d\n", width, names[p.truth], width, names[p.predicted], p.samples)
	}
}

// shorten cuts a text to at most n characters.
func shorten(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return text
}
