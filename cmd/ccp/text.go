package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/clusterpool/ccp/cmd/internal/study"
	"github.com/clusterpool/ccp/models/training"
)

// printResult prints what a training came to; `next` is the command to try.
func printResult(w io.Writer, r training.Result, next string) {
	fmt.Fprintf(w, "test accuracy %.2f%%, loss %.4f; validation accuracy %.2f%%, best in epoch %d of %d\n",
		100*r.Test.Accuracy, r.Test.Loss, 100*r.Validation.Accuracy, r.BestEpoch, r.Epochs)
	fmt.Fprintf(w, "%s parameters, %s in %s of training after %s of compiling, on %s\n", thousands(r.Parameters), count(r.Steps, "step"),
		seconds(r.Seconds), seconds(r.CompileSeconds), r.Backend)
	fmt.Fprintf(w, "checkpoint in %s; try: %s\n", r.Checkpoint, next)
}

// seconds writes a duration as 12.3s or, from a minute on, 1m2s.
func seconds(s float64) string {
	if s < 60 {
		return fmt.Sprintf("%.1fs", s)
	}
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}

// count writes a number of things: "1 node", "1,024 nodes".
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return thousands(n) + " " + thing
}

func thousands(n int) string { return study.Thousands(n) }

// fold breaks text into lines of at most `width` characters, each after the first behind as many blanks as `indent`.
func fold(text string, width, indent int) string {
	var out strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		length := len([]rune(word))
		switch {
		case i == 0:
		case column+1+length > width:
			out.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			out.WriteByte(' ')
			column++
		}
		out.WriteString(word)
		column += length
	}
	return out.String()
}
