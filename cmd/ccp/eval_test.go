package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/models/training"
)

// evaluation makes one whose classes are mostly recognised, class k taken for k+1 (k%7) times.
func evaluation(names []string) training.Evaluation {
	var e training.Evaluation
	for k, name := range names {
		row := make([]int, len(names))
		row[k] = 90 + k%10
		row[(k+1)%len(names)] += k % 7
		e.Confusion = append(e.Confusion, row)
		e.PerClass = append(e.PerClass, training.ClassScore{Name: name, Samples: row[k] + k%7, Precision: 0.9,
			Recall: 0.8, F1: 0.85})
	}
	return e
}

func TestPrintEvaluation(t *testing.T) {
	few := []string{"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"}
	var many []string
	for k := range 60 {
		many = append(many, fmt.Sprintf("action %d", k+1))
	}
	many[12] = "taking a selfie while walking towards another person"
	for name, classes := range map[string][]string{"eval-2-classes": {"no", "yes"}, "eval-10-classes": few,
		"eval-60-classes": many} {
		t.Run(name, func(t *testing.T) {
			out := render("scores", evaluation(classes))
			golden(t, name+".output", out)
			for _, line := range lines(out) {
				assert.LessOrEqual(t, len([]rune(line)), widestMatrix)
			}
		})
	}
}

// A line of the matrix has the name of a class, two blanks before the first entry, and one before each other.
func TestNoLineOfAConfusionMatrixIsTooWide(t *testing.T) {
	var names []string
	for len(names) < 25 {
		names = append(names, fmt.Sprintf("abc%02d", len(names)))
		written := confusion(evaluation(names))
		for _, line := range lines(written)[1:] {
			assert.LessOrEqual(t, len(line), widestMatrix, "%d classes", len(names))
		}
		assert.Equal(t, len(names) == 25, strings.HasPrefix(written, "confused most: "), "%d classes", len(names))
	}
}

// What an unended training kept is used, but nobody takes it for the result.
func TestUnendedTraining(t *testing.T) {
	dir := trained(t)
	line := []string{"eval", "--backend", "go", "--checkpoint", dir}
	code, _, stderr := execute(t, line...)
	require.Zero(t, code, stderr)
	assert.NotContains(t, stderr, "warning")
	require.NoError(t, os.Remove(filepath.Join(dir, "result.json")))
	code, _, stderr = execute(t, line...)
	require.Zero(t, code, stderr)
	assert.Contains(t, stderr, "warning: the training in "+dir+" has not ended, and what it kept so far is used; its "+
		"command goes on with it")
}
