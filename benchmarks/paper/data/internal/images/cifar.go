package images

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/clusterpool/ccp/datasets"
)

// The binary version of CIFAR-10: records of a label byte and three 32x32 planes, red, green, blue.
const (
	CIFARSide    = 32
	cifarNodes   = CIFARSide * CIFARSide
	cifarRecord  = 1 + 3*cifarNodes
	CIFARPerFile = 10_000 // records of a file
)

// cifarFiles are the five files of training images and the one of test images, in this order.
var cifarFiles = []string{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
	"data_batch_5.bin", "test_batch.bin"}

// FindCIFAR returns the folder that holds the first of the six files, "" if there is none.
func FindCIFAR(dirs []string) string {
	if first := find(dirs, cifarFiles[0]); first != "" {
		return filepath.Dir(first)
	}
	return ""
}

// CIFAR reads the six files of CIFAR-10, of perFile records each.
func CIFAR(dirs []string, perFile int) (*Set, error) {
	folder := FindCIFAR(dirs)
	if folder == "" {
		return nil, missing(dirs, cifarFiles[0])
	}
	var records []byte
	for _, name := range cifarFiles {
		path := filepath.Join(folder, name)
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%w; all six of %v must lie in one folder", err, cifarFiles)
		}
		if err := checkCIFAR(data, perFile); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		records = append(records, data...)
	}
	return ofCIFAR(records, perFile, folder), nil
}

// ofCIFAR makes a set of the records of all six files.
func ofCIFAR(records []byte, perFile int, folder string) *Set {
	labels := make([]byte, len(records)/cifarRecord)
	for i := range labels {
		labels[i] = records[i*cifarRecord]
	}
	return &Set{Side: CIFARSide, Labels: labels, Train: perFile * (len(cifarFiles) - 1),
		Pixels: &datasets.Bytes{Records: records, Record: cifarRecord, Skip: 1, Nodes: cifarNodes, Channels: 3, Planar: true,
			Scale: 255},
		From: fmt.Sprintf("%s, sha256 of the six files in order %x", folder, sha256.Sum256(records))}
}

// checkCIFAR checks the size of a file of perFile records and the label of each.
func checkCIFAR(data []byte, perFile int) error {
	if len(data) != perFile*cifarRecord {
		return fmt.Errorf("%d bytes, want %d (%d records of %d bytes); get the file again", len(data), perFile*cifarRecord,
			perFile, cifarRecord)
	}
	for record := range perFile {
		if label := data[record*cifarRecord]; label > 9 {
			return fmt.Errorf("record %d has label %d, want 0 to 9; is this the binary version of CIFAR-10 (not CIFAR-100)?",
				record, label)
		}
	}
	return nil
}
