package datasets

import (
	"archive/tar"
	"compress/gzip"
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
	load:    func(info Info, opts Options) (*Dataset, error) { return loadCIFAR(info, opts, cifarPerFile) },
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
	read, what := readCIFARFolder, "the six files in order"
	if filepath.Base(place) == cifarArchive {
		read, what = readCIFARArchive, "the archive"
	}
	records, hash, err := read(place, perFile)
	if err != nil {
		return nil, err
	}
	d, err := newCIFAR(records, perFile, opts)
	if err != nil {
		return nil, err
	}
	d.Provenance = fmt.Sprintf("CIFAR-10 (A. Krizhevsky, 2009), no licence stated, %s, sha256 of %s %x", place, what, hash)
	if found := fmt.Sprintf("%x", hash); filepath.Base(place) == cifarArchive && found != cifarArchiveHash {
		d.warn("%s has sha256 %s, the published archive %s: results may not compare", place, found, cifarArchiveHash)
	}
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

// readCIFARFolder reads the six files of a folder, and their sha256.
func readCIFARFolder(dir string, perFile int) (records []byte, hash [sha256.Size]byte, err error) {
	records = make([]byte, 0, len(cifarFiles)*perFile*cifarRecord)
	for _, name := range cifarFiles {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, hash, fmt.Errorf("%w; all six of %v must lie in one folder", err, cifarFiles)
		}
		if err := checkCIFAR(data, perFile); err != nil {
			return nil, hash, fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
		}
		records = append(records, data...)
	}
	return records, sha256.Sum256(records), nil
}

// readCIFARArchive reads the six files from the .tar.gz, and the sha256 of the archive itself.
func readCIFARArchive(archive string, perFile int) (records []byte, hash [sha256.Size]byte, err error) {
	file, err := os.Open(archive)
	if err != nil {
		return nil, hash, err
	}
	defer file.Close()
	digest := sha256.New()
	raw := io.TeeReader(file, digest)
	if records, err = unpackCIFAR(raw, perFile); err == nil {
		_, err = io.Copy(io.Discard, raw) // what follows the end of the archive belongs to its sha256
	}
	if err != nil {
		return nil, hash, fmt.Errorf("%s: %w", archive, err)
	}
	digest.Sum(hash[:0])
	return records, hash, nil
}

// unpackCIFAR reads the six files, in whatever order they are in the .tar.gz.
func unpackCIFAR(archive io.Reader, perFile int) ([]byte, error) {
	unzipped, err := gzip.NewReader(archive)
	if err != nil {
		return nil, fmt.Errorf("damaged gzip file: %w; get the archive again", err)
	}
	size := perFile * cifarRecord
	records := make([]byte, len(cifarFiles)*size)
	seen := make([]bool, len(cifarFiles))
	for entries := tar.NewReader(unzipped); ; {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("damaged archive: %w; get it again", err)
		}
		at := slices.Index(cifarFiles, path.Base(header.Name))
		if at < 0 {
			continue
		}
		data, err := io.ReadAll(io.LimitReader(entries, int64(size)+1))
		if err == nil {
			err = checkCIFAR(data, perFile)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", header.Name, err)
		}
		copy(records[at*size:], data)
		seen[at] = true
	}
	if at := slices.Index(seen, false); at >= 0 {
		return nil, fmt.Errorf("holds no %s; get the binary version, not the Python or Matlab one", cifarFiles[at])
	}
	return records, nil
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
