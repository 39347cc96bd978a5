package images

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets"
)

// IDXSide is the width and height of an image of MNIST.
const IDXSide = 28

// mnistImagesHash is the sha256 of the uncompressed training images of MNIST. Fashion-MNIST uses the same file names:
// only the content tells the two sets apart.
const mnistImagesHash = "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"

// IDXStems begin the names of the four files.
var IDXStems = []string{"train-images", "train-labels", "t10k-images", "t10k-labels"}

// IDXNames returns the names that the file of a stem goes by: two spellings, plain or gzipped.
func IDXNames(stem string) (names []string) {
	kind := "idx1-ubyte"
	if strings.HasSuffix(stem, "-images") {
		kind = "idx3-ubyte"
	}
	for _, spelling := range []string{stem + "-" + kind, stem + "." + kind} {
		names = append(names, spelling, spelling+".gz")
	}
	return names
}

// FindIDX returns the first folder if it holds the four files, else "". Both sets have the same file names, and the
// first folder is the set's own.
func FindIDX(dirs []string) string {
	for _, stem := range IDXStems {
		if find(dirs[:1], IDXNames(stem)...) == "" {
			return ""
		}
	}
	return dirs[0]
}

// IDX reads the four files of MNIST, or of Fashion-MNIST, from the first of the folders that has them.
func IDX(dirs []string, isMNIST bool) (*Set, error) {
	const nodes = IDXSide * IDXSide
	digest, hash := sha256.New(), ""
	parts := make([][]byte, len(IDXStems))
	for at, stem := range IDXStems {
		path := find(dirs, IDXNames(stem)...)
		if path == "" {
			return nil, missing(dirs, IDXNames(stem)...)
		}
		dirs = []string{filepath.Dir(path)} // all four come from one folder
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		digest.Write(content)
		sides, limit := []int{IDXSide, IDXSide}, int64(1<<27)
		if at%2 == 1 { // labels
			sides, limit = nil, 1<<20
		}
		content, err = gunzip(content, limit)
		if err == nil {
			parts[at], err = parseIDX(content, sides...)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if at == 0 {
			hash = fmt.Sprintf("%x", sha256.Sum256(content))
		}
	}
	for half, name := range []string{"train", "t10k"} { // the images and the labels of each half follow each other
		if err := checkPair(name, len(parts[2*half])/nodes, parts[2*half+1]); err != nil {
			return nil, fmt.Errorf("%s: %w", dirs[0], err)
		}
	}
	s := &Set{Side: IDXSide, Labels: slices.Concat(parts[1], parts[3]), Train: len(parts[1]),
		Pixels: &datasets.Bytes{Records: slices.Concat(parts[0], parts[2]), Record: nodes, Nodes: nodes, Channels: 1,
			Scale: 255},
		From: fmt.Sprintf("%s, sha256 of the four files in order (train images, train labels, t10k images, t10k labels) %x",
			dirs[0], digest.Sum(nil))}
	switch {
	case !isMNIST && hash == mnistImagesHash:
		return nil, fmt.Errorf("the files in %s are those of MNIST; put each set in a folder of its own", dirs[0])
	case isMNIST && hash != mnistImagesHash:
		s.Warnings = []string{fmt.Sprintf("the training images have sha256 %s, the published ones %s: results may not "+
			"compare", hash, mnistImagesHash)}
	}
	return s, nil
}

// checkPair checks that a half of the set, train or t10k, has as many labels as images, and the range of the labels.
func checkPair(name string, images int, labels []byte) error {
	switch {
	case images != len(labels):
		return fmt.Errorf("%d %s images but %d labels; get both files again", images, name, len(labels))
	case images == 0:
		return errors.New(name + " files hold no samples; get them again")
	}
	for i, label := range labels {
		if label > 9 {
			return fmt.Errorf("%s label %d is %d, want 0 to 9; get the file again", name, i, label)
		}
	}
	return nil
}

// parseIDX reads an idx file: two zero bytes, a type code, the number of dimensions, each dimension as a big-endian
// uint32, the values. It must hold unsigned bytes, any number of samples of the given sides. It returns the values,
// row-major.
func parseIDX(file []byte, sides ...int) ([]byte, error) {
	const unsignedByte = 8
	dims := 1 + len(sides)
	if len(file) < 4 || file[0] != 0 || file[1] != 0 {
		return nil, fmt.Errorf("does not start with an idx magic number (% x); is it an idx file?", file[:min(4, len(file))])
	}
	if file[2] != unsignedByte || int(file[3]) != dims {
		return nil, fmt.Errorf("magic number % x: want 00 00 08 %02x, unsigned bytes in %d dimensions", file[:4], dims, dims)
	}
	header := 4 + 4*dims
	if len(file) < header {
		return nil, fmt.Errorf("ends after %d bytes, within its header of %d; get the file again", len(file), header)
	}
	size := int(binary.BigEndian.Uint32(file[4:]))
	for i, want := range sides {
		if side := int(binary.BigEndian.Uint32(file[8+4*i:])); side != want {
			return nil, fmt.Errorf("dimension %d is %d, want %d", i+1, side, want)
		}
		size *= want
	}
	values := file[header:]
	if len(values) != size {
		return nil, fmt.Errorf("holds %d values, but its dimensions need %d; get the file again", len(values), size)
	}
	return values, nil
}
