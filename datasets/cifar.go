package datasets

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/clusterpool/ccp/datasets/augment"
)

// The binary version of CIFAR-10: records of a label byte and three 32x32 planes, red, green, blue.
const (
	cifarSide        = 32
	cifarNodes       = cifarSide * cifarSide
	cifarChannels    = 3
	cifarRecord      = 1 + cifarNodes*cifarChannels
	cifarPerFile     = 10_000
	cifarArchive     = "cifar-10-binary.tar.gz"
	cifarArchiveHash = "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"
	cifarFolder      = "cifar-10-batches-bin"
)

// cifarFiles are the five files of training images and the one of test images, in this order.
var cifarFiles = []string{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
	"data_batch_5.bin", "test_batch.bin"}

var cifarClasses = []string{"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"}

var cifar10 = Info{
	Name:        "cifar10",
	Description: "colour photographs of ten kinds of objects, 32x32 pixels (CIFAR-10)",
	Needs:       "the CIFAR-10 binary version, unpacked (data_batch_1.bin ... test_batch.bin) or as " + cifarArchive,
	Licence:     "none stated by its authors; cite A. Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009",
	Samples:     60_000, Nodes: cifarNodes, Channels: cifarChannels, Classes: len(cifarClasses),
	Files:  []File{{"https://www.cs.toronto.edu/~kriz/" + cifarArchive, cifarArchive, "sha256:" + cifarArchiveHash}},
	Folder: "cifar10", Unpacked: 200_000_000,
	folders: []string{cifarFolder, filepath.Join("cifar10", cifarFolder), "cifar10"},
	get:     `the "CIFAR-10 binary version" from the CIFAR-10 page of A. Krizhevsky`,
	find:    findCIFAR,
	load: func(_ context.Context, info Info, opts Options) (*Dataset, error) {
		return loadCIFAR(info, opts, cifarPerFile)
	},
}

// findCIFAR is the folder that holds the first of the six files, or else the archive.
func findCIFAR(dirs []string) string {
	if first := findFile(dirs, cifarFiles[0]); first != "" {
		return filepath.Dir(first)
	}
	return findFile(dirs, cifarArchive)
}

// loadCIFAR reads the six files of perFile records each, or the archive that holds them.
func loadCIFAR(info Info, opts Options, perFile int) (*Dataset, error) {
	dirs := info.dirs(opts.DataDir)
	place := findCIFAR(dirs)
	if place == "" {
		return nil, info.missing(dirs, cifarFiles[0], cifarArchive)
	}
	records, err := readCIFAR(place, perFile)
	if err != nil {
		return nil, err
	}
	d, err := newCIFAR(records, perFile, opts)
	if err != nil {
		return nil, err
	}
	what, hash := "the six files in order", fmt.Sprintf("%x", sha256.Sum256(records))
	if filepath.Base(place) == cifarArchive {
		what = "the archive"
		if hash, err = hashFile(place); err != nil {
			return nil, err
		}
		if hash != cifarArchiveHash {
			d.warn("%s has sha256 %s, the published archive %s: results may not compare", place, hash, cifarArchiveHash)
		}
	}
	d.Provenance = fmt.Sprintf("CIFAR-10 (A. Krizhevsky, 2009), no licence stated, %s, sha256 of %s %s", place, what, hash)
	return d, nil
}

// newCIFAR makes a data set of the records of all six files: a grid of 8 neighbours, a tenth of the training images, but no
// more than 5,000, stratified, held out for validation, the published means and deviations of the whole training set
// (pixels / 255).
func newCIFAR(records []byte, perFile int, opts Options) (*Dataset, error) {
	labels := make([]byte, len(records)/cifarRecord)
	for i := range labels {
		labels[i] = records[i*cifarRecord]
	}
	d, err := newImages("cifar10", cifarSide, cifarChannels,
		&Bytes{Records: records, Record: cifarRecord, Skip: 1, Planar: true, Scale: 255}, labels, cifarClasses)
	if err != nil {
		return nil, err
	}
	d.Mean = []float32{0.49139968, 0.48215841, 0.44653091}
	d.Std = []float32{0.24703223, 0.24348513, 0.26158784}
	d.splitTrainTest(perFile*(len(cifarFiles)-1), opts)
	if opts.Augment {
		d.Moves = &augment.CropAndFlip{Height: cifarSide, Width: cifarSide, Channels: cifarChannels, Pad: 4}
		d.Augment = d.Moves.Apply
	}
	return d, nil
}

// readCIFAR reads the six files from a folder, or from the archive, which may hold them in any order.
func readCIFAR(place string, perFile int) (records []byte, err error) {
	read := func(name string) ([]byte, error) {
		data, err := os.ReadFile(filepath.Join(place, name))
		if err != nil {
			return nil, fmt.Errorf("%w; all six of %v must lie in one folder", err, cifarFiles)
		}
		return data, nil
	}
	if filepath.Base(place) == cifarArchive {
		files, err := unpackCIFAR(place, int64(perFile)*cifarRecord)
		if err != nil {
			return nil, fmt.Errorf("%s: %w; get the archive again", place, err)
		}
		read = func(name string) ([]byte, error) {
			if files[name] == nil {
				return nil, fmt.Errorf("%s holds no %s; get the binary version, not the Python or Matlab one", place, name)
			}
			return files[name], nil
		}
	}
	for _, name := range cifarFiles {
		data, err := read(name)
		if err != nil {
			return nil, err
		}
		if err := checkCIFAR(data, perFile); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(place, name), err)
		}
		records = append(records, data...)
	}
	return records, nil
}

// unpackCIFAR reads the six files of a .tar.gz, no more of each than one byte beyond size.
func unpackCIFAR(archive string, size int64) (map[string][]byte, error) {
	file, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("damaged gzip file: %w", err)
	}
	files := map[string][]byte{}
	for entries := tar.NewReader(unzipped); ; {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, fmt.Errorf("damaged archive: %w", err)
		}
		if name := path.Base(header.Name); slices.Contains(cifarFiles, name) {
			if files[name], err = io.ReadAll(io.LimitReader(entries, size+1)); err != nil {
				return nil, fmt.Errorf("damaged archive: %s: %w", header.Name, err)
			}
		}
	}
}

// checkCIFAR checks the size of a file of perFile records and the label of each.
func checkCIFAR(data []byte, perFile int) error {
	if len(data) != perFile*cifarRecord {
		return fmt.Errorf("%d bytes or more, want %d (%d records of %d bytes); get the file again",
			len(data), perFile*cifarRecord, perFile, cifarRecord)
	}
	for record := range perFile {
		if label := data[record*cifarRecord]; int(label) >= len(cifarClasses) {
			return fmt.Errorf("record %d has label %d, want 0 to %d; is this the binary version of CIFAR-10 "+
				"(not CIFAR-100)?", record, label, len(cifarClasses)-1)
		}
	}
	return nil
}
