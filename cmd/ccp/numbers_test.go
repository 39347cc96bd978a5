package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What an import finds of how numbers are written comes with the checkpoint: a recording that holds only 1.003 and
// the like is the one that holds 1003, after a training on decimal commas.
func TestPredictReadsNumbersAsTheImportDid(t *testing.T) {
	folder := t.TempDir()
	for i := range 16 {
		text := "hip;head\n"
		for step := range 12 {
			text += fmt.Sprintf("%d.%03d,5;%d,25\n", 1+i%2, (i*37+step*53)%200, step%5)
		}
		write(t, filepath.Join(folder, "r", []string{"low", "high"}[i%2], fmt.Sprintf("%d.csv", i)), text)
	}
	data, run := filepath.Join(folder, "r.npz"), filepath.Join(folder, "run")
	succeed(t, "data", "import", filepath.Join(folder, "r"), "--out", data)
	succeed(t, "train", "--data", data, "--fast", "--backend", "go", "--checkpoint", run)
	marked, plain, telling := "hip;head\n", "hip;head\n", "hip;head\n"
	for step := range 12 {
		marked += fmt.Sprintf("2.%03d;%d\n", step*53%200, step%5)
		telling += fmt.Sprintf("2%03d,00;%d\n", step*53%200, step%5)
		plain += fmt.Sprintf("2%03d;%d\n", step*53%200, step%5)
	}
	predicted := func(text string) string {
		path := write(t, filepath.Join(folder, "new.csv"), text)
		return succeed(t, "predict", "--backend", "go", "--checkpoint", run, path)
	}
	as := predicted(plain)
	require.Contains(t, as, "new.csv,high,")
	assert.Equal(t, as, predicted(marked))
	assert.Equal(t, as, predicted(telling), "numbers that tell by themselves")
	assert.NotEqual(t, as, predicted(strings.ReplaceAll(marked, "2.000;", "2.00;")), "two decimals are no thousands")
}
