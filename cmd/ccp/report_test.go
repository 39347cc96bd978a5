package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReport(t *testing.T) {
	dir := trained(t)
	file := filepath.Join(dir, "report.html")
	assert.Regexp(t, "^"+regexp.QuoteMeta(file)+`: \d+\.\d kB; open it in a browser\n$`,
		succeed(t, "report", "--backend", "go", "--checkpoint", dir))
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.True(t, bytes.HasPrefix(page, []byte("<!doctype html>")))

	var r reportJSON
	decode(t, succeed(t, "report", "--backend", "go", "--checkpoint", dir, "--json"), &r) // a former report is replaced
	assert.Equal(t, []any{"report", dir, file, 359, 1, 16},
		[]any{r.Command, r.Checkpoint, r.File, r.Samples, r.Epochs, r.Gallery})
	assert.InDelta(t, len(page), r.Bytes, 100)
	decode(t, succeed(t, "report", "--backend", "go", "--checkpoint", dir, "--json", "--samples", "10"), &r)
	assert.Equal(t, []any{10, 6, 4}, []any{r.Explained, r.Mistakes, r.Gallery})

	other := filepath.Join(t.TempDir(), "other.html")
	require.NoError(t, os.WriteFile(other, []byte("<p>somebody's"), 0o644))
	code, stdout, stderr := execute(t, "report", "--backend", "go", "--checkpoint", dir, "--out", other)
	assert.Equal(t, []any{1, "", "ccp: " + other + " exists and is no report; --overwrite replaces it\n"},
		[]any{code, stdout, stderr})
	succeed(t, "report", "--backend", "go", "--checkpoint", dir, "--out", other, "--overwrite")
	page, err = os.ReadFile(other)
	require.NoError(t, err)
	assert.Contains(t, string(page), "ccp report")

	nowhere := filepath.Join(t.TempDir(), "not", "there.html")
	code, _, stderr = execute(t, "report", "--backend", "go", "--checkpoint", dir, "--out", nowhere)
	assert.Equal(t, []any{1, "ccp: " + nowhere + ": there is no folder " + filepath.Dir(nowhere) +
		"; make it, or choose another\n"}, []any{code, stderr})

	code, _, stderr = execute(t, "report", "--backend", "go", "--checkpoint", t.TempDir())
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "is not a checkpoint")
}

// The data set gone, there is a page without samples, which says so.
func TestReportWithoutData(t *testing.T) {
	folder := t.TempDir()
	data, dir := filepath.Join(folder, "own.npz"), filepath.Join(folder, "run")
	writeOwn(t, data)
	succeed(t, "train", "--backend", "go", "--data", data,
		"--checkpoint", dir, "--hierarchy", "prepared", "--levels", "2x4/3,1x4/2", "--fc", "4", "--epochs", "1")
	require.NoError(t, os.Remove(data))
	code, _, stderr := execute(t, "report", "--backend", "go", "--checkpoint", filepath.Join(folder, "gone"))
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "gone is not a checkpoint")
	code, stdout, stderr := execute(t, "report", "--backend", "go", "--checkpoint", dir, "--json")
	require.Zero(t, code, stderr)
	assert.Regexp(t, "^the data set is unavailable, so samples and names are left out: .*own.npz: no such file", stderr)
	var r reportJSON
	decode(t, stdout, &r)
	assert.Zero(t, r.Samples)
	page, err := os.ReadFile(r.File)
	require.NoError(t, err)
	assert.Contains(t, string(page), "the data set is unavailable")
}
