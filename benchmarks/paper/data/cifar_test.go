package data

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a folder of CIFAR-10 holds.
const (
	cifarNodes  = 32 * 32
	cifarRecord = 1 + 3*cifarNodes
)

var cifarFiles = []string{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
	"data_batch_5.bin", "test_batch.bin"}

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

// readCIFAR reads files of n records each in a data folder.
func readCIFAR(dir string, n int, opts datasets.Options) (*datasets.Raw, error) {
	var dirs []string
	for _, folder := range append(cifar10.Folders, "") {
		dirs = append(dirs, filepath.Join(dir, folder))
	}
	return loadCIFAR(dirs, opts, n)
}

func TestCIFAR(t *testing.T) {
	const n = 20
	for name, lay := range map[string]func(dir string){
		"the folder itself": func(dir string) { writeCIFAR(t, dir, n) },
		"unpacked":          func(dir string) { writeCIFAR(t, filepath.Join(dir, cifarFolder), n) },
		"cifar10/unpacked":  func(dir string) { writeCIFAR(t, filepath.Join(dir, "cifar10", cifarFolder), n) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			lay(dir)
			raw, err := readCIFAR(dir, n, datasets.Options{Augment: true})
			require.NoError(t, err)
			raw.Name = "cifar10"
			d, err := datasets.Make(raw, raw.HoldOut(*raw.Split, 0, 0))
			require.NoError(t, err)
			require.NoError(t, d.Validate())
			assert.Equal(t, []int{90, 10, 20}, []int{len(d.Train), len(d.Validation), len(d.Test)})
			assert.Equal(t, []int{100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118,
				119}, d.Test)
			for class, count := range classCounts(d, d.Validation) {
				assert.Equal(t, 1, count, "class %d", class)
			}
			sample := make([]float32, cifarNodes*3)
			d.Signals.Read(n+3, sample) // record 3 of the second file: label 4
			assert.Equal(t, int32(4), d.Labels[n+3])
			for node := range cifarNodes {
				require.Equal(t, []float32{14. / 255, 24. / 255, 34. / 255}, sample[3*node:3*node+3], "node %d", node)
			}
			assert.Contains(t, d.Provenance, dir)
			assert.Empty(t, d.Warnings)
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
		}, []string{"test_batch.bin … record 1 … label 10 … 0 to 9"}},
		"file missing": {func(t *testing.T, dir string) {
			writeCIFAR(t, filepath.Join(dir, cifarFolder), n)
			require.NoError(t, os.Remove(filepath.Join(dir, cifarFolder, "data_batch_4.bin")))
		}, []string{"data_batch_4.bin", "all six"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.lay(t, dir)
			_, err := readCIFAR(dir, n, datasets.Options{})
			for _, want := range append(c.want, dir) {
				messagetest.Names(t, err, want)
			}
		})
	}
}
