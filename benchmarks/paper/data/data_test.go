package data

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/messagetest"
)

// realData is the folder of the real data sets, where that of `name` is there; else it skips the test: they are too
// large for the repository.
func realData(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("CCP_DATA")
	if dir == "" {
		t.Skip("set CCP_DATA to a folder with cifar10, mnist and fashion-mnist to test the real files")
	}
	if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
		t.Skip(err)
	}
	return dir
}

// embeddedOr is the folder that a source's files are in; the digits need none.
func embeddedOr(t *testing.T, info datasets.Source) string {
	t.Helper()
	if info.Name == "digits" {
		return ""
	}
	return realData(t, info.Name)
}

// classCounts counts the samples of each class.
func classCounts(d *datasets.Dataset, indices []int) []int {
	counts := make([]int, d.Classes())
	for _, i := range indices {
		counts[d.Labels[i]]++
	}
	return counts
}

// TestRealSources loads every listed source and compares it with its listing.
func TestRealSources(t *testing.T) {
	for _, info := range datasets.Names() {
		if info.Samples == 0 {
			continue
		}
		t.Run(info.Name, func(t *testing.T) {
			d, err := datasets.Load(t.Context(), info.Name, datasets.Options{HoldOut: true, DataDir: embeddedOr(t, info)})
			require.NoError(t, err)
			assert.Equal(t, info.Name, d.Name)
			assert.Equal(t, info.Samples, d.Signals.Len())
			assert.Equal(t, []int{info.Nodes, info.Channels, info.Classes}, []int{d.Nodes, d.Channels, d.Classes()})
			assert.Empty(t, d.Warnings)
			if info.Name == ntu.Name || info.Name == nwucla.Name {
				return // its channels are scaled by the body, not by their deviation
			}
			mean, std := d.ChannelStats(append(d.Train[:len(d.Train):len(d.Train)], d.Validation...))
			t.Log(len(d.Train), len(d.Validation), len(d.Test), mean, std, d.Provenance)
			for channel := range mean {
				// The published values are over all training images, the held out ones included.
				assert.InDelta(t, mean[channel], d.Mean[channel], 1e-2*float64(d.Std[channel]))
				assert.InDelta(t, std[channel], d.Std[channel], 1e-2*float64(d.Std[channel]))
			}
		})
	}
}

// TestRealCIFAR10 checks what the protocol states.
func TestRealCIFAR10(t *testing.T) {
	d, err := datasets.Load(t.Context(), "cifar10",
		datasets.Options{HoldOut: true, DataDir: realData(t, "cifar10"), Augment: true})
	require.NoError(t, err)
	assert.Equal(t, []int{45_000, 5_000, 10_000}, []int{len(d.Train), len(d.Validation), len(d.Test)})
	for class, n := range classCounts(d, d.Validation) {
		assert.Equal(t, 500, n, "class %d", class)
	}
	assert.Equal(t, 3906, d.Affinity.Edges())
	assert.NotNil(t, d.Augment)
	mean, std := d.ChannelStats(append(d.Train[:len(d.Train):len(d.Train)], d.Validation...))
	for channel := range mean {
		assert.InDelta(t, d.Mean[channel], mean[channel], 1e-6)
		assert.InDelta(t, d.Std[channel], std[channel], 1e-6)
	}
}

func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, info := range datasets.Names() {
		assert.NotEmpty(t, info.About, info.Name)
		assert.NotEmpty(t, info.Needs, info.Name)
		assert.NotEmpty(t, info.Licence, info.Name)
		assert.False(t, seen[info.Name], info.Name)
		seen[info.Name] = true
	}
	for _, name := range []string{"digits", "cifar10", "mnist", "fashion-mnist", "20news", "ntu", "nw-ucla", "PATH.npz"} {
		assert.True(t, seen[name], name)
	}
}

// TestRefused: names that are not known, and options that do not apply.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		opts datasets.Options
		want string
	}{
		{"imagenet", datasets.Options{}, `"imagenet" … not known … digits, cifar10, mnist … 20news … nw-ucla … path`},
		{"cifar1", datasets.Options{}, `"cifar1" … cifar10? … digits, cifar10, mnist`},
		{"mnist", datasets.Options{Fold: datasets.Fold{Number: 1, Of: 5}},
			"mnist … test … fixed … fold … digits, .npz"},
		{"nw-ucla", datasets.Options{Fold: datasets.Fold{Number: 1, Of: 5}},
			"nw-ucla … test … fixed … fold … digits, .npz"},
		{"20news", datasets.Options{Fold: datasets.Fold{Number: 1, Of: 5}},
			"20news … test … fixed … fold … digits, .npz"},
		{"digits", datasets.Options{Own: map[string]any{"protocol": "cross-view"}},
			"digits … protocol … option … ntu, nw-ucla"},
		{"mine.npz", datasets.Options{Own: map[string]any{"protocol": "cross-view"}}, "mine.npz … protocol … option"},
		{"ntu", datasets.Options{Own: map[string]any{"protocol": "cross-setup"}},
			"ntu … protocol=cross-setup … cross-subject, cross-view"},
		{"nw-ucla", datasets.Options{Own: map[string]any{"protocol": "cv"}},
			"nw-ucla … protocol=cv … cross-view, cross-subject"},
	} {
		_, err := datasets.Load(t.Context(), c.name, c.opts)
		messagetest.Names(t, err, c.want)
	}
}

// TestMissingFiles checks that the error says what was looked for, where, and how to get it.
func TestMissingFiles(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string][]string{
		"cifar10": {"data_batch_1.bin", filepath.Join(dir, "cifar-10-batches-bin"),
			filepath.Join(dir, "cifar10", "cifar-10-batches-bin"), "CIFAR-10 page of A. Krizhevsky"},
		"mnist":         {"train-images-idx3-ubyte", "train-images.idx3-ubyte.gz", filepath.Join(dir, "mnist"), "Y. LeCun"},
		"fashion-mnist": {"train-images-idx3-ubyte.gz", filepath.Join(dir, "fashion-mnist"), "Zalando"},
		"20news":        {"20news-bydate-train", filepath.Join(dir, "20news"), "20 Newsgroups page of J. Rennie"},
		"ntu": {"S001C001P001R001A001.skeleton", "nturgbd_skeletons_s001_to_s017.zip",
			filepath.Join(dir, "ntu", "nturgb+d_skeletons"), "ROSE Lab"},
		"nw-ucla": {"a01_s01_e00_v01.json", "all_sqe.zip", filepath.Join(dir, "nw-ucla"), "NW-UCLA"},
	} {
		_, err := datasets.Load(t.Context(), name, datasets.Options{HoldOut: true, DataDir: dir})
		require.ErrorIs(t, err, fs.ErrNotExist)
		for _, part := range append(want, name+": ", "data folder", dir) {
			assert.ErrorContains(t, err, part)
		}
	}
	_, err := datasets.Load(t.Context(), filepath.Join(dir, "mine.npz"), datasets.Options{HoldOut: true})
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorContains(t, err, "mine.npz")
}

func Example_list() {
	for _, info := range datasets.Names() {
		fmt.Println(info.Name, info.Samples, info.Nodes, info.Channels, info.Classes)
	}
	// Output:
	// digits 1797 64 1 10
	// cifar10 60000 1024 3 10
	// mnist 70000 784 1 10
	// fashion-mnist 70000 784 1 10
	// 20news 0 10000 1 20
	// ntu 56578 2000 6 60
	// nw-ucla 1484 800 9 10
	// PATH.npz 0 0 0 0
}
