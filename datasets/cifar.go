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

	"github.com/clusterpool/ccp/ccp/affinity"
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

var cifarInfo = Info{
	Name:        "cifar10",
	Description: "colour photographs of ten kinds of objects, 32x32 pixels (CIFAR-10)",
	Needs:       "the CIFAR-10 binary version, unpacked (data_batch_1.bin ... test_batch.bin) or as " + cifarArchive,
	Licence:     "none stated by its authors; cite A. Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009",
	Samples:     60_000, Nodes: cifarNodes, Channels: cifarChannels, Classes: len(cifarClasses),
}

// loadCIFAR10 reads the six files, or the archive that holds them: a grid of 8 neighbours, 5,000 stratified training
// images held out for validation, the published means and deviations of the whole training set (pixels / 255).
func loadCIFAR10(opts Options) (*Dataset, error) {
	records, provenance, warnings, err := readCIFAR(opts.DataDir, cifarPerFile)
	if err != nil {
		return nil, err
	}
	return newCIFAR(records, provenance, warnings, cifarPerFile, opts)
}

// newCIFAR builds the data set from the records of all six files.
func newCIFAR(records []byte, provenance string, warnings []string, perFile int, opts Options) (*Dataset, error) {
	grid, err := affinity.Grid(cifarSide, cifarSide, 8)
	if err != nil {
		return nil, err
	}
	d := &Dataset{
		Name: cifarInfo.Name, Nodes: cifarNodes, Channels: cifarChannels,
		Signals: &Bytes{Records: records, Record: cifarRecord, Skip: 1, Nodes: cifarNodes, Channels: cifarChannels,
			Planar: true, Scale: 255},
		Labels:     make([]int32, len(records)/cifarRecord),
		Affinity:   grid,
		Grid:       []int{cifarSide, cifarSide},
		ClassNames: slices.Clone(cifarClasses),
		Mean:       []float32{0.49139968, 0.48215841, 0.44653091},
		Std:        []float32{0.24703223, 0.24348513, 0.26158784},
		Provenance: provenance,
		Warnings:   warnings,
	}
	for i := range d.Labels {
		d.Labels[i] = int32(records[i*cifarRecord])
	}
	d.splitTrainTest(perFile*(len(cifarFiles)-1), opts)
	if opts.Augment {
		d.Moves = &augment.CropAndFlip{Height: cifarSide, Width: cifarSide, Channels: cifarChannels, Pad: 4}
		d.Augment = d.Moves.Apply
	}
	return d, nil
}

// cifarDirs are the folders in which the files or the archive may lie.
func cifarDirs(dataDir string) []string {
	return folders(dataDir, cifarFolder, filepath.Join("cifar10", cifarFolder), "cifar10")
}

// readCIFAR finds and reads the six files, perFile records each, into one block of records.
func readCIFAR(dataDir string, perFile int) (records []byte, provenance string, warnings []string, err error) {
	dirs := cifarDirs(dataDir)
	if first := findFile(dirs, cifarFiles[:1]); first != "" {
		records, err = readCIFARFolder(filepath.Dir(first), perFile)
		return records, cifarProvenance(filepath.Dir(first), "the six files in order", sha256.Sum256(records)), nil, err
	}
	archive := findFile(dirs, []string{cifarArchive})
	if archive == "" {
		return nil, "", nil, missing(cifarInfo.Name, []string{cifarFiles[0], cifarArchive}, dirs,
			`the "CIFAR-10 binary version" from the CIFAR-10 page of A. Krizhevsky`)
	}
	records, hash, err := readCIFARArchive(archive, perFile)
	if err != nil {
		return nil, "", nil, err
	}
	if found := fmt.Sprintf("%x", hash); found != cifarArchiveHash {
		warnings = append(warnings, fmt.Sprintf("%s has sha256 %s, the published archive %s: results may not compare",
			archive, found, cifarArchiveHash))
	}
	return records, cifarProvenance(archive, "the archive", hash), warnings, nil
}

func cifarProvenance(place, what string, hash [sha256.Size]byte) string {
	return fmt.Sprintf("CIFAR-10 (A. Krizhevsky, 2009), no licence stated, %s, sha256 of %s %x", place, what, hash)
}

// readCIFARFolder reads the six files of a folder.
func readCIFARFolder(dir string, perFile int) ([]byte, error) {
	records := make([]byte, 0, len(cifarFiles)*perFile*cifarRecord)
	for _, name := range cifarFiles {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("cifar10: %w; all six of %v must lie in one folder", err, cifarFiles)
		}
		if err := checkCIFAR(data, perFile); err != nil {
			return nil, fmt.Errorf("cifar10: %s: %w", filepath.Join(dir, name), err)
		}
		records = append(records, data...)
	}
	return records, nil
}

// readCIFARArchive reads the six files from the .tar.gz, and the sha256 of the archive itself.
func readCIFARArchive(archive string, perFile int) (records []byte, hash [sha256.Size]byte, err error) {
	fail := func(err error) ([]byte, [sha256.Size]byte, error) {
		return nil, hash, fmt.Errorf("cifar10: %s: %w", archive, err)
	}
	file, err := os.Open(archive)
	if err != nil {
		return nil, hash, fmt.Errorf("cifar10: %w", err)
	}
	defer file.Close()
	digest := sha256.New()
	raw := io.TeeReader(file, digest)
	unzipped, err := gzip.NewReader(raw)
	if err != nil {
		return fail(fmt.Errorf("damaged gzip file: %w; get the archive again", err))
	}
	size := perFile * cifarRecord
	records = make([]byte, len(cifarFiles)*size)
	seen := make([]bool, len(cifarFiles))
	entries := tar.NewReader(unzipped)
	for {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fail(fmt.Errorf("damaged archive: %w; get it again", err))
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
			return fail(fmt.Errorf("%s: %w", header.Name, err))
		}
		copy(records[at*size:], data)
		seen[at] = true
	}
	if at := slices.Index(seen, false); at >= 0 {
		return fail(fmt.Errorf("holds no %s; get the binary version, not the Python or Matlab one", cifarFiles[at]))
	}
	if _, err := io.Copy(io.Discard, raw); err != nil { // what follows the end of the archive belongs to its sha256
		return fail(err)
	}
	digest.Sum(hash[:0])
	return records, hash, nil
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
