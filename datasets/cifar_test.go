package datasets

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cifarRecords makes a file of n records: the labels count up from `first`, the bytes of a record's planes are 10, 20
// and 30 plus the label.
func cifarRecords(n, first int) []byte {
	var file []byte
	for i := range n {
		label := byte((first + i) % 10)
		file = append(file, label)
		for plane := range 3 {
			file = append(file, bytes.Repeat([]byte{byte(10*(plane+1)) + label}, cifarNodes)...)
		}
	}
	return file
}

// writeCIFAR writes the six files, n records each, to a folder.
func writeCIFAR(t *testing.T, dir string, n int) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for at, name := range cifarFiles {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), cifarRecords(n, at), 0o644))
	}
}

// archiveCIFAR writes the archive, with the given files in the order given.
func archiveCIFAR(t *testing.T, path string, names []string, n int) {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	entries := tar.NewWriter(zipped)
	for _, name := range append([]string{"readme.html"}, names...) {
		content := cifarRecords(n, slices.Index(cifarFiles, name))
		if name == "readme.html" {
			content = []byte("hello")
		}
		require.NoError(t, entries.WriteHeader(&tar.Header{Name: cifarFolder + "/" + name, Mode: 0o644, Size: int64(len(content))}))
		_, err := entries.Write(content)
		require.NoError(t, err)
	}
	require.NoError(t, entries.Close())
	require.NoError(t, zipped.Close())
	require.NoError(t, os.WriteFile(path, packed.Bytes(), 0o644))
}

// cifarOf is the source with files of n records each.
func cifarOf(n int) Info {
	small := cifar10
	small.load = func(_ context.Context, info Info, opts Options) (*Dataset, error) { return loadCIFAR(info, opts, n) }
	return small
}

func TestCIFAR(t *testing.T) {
	const n = 20
	for name, lay := range map[string]func(dir string){
		"the folder itself": func(dir string) { writeCIFAR(t, dir, n) },
		"unpacked":          func(dir string) { writeCIFAR(t, filepath.Join(dir, cifarFolder), n) },
		"cifar10/unpacked":  func(dir string) { writeCIFAR(t, filepath.Join(dir, "cifar10", cifarFolder), n) },
		"archive":           func(dir string) { archiveCIFAR(t, filepath.Join(dir, cifarArchive), cifarFiles, n) },
		"archive in another order": func(dir string) {
			names := slices.Clone(cifarFiles)
			slices.Reverse(names)
			archiveCIFAR(t, filepath.Join(dir, cifarArchive), names, n)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			lay(dir)
			d, err := cifarOf(n).read(t.Context(), Options{DataDir: dir, Augment: true})
			require.NoError(t, err)
			require.NoError(t, d.Validate())
			assert.Equal(t, []int{90, 10, 20}, []int{len(d.Train), len(d.Validation), len(d.Test)})
			assert.Equal(t, upTo(120)[100:], d.Test)
			for class, count := range d.classCounts(d.Validation) {
				assert.Equal(t, 1, count, "class %d", class)
			}
			sample := make([]float32, cifarNodes*3)
			d.Signals.Read(n+3, sample) // record 3 of the second file: label 4
			assert.Equal(t, int32(4), d.Labels[n+3])
			for node := range cifarNodes {
				require.Equal(t, []float32{14. / 255, 24. / 255, 34. / 255}, sample[3*node:3*node+3], "node %d", node)
			}
			assert.Contains(t, d.Provenance, dir)
			if len(d.Warnings) > 0 {
				assert.Contains(t, d.Warnings[0], cifarArchive+" has sha256 ")
			}
			assert.Equal(t, name[:2] == "ar", len(d.Warnings) == 1, "only an archive has a published checksum")
		})
	}
}

func TestCIFARErrors(t *testing.T) {
	const n = 2
	first := filepath.Join(cifarFolder, "data_batch_1.bin")
	for name, c := range map[string]struct {
		lay  func(t *testing.T, dir string)
		want []string
	}{
		"short file": {func(t *testing.T, dir string) {
			writeCIFAR(t, filepath.Join(dir, cifarFolder), n)
			require.NoError(t, os.Truncate(filepath.Join(dir, first), 3073))
		}, []string{first, "3073 bytes", "want 6146"}},
		"long file": {func(t *testing.T, dir string) {
			writeCIFAR(t, filepath.Join(dir, cifarFolder), n+1)
		}, []string{first, "9219 bytes", "want 6146"}},
		"wrong label": {func(t *testing.T, dir string) {
			writeCIFAR(t, filepath.Join(dir, cifarFolder), n)
			content := cifarRecords(n, 0)
			content[cifarRecord] = 10
			require.NoError(t, os.WriteFile(filepath.Join(dir, cifarFolder, "test_batch.bin"), content, 0o644))
		}, []string{"test_batch.bin: record 1 has label 10, want 0 to 9"}},
		"file missing": {func(t *testing.T, dir string) {
			writeCIFAR(t, filepath.Join(dir, cifarFolder), n)
			require.NoError(t, os.Remove(filepath.Join(dir, cifarFolder, "data_batch_4.bin")))
		}, []string{"data_batch_4.bin", "all six"}},
		"file missing in the archive": {func(t *testing.T, dir string) {
			archiveCIFAR(t, filepath.Join(dir, cifarArchive), cifarFiles[:5], n)
		}, []string{cifarArchive, "holds no test_batch.bin; get the binary version"}},
		"wrong size in the archive": {func(t *testing.T, dir string) {
			archiveCIFAR(t, filepath.Join(dir, cifarArchive), cifarFiles, n-1)
		}, []string{cifarArchive, "data_batch_1.bin: 3073 bytes"}},
		"not gzip": {func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, cifarArchive), []byte("<html>"), 0o644))
		}, []string{cifarArchive, "damaged gzip file"}},
		"archive cut short": {func(t *testing.T, dir string) {
			path := filepath.Join(dir, cifarArchive)
			archiveCIFAR(t, path, cifarFiles, n)
			require.NoError(t, os.Truncate(path, 200))
		}, []string{cifarArchive, "get"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.lay(t, dir)
			_, err := cifarOf(n).read(t.Context(), Options{DataDir: dir})
			for _, want := range append(c.want, "cifar10: ", dir) {
				assert.ErrorContains(t, err, want)
			}
		})
	}
}

// FuzzCIFAR reads files of two records.
func FuzzCIFAR(f *testing.F) {
	f.Add(cifarRecords(2, 0))
	f.Add(cifarRecords(2, 9)[:6000])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, file []byte) {
		if err := checkCIFAR(file, 2); err != nil {
			return
		}
		d, err := newCIFAR(slices.Repeat(file, 6), 2, Options{})
		require.NoError(t, err)
		require.NoError(t, d.checkLabels())
		sample := make([]float32, cifarNodes*3)
		for i := range d.Signals.Len() {
			d.Signals.Read(i, sample)
			require.GreaterOrEqual(t, slices.Min(sample), float32(0))
			require.LessOrEqual(t, slices.Max(sample), float32(1))
		}
	})
}
