package datasets

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Size of an MNIST image.
const (
	mnistSide  = 28
	mnistNodes = mnistSide * mnistSide
)

// mnistImagesHash is the sha256 of the uncompressed training images of MNIST. Fashion-MNIST uses the same file names, so that
// only the content tells the two sets apart.
const mnistImagesHash = "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"

var mnist = Info{
	Name:        "mnist",
	Description: "handwritten digits, 28x28 grey values (MNIST)",
	Licence:     "CC BY-SA 3.0, credit Y. LeCun and C. Cortes",
	credit:      "MNIST (Y. LeCun, C. Cortes), CC BY-SA 3.0",
	get:         "the four files of the MNIST database from the page of Y. LeCun",
}.idx(decimalDigits, "https://ossci-datasets.s3.amazonaws.com/mnist/", "f68b3c2dcbeaaa9fbdd348bbdeb94873",
	"d53e105ee54ea40749a09fcbcd1e9432", "9fb629c4189551a2d022fa330f9573f3", "ec29112dd5afa0611ce80d1b7f02629c")

var fashionMNIST = Info{
	Name:        "fashion-mnist",
	Description: "articles of clothing, 28x28 grey values (Fashion-MNIST)",
	Licence:     "MIT, credit Zalando SE",
	credit:      "Fashion-MNIST (Zalando SE), MIT",
	get:         "the four files of Fashion-MNIST from the page of Zalando Research",
}.idx([]string{"T-shirt/top", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"},
	"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/", "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
	"25c81989df183df01b3e8a0aad5dffbe", "bef4ecab320f06d8554ea6380940ec79", "bb300cfdad3c16e7a12a480ee83cd310")

// idxStems begin the names of the four files.
var idxStems = []string{"train-images", "train-labels", "t10k-images", "t10k-labels"}

// idx completes the description of a set in the four files of MNIST, which lie below an address and have these md5.
func (i Info) idx(classes []string, base string, md5s ...string) Info {
	i.Needs = "the four idx files, plain or .gz (train-images-idx3-ubyte ... t10k-labels-idx1-ubyte)"
	i.Samples, i.Nodes, i.Channels, i.Classes = 70_000, mnistNodes, 1, len(classes)
	i.Folder, i.folders = i.Name, []string{i.Name}
	for at, stem := range idxStems {
		name := idxNames(stem)[1]
		i.Files = append(i.Files, File{base + name, name, "md5:" + md5s[at]})
	}
	i.find = func(dirs []string) string { // in the set's own folder only
		for _, stem := range idxStems {
			if findFile(dirs[:1], idxNames(stem)...) == "" {
				return ""
			}
		}
		return dirs[0]
	}
	i.load = func(_ context.Context, info Info, opts Options) (*Dataset, error) {
		return loadIDX(info, opts, classes)
	}
	return i
}

// loadIDX reads the four files: a grid of 8 neighbours, 5,000 stratified training images held out for validation.
func loadIDX(info Info, opts Options, classes []string) (*Dataset, error) {
	dirs, digest, hash := info.dirs(opts.DataDir), sha256.New(), ""
	parts := make([][]byte, len(idxStems))
	for at, stem := range idxStems {
		path := findFile(dirs, idxNames(stem)...)
		if path == "" {
			return nil, info.missing(dirs, idxNames(stem)...)
		}
		dirs = []string{filepath.Dir(path)} // all four come from one folder
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		digest.Write(content)
		sides, limit := []int{mnistSide, mnistSide}, int64(1<<27)
		if at%2 == 1 { // labels
			sides, limit = nil, 1<<20
		}
		if content, err = gunzip(content, limit); err == nil {
			parts[at], err = parseIDX(content, sides...)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if at == 0 {
			hash = fmt.Sprintf("%x", sha256.Sum256(content))
		}
	}
	for half, name := range []string{"train", "t10k"} {
		if err := checkPair(name, len(parts[2*half])/mnistNodes, parts[2*half+1]); err != nil {
			return nil, fmt.Errorf("%s: %w", dirs[0], err)
		}
	}
	pixels, labels := slices.Concat(parts[0], parts[2]), slices.Concat(parts[1], parts[3])
	d, err := newImages(info.Name, mnistSide, 1, &Bytes{Records: pixels, Record: mnistNodes, Scale: 255}, labels, classes)
	if err != nil {
		return nil, err
	}
	d.Provenance = fmt.Sprintf("%s, %s, sha256 of the four files in order (train images, train labels, t10k images, "+
		"t10k labels) %x", info.credit, dirs[0], digest.Sum(nil))
	switch isMNIST := info.Name == "mnist"; {
	case !isMNIST && hash == mnistImagesHash:
		return nil, fmt.Errorf("the files in %s are those of MNIST; put each set in a folder of its own", dirs[0])
	case isMNIST && hash != mnistImagesHash:
		d.warn("the training images have sha256 %s, the published ones %s: results may not compare", hash, mnistImagesHash)
	}
	d.splitTrainTest(len(parts[1]), opts)
	return d, nil
}

// idxNames are the names that the file of a stem goes by: two spellings, plain or gzipped.
func idxNames(stem string) (names []string) {
	kind := "idx1-ubyte"
	if strings.HasSuffix(stem, "-images") {
		kind = "idx3-ubyte"
	}
	for _, spelling := range []string{stem + "-" + kind, stem + "." + kind} {
		names = append(names, spelling, spelling+".gz")
	}
	return names
}

// checkPair checks that there are as many labels as images, and the range of the labels.
func checkPair(half string, images int, labels []byte) error {
	switch {
	case images != len(labels):
		return fmt.Errorf("%d %s images but %d labels; get both files again", images, half, len(labels))
	case images == 0:
		return errors.New(half + " files hold no samples; get them again")
	}
	for i, label := range labels {
		if label > 9 {
			return fmt.Errorf("%s label %d is %d, want 0 to 9; get the file again", half, i, label)
		}
	}
	return nil
}

// parseIDX reads an idx file: two zero bytes, a type code, the number of dimensions, each dimension as a big-endian uint32,
// the values. It must hold unsigned bytes, any number of samples of the given sides. It returns the values, row-major.
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
