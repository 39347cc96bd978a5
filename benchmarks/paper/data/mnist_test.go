package data

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/benchmarks/paper/data/internal/images/imagestest"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const mnistNodes = 28 * 28

// mnistContents are the four files of a small set of 20 training and 10 test images; all pixels of image i are i.
func mnistContents() map[string][]byte {
	files := map[string][]byte{}
	for half, n := range map[string]int{"train": 20, "t10k": 10} {
		var pixels, labels []byte
		for i := range n {
			pixels = append(pixels, bytes.Repeat([]byte{byte(i)}, mnistNodes)...)
			labels = append(labels, byte(i%2))
		}
		files[half+"-images-idx3-ubyte"] = imagestest.IDX(pixels, n, 28, 28)
		files[half+"-labels-idx1-ubyte"] = imagestest.IDX(labels, n)
	}
	return files
}

func writeFiles(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o644))
	}
}

func TestMNIST(t *testing.T) {
	zip := func(files map[string][]byte) map[string][]byte {
		zipped := map[string][]byte{}
		for name, content := range files {
			zipped[name+".gz"] = imagestest.Gzipped(t, content)
		}
		return zipped
	}
	dotted := func(files map[string][]byte) map[string][]byte {
		other := map[string][]byte{}
		for name, content := range files {
			other[strings.Replace(name, "-idx", ".idx", 1)] = content
		}
		return other
	}
	for _, c := range []struct {
		name, folder string
		files        map[string][]byte
	}{
		{"mnist", "mnist", mnistContents()},
		{"mnist", "", zip(mnistContents())},
		{"mnist", "", dotted(mnistContents())},
		{"fashion-mnist", "fashion-mnist", zip(dotted(mnistContents()))},
	} {
		dir := t.TempDir()
		writeFiles(t, filepath.Join(dir, c.folder), c.files)
		d, err := datasets.Load(t.Context(), c.name, datasets.Options{HoldOut: true, DataDir: dir})
		require.NoError(t, err)
		assert.Equal(t, []int{18, 2, 10}, []int{len(d.Train), len(d.Validation), len(d.Test)})
		assert.Equal(t, []int{1, 1}, classCounts(d, d.Validation)[:2])
		sample := make([]float32, mnistNodes)
		d.Signals.Read(23, sample) // test image 3
		assert.Equal(t, float32(3)/255, sample[783])
		assert.Equal(t, int32(1), d.Labels[23])
		assert.Equal(t, 2970, d.Affinity.Edges()) // 2x28x27 + 2x27x27
		warnings := strings.Join(d.Warnings, "\n")
		assert.Equal(t, c.name == "mnist", strings.Contains(warnings, "training images have sha256"))
		messagetest.Names(t, warnings, "no samples of 8")
	}
}

// TestMNISTFolderOfItsOwn: the sub-folder with the set's name comes before the folder itself, which may hold the other.
func TestMNISTFolderOfItsOwn(t *testing.T) {
	dir := t.TempDir()
	other := mnistContents()
	other["train-labels-idx1-ubyte"] = imagestest.IDX(bytes.Repeat([]byte{0, 7}, 10), 20)
	writeFiles(t, dir, other)
	writeFiles(t, filepath.Join(dir, "fashion-mnist"), mnistContents())
	d, err := datasets.Load(t.Context(), "fashion-mnist", datasets.Options{HoldOut: true, DataDir: dir})
	require.NoError(t, err)
	assert.Equal(t, int32(1), d.Labels[1])
	d, err = datasets.Load(t.Context(), "mnist", datasets.Options{HoldOut: true, DataDir: dir})
	require.NoError(t, err)
	assert.Equal(t, int32(7), d.Labels[1])
}

func TestRealMNISTIsNotFashion(t *testing.T) {
	_, err := datasets.Load(t.Context(), "fashion-mnist",
		datasets.Options{HoldOut: true, DataDir: filepath.Join(realData(t, "mnist"), "mnist")})
	messagetest.Names(t, err, "MNIST … folder")
}

func TestMNISTErrors(t *testing.T) {
	for name, c := range map[string]struct {
		file    string
		content []byte
		want    string
	}{
		"html instead": {"train-images-idx3-ubyte",
			[]byte("<html>"), "train-images-idx3-ubyte … magic number … 3c 68 74 6d"},
		"empty": {"t10k-labels-idx1-ubyte", nil,
			"t10k-labels-idx1-ubyte … magic number … ()"},
		"labels' magic": {"train-images-idx3-ubyte", imagestest.IDX(make([]byte, 20), 20),
			"magic number 00 00 08 01: want 00 00 08 03"},
		"other type": {"train-labels-idx1-ubyte", []byte{0, 0, 0x0d, 1, 0, 0, 0, 0}, "magic number 00 00 0d 01"},
		"no header":  {"train-images-idx3-ubyte", []byte{0, 0, 8, 3, 0}, "ends after 5 bytes … header of 16"},
		"32x32": {"train-images-idx3-ubyte", imagestest.IDX(make([]byte, 1024), 1, 32, 32),
			"dimension 1 is 32, want 28"},
		"cut short": {"t10k-images-idx3-ubyte", imagestest.IDX(make([]byte, 100), 10, 28, 28),
			"100 values … 7840"},
		"too long": {"train-labels-idx1-ubyte", imagestest.IDX(make([]byte, 21), 20), "holds 21 values"},
		"absurd": {"train-images-idx3-ubyte", imagestest.IDX(nil, 1<<32-1, 28, 28),
			"0 values … 3367254359280"},
		"fewer labels": {"train-labels-idx1-ubyte", imagestest.IDX(make([]byte, 19), 19), "20 train images but 19 labels"},
		"label too large": {"t10k-labels-idx1-ubyte", imagestest.IDX([]byte{0, 1, 2, 3, 10, 0, 0, 0, 0, 0}, 10),
			"t10k label 4 is 10, want 0 to 9"},
		"bad gzip":  {"train-images-idx3-ubyte", []byte{0x1f, 0x8b, 1, 2, 3}, "damaged gzip file"},
		"cut gzip":  {"train-labels-idx1-ubyte", imagestest.Gzipped(t, make([]byte, 99))[:15], "damaged gzip file"},
		"gzip bomb": {"train-labels-idx1-ubyte", imagestest.Gzipped(t, make([]byte, 1<<21)), "more than 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			files := mnistContents()
			files[c.file] = c.content
			writeFiles(t, dir, files)
			_, err := datasets.Load(t.Context(), "mnist", datasets.Options{HoldOut: true, DataDir: dir})
			messagetest.Names(t, err, c.want)
			assert.ErrorContains(t, err, "mnist: "+dir)
		})
	}

	dir := t.TempDir()
	writeFiles(t, dir, map[string][]byte{
		"train-images-idx3-ubyte": imagestest.IDX(nil, 0, 28, 28), "train-labels-idx1-ubyte": imagestest.IDX(nil, 0),
		"t10k-images-idx3-ubyte": imagestest.IDX(nil, 0, 28, 28), "t10k-labels-idx1-ubyte": imagestest.IDX(nil, 0)})
	_, err := datasets.Load(t.Context(), "mnist", datasets.Options{HoldOut: true, DataDir: dir})
	messagetest.Names(t, err, "train … no samples")
}
