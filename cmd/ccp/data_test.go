package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// moved is a data set whose official place serves these files instead, by name.
func moved(t *testing.T, name string, files map[string][]byte) datasets.Source {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, ok := files[filepath.Base(r.URL.Path)]
		if !ok {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(raw))
	}))
	t.Cleanup(server.Close)
	set, err := datasets.Named(name)
	require.NoError(t, err)
	set.Files = slices.Clone(set.Files)
	for i, file := range set.Files {
		set.Files[i].URL, set.Files[i].Sum = server.URL+"/"+file.Name, fmt.Sprintf("md5:%x", md5.Sum(files[file.Name]))
	}
	return set
}

// init registers two data sets to be fetched, as four files and as an archive. They hold the digits.
func init() {
	of, _ := datasets.Named("digits")
	of.Name, of.Folder, of.Folders = "letters", "letters", []string{"letters"}
	for _, name := range []string{"train-images", "train-labels", "test-images", "test-labels"} {
		of.Files = append(of.Files, datasets.File{Name: name})
	}
	of.Place = func(dirs []string) string {
		for _, dir := range dirs {
			if _, err := os.Stat(filepath.Join(dir, "test-labels")); err == nil {
				return dir
			}
		}
		return ""
	}
	load := of.Load
	of.Load = func(ctx context.Context, dirs []string, o datasets.Options) (*datasets.Raw, error) {
		if of.Place(dirs) == "" {
			return nil, fmt.Errorf("%s: %w", dirs[0], fs.ErrNotExist)
		}
		return load(ctx, dirs, o)
	}
	datasets.Register(of)
	of.Name, of.Folder, of.Folders, of.Archive, of.Files = "parcels", "parcels", []string{"parcels"}, true,
		[]datasets.File{{Name: "parcels.tar.gz"}}
	datasets.Register(of)
}

// TestGetFiles fetches a set of four files and finds it again, as training does.
func TestGetFiles(t *testing.T) {
	set := moved(t, "letters", map[string][]byte{"train-images": []byte("images"), "train-labels": []byte("labels"),
		"test-images": []byte("more"), "test-labels": []byte("more")})
	dir := filepath.Join(t.TempDir(), "data")
	var stderr bytes.Buffer
	path, err := fetchSet(t.Context(), newStatusLine(&stderr), set, dir)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "letters"), path)
	assert.Contains(t, stderr.String(), "file 1 of 4: "+set.Files[0].URL+"\n")
	assert.Contains(t, stderr.String(), "train-images 100% of 0.0 MB\n")
	assert.NotContains(t, stderr.String(), "\r", "nothing is drawn off a terminal")

	line := " --data letters --data-dir " + dir + "\n"
	stdout := succeed(t, "data", "get", "letters", "--data-dir", dir, "--offline")
	assert.True(t, strings.HasPrefix(stdout, "letters: already in "+path+"; try: "), stdout)
	assert.True(t, strings.HasSuffix(stdout, " train"+line), stdout)
	var document struct {
		Name    string `json:"name"`
		Path    string `json:"path"`
		Fetched bool   `json:"fetched"`
		Next    string `json:"next"`
	}
	out := lines(succeed(t, "data", "get", "letters", "digits", "--data-dir", dir, "--json"))
	require.Len(t, out, 2)
	decode(t, out[0], &document)
	assert.Equal(t, path, document.Path)
	assert.False(t, document.Fetched)
	assert.Contains(t, succeed(t, "data", "check", "letters", "--data-dir", dir), "letters: 1797 samples")
}

// TestGetArchive fetches and unpacks an archive, and removes it.
func TestGetArchive(t *testing.T) {
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	w := tar.NewWriter(zipped)
	for _, name := range []string{"train-images", "test-labels"} {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: 2}))
		_, err := w.Write([]byte("hi"))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, zipped.Close())
	set := moved(t, "parcels", map[string][]byte{"parcels.tar.gz": packed.Bytes()})
	dir := t.TempDir()
	path, err := fetchSet(t.Context(), newStatusLine(&bytes.Buffer{}), set, dir)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "parcels"), path)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "the archive is gone")
	assert.Contains(t, succeed(t, "data", "get", "parcels", "--data-dir", dir), "parcels: already in "+path)

	other := set
	other.Place = func([]string) string { return "" }
	_, err = fetchSet(t.Context(), newStatusLine(&bytes.Buffer{}), other, t.TempDir())
	messagetest.Names(t, err, "not … loader looks for")

	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err = fetchSet(ctx, newStatusLine(&bytes.Buffer{}), set, t.TempDir())
	require.ErrorIs(t, err, context.Canceled)
}

func TestGetEmbedded(t *testing.T) {
	assert.True(t, strings.HasPrefix(succeed(t, "data", "get", "digits"),
		"digits: embedded in the program, nothing to get; try: "))
}

// digitsIn writes the digits to a file.
func digitsIn(t *testing.T, path string) {
	t.Helper()
	d, err := datasets.Load(t.Context(), "digits", datasets.Options{})
	require.NoError(t, err)
	marks := make([]uint8, len(d.Labels)) // of the test
	for _, i := range d.Test {
		marks[i] = 2
	}
	for _, i := range d.Validation {
		marks[i] = 1
	}
	var edges []int32
	for _, edge := range d.Affinity.EdgeList() {
		edges = append(edges, int32(edge.I), int32(edge.J))
	}
	require.NoError(t, npz.Write(path, []npz.Named{
		{Name: "labels", Array: &npz.Array{Shape: []int{len(d.Labels)}, Data: d.Labels}},
		{Name: "split", Array: &npz.Array{Shape: []int{len(d.Labels)}, Data: marks}},
		{Name: "class_names", Array: &npz.Array{Shape: []int{10}, Data: d.ClassNames}},
		{Name: "grid", Array: &npz.Array{Shape: []int{2}, Data: []int32{8, 8}}},
		{Name: "edges", Array: &npz.Array{Shape: []int{len(edges) / 2, 2}, Data: edges}},
		{Name: "features", Array: &npz.Array{Shape: []int{len(d.Labels), d.Nodes, d.Channels}},
			Rows: func(i int, row []float32) error {
				d.Signals.Read(i, row)
				return nil
			}},
	}))
}

// TestEvalOptions: eval loads the data in the form that was trained on, but asks nothing of another set.
func TestEvalOptions(t *testing.T) {
	dir := trained(t)
	path := filepath.Join(dir, "config.json")
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, bytes.Replace(raw, []byte(`"knn": 0`), []byte(`"knn": 3`), 1), 0o644))
	code, _, stderr := execute(t, "eval", "--backend", "go", "--checkpoint", dir)
	assert.Equal(t, 2, code)
	messagetest.Names(t, stderr, "digits … knn=3 … graph … fixed … leave it out")
	file := filepath.Join(t.TempDir(), "digits.npz")
	digitsIn(t, file)
	stdout := succeed(t, "eval", "--backend", "go", "--checkpoint", dir, "--data", file)
	assert.Contains(t, stdout, "digits.npz, test split: accuracy")
}

// TestAbsolute: a checkpoint finds the file from any folder.
func TestAbsolute(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	here, err := os.Getwd()
	require.NoError(t, err)
	for path, want := range map[string]string{"": "", "digits": "digits", "mine.npz": filepath.Join(here, "mine.npz"),
		"/v/mine.NPZ": "/v/mine.NPZ"} {
		got, err := absolute(path)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// TestDescribeSeries finds frames and sensors by the grid and the edges, and none without the grid.
func TestDescribeSeries(t *testing.T) {
	d, err := datasets.Load(t.Context(), "digits", datasets.Options{})
	require.NoError(t, err)
	assert.NotContains(t, render("data-check", checkJSON{Data: describe(d)}), "series", "an image")
	var edges []affinity.Edge
	for i := range 64 {
		if i+4 < 64 {
			edges = append(edges, affinity.Edge{I: i, J: i + 4, Weight: 1})
		}
		if i%4 < 3 && i%4 > 0 {
			edges = append(edges, affinity.Edge{I: i, J: i + 1, Weight: 1})
		}
	}
	d.Affinity, err = affinity.New(64, edges)
	require.NoError(t, err)
	d.Grid = []int{16, 4}
	d.Arrange(d.Affinity)
	assert.Contains(t, render("data-check", checkJSON{Data: describe(d)}),
		"\n  series      16 frames of 4 sensors, by the grid\nchannel")
	d.Grid = nil
	d.Arrange(d.Affinity)
	assert.NotContains(t, render("data-check", checkJSON{Data: describe(d)}), "series")
}

// TestDescribe prints what the digits do not have: bodies, many channels, notes and warnings.
func TestDescribe(t *testing.T) {
	d, err := datasets.Load(t.Context(), "digits", datasets.Options{})
	require.NoError(t, err)
	d.Name, d.ClassNames[1], d.Notes = "small", "one", []string{"a note"}
	d.Channels, d.Mean, d.Std = 20, make([]float32, 20), make([]float32, 20)
	d.Parts, d.Bodies = [][]int{{1}, {0, 2}}, 2
	text := render("data-check", checkJSON{Data: describe(d)})
	for _, want := range []string{
		"small: 1797 samples, 64 nodes, 20 channels, 10 classes\n",
		"    class  train  validation  test\n",
		"  1 (one)    146           0    36\n",
		"      all   1438           0   359\n",
		"\ngraph\n  nodes       64\n  edges       210 and 0 self-loops\n",
		"body\n  frames      8 of 8 joints\n  part 0      joints 1\n  part 1      joints 0 2\n",
		"  bodies      2, whose x, y and z are the first channels\nchannel mean / deviation\n",
		"  7  0 / 0\n  and 12 more\n\npreparation\n  a note\n\nsource\n  UCI",
	} {
		assert.Contains(t, text, want)
	}
}

func TestDataCheck(t *testing.T) {
	file := ringFile(t, ring(400))
	stdout := succeed(t, "data", "check", file)
	assert.Contains(t, stdout, "arrays\n  features     float32  [400 12 3]\n")
	assert.Contains(t, stdout, ": 400 samples, 12 nodes, 3 channels, 4 classes\n")
	assert.Contains(t, stdout, file+" can be used; try: ")
	type document struct {
		File   string `json:"file"`
		Usable bool   `json:"usable"`
		Arrays []struct {
			Name  string `json:"name"`
			Shape []int  `json:"shape"`
			Kind  string `json:"kind"`
		} `json:"arrays"`
		Errors   []string `json:"errors"`
		Warnings []string `json:"warnings"`
		Findings []struct {
			Kind string `json:"kind"`
		} `json:"findings"`
		Data *datasetJSON `json:"data"`
	}
	var good, bad document
	decode(t, succeed(t, "data", "check", file, "--json"), &good)
	assert.True(t, good.Usable)
	assert.Equal(t, 12, good.Data.Nodes)

	file = ringFile(t, changed(changed(ring(40), "labels", 3, int64(-1)), "edges", 1, int64(12)))
	code, stdout, stderr := execute(t, "data", "check", file)
	assert.Equal(t, 1, code)
	messagetest.Names(t, stderr, "ccp: … "+file+" … 2 errors")
	messagetest.Names(t, stdout, "2 errors … labels[3] is -1 … edge 0 … node 12")
	code, stdout, _ = execute(t, "data", "check", file, "--json")
	assert.Equal(t, 1, code)
	decode(t, stdout, &bad)
	assert.Len(t, bad.Errors, 2)
	assert.Nil(t, bad.Data)
	code, stdout, _ = execute(t, "data", "check", ringFile(t, without(ring(400), "edges")))
	assert.Equal(t, 1, code)
	assert.Contains(t, stdout, "or give --knn")
	succeed(t, "data", "check", ringFile(t, without(ring(400), "edges")), "--knn", "3")
}

// TestStatusLine off and on a terminal.
func TestStatusLine(t *testing.T) {
	var out bytes.Buffer
	l := newStatusLine(&out)
	for _, done := range []float64{0, 0.05, 0.1, 0.19, 0.5, 1} {
		l.loading("reading", done)
	}
	l.loading("learning", 0.05)
	l.clear()
	assert.Equal(t, "reading   0%\nreading  10%\nreading  50%\nreading 100%\nlearning   5%\n", out.String())

	// Downloads: a line at each tenth, or each 10 MB where the size is not known.
	for _, c := range []struct {
		total, chunk, all int64
		want              int
	}{{100e6, 1e6, 100e6, 11}, {100e6, 35e6, 70e6, 3}, {-1, 1e6, 25e6, 3}, {1000, 100, 1000, 11}, {-1, 100, 1000, 1}} {
		out.Reset()
		for done := int64(0); done <= c.all; done += c.chunk {
			l.download(fmt.Sprint("file ", c), done, c.total)
		}
		assert.Equal(t, c.want, strings.Count(out.String(), "\n"), out.String())
		assert.NotContains(t, out.String(), "\r")
		assert.NotContains(t, out.String(), "\x1b")
	}

	screen, err := os.Create(filepath.Join(t.TempDir(), "screen"))
	require.NoError(t, err)
	defer screen.Close()
	l = &statusLine{out: screen, screen: screen}
	l.progress("file", 0.5, " of 3.0 MB")
	l.progress("file", 0.6, " of 3.0 MB") // too soon
	l.progress("file", 1, " of 3.0 MB")
	l.clear()
	raw, err := os.ReadFile(screen.Name())
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprintf("\r%-79s\r%-79s\r%79s\r", "file [===============               ]  50% of 3.0 MB",
		"file [==============================] 100% of 3.0 MB", ""), string(raw))
}
