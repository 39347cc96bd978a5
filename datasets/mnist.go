package datasets

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// Size of an MNIST image.
const (
	mnistSide  = 28
	mnistNodes = mnistSide * mnistSide
)

// mnistImagesHash is the sha256 of the training images of MNIST, unpacked. Fashion-MNIST uses the same file names, so
// that only the content tells which set lies in a folder.
const mnistImagesHash = "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"

var mnistInfo = Info{
	Name:        "mnist",
	Description: "handwritten digits, 28x28 grey values (MNIST)",
	Needs:       "the four idx files, plain or .gz (train-images-idx3-ubyte ... t10k-labels-idx1-ubyte)",
	Licence:     "CC BY-SA 3.0, credit Y. LeCun and C. Cortes",
	Samples:     70_000, Nodes: mnistNodes, Channels: 1, Classes: 10,
}

var fashionInfo = Info{
	Name:        "fashion-mnist",
	Description: "articles of clothing, 28x28 grey values (Fashion-MNIST)",
	Needs:       "the four idx files, plain or .gz (train-images-idx3-ubyte ... t10k-labels-idx1-ubyte)",
	Licence:     "MIT, credit Zalando SE",
	Samples:     70_000, Nodes: mnistNodes, Channels: 1, Classes: 10,
}

// mnistLike is one of the two sets that share the four files' names and format.
type mnistLike struct {
	info       *Info
	title, get string
	classes    []string
}

var (
	mnistFiles = mnistLike{&mnistInfo, "MNIST (Y. LeCun, C. Cortes), CC BY-SA 3.0",
		"the four files of the MNIST database from the page of Y. LeCun", decimalDigits()}
	fashionFiles = mnistLike{&fashionInfo, "Fashion-MNIST (Zalando SE), MIT",
		"the four files of Fashion-MNIST from the page of Zalando Research",
		[]string{"T-shirt/top", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"}}
)

// load reads the four files: a grid of 8 neighbours, 5,000 stratified training images held out for validation.
func (m mnistLike) load(opts Options) (*Dataset, error) {
	dirs := folders(opts.DataDir, m.info.Name)
	digest := sha256.New()
	parts := map[string]idx{}
	for _, stem := range []string{"train-images", "train-labels", "t10k-images", "t10k-labels"} {
		content, part, path, err := m.read(dirs, stem)
		if err != nil {
			return nil, err
		}
		dirs = []string{filepath.Dir(path)} // all four come from one folder
		digest.Write(content)
		parts[stem] = part
	}
	if err := checkPairs(parts); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", m.info.Name, dirs[0], err)
	}
	hash := fmt.Sprintf("%x", sha256.Sum256(parts["train-images"].file))
	grid, err := affinity.Grid(mnistSide, mnistSide, 8)
	if err != nil {
		return nil, err
	}
	d := &Dataset{
		Name: m.info.Name, Nodes: mnistNodes, Channels: 1,
		Signals: &Bytes{Records: slices.Concat(parts["train-images"].values, parts["t10k-images"].values),
			Record: mnistNodes, Nodes: mnistNodes, Channels: 1, Scale: 255},
		Affinity:   grid,
		Grid:       []int{mnistSide, mnistSide},
		ClassNames: slices.Clone(m.classes),
		Provenance: fmt.Sprintf("%s, %s, sha256 of the four files in order (train images, train labels, t10k images, "+
			"t10k labels) %x", m.title, dirs[0], digest.Sum(nil)),
	}
	switch {
	case m.info == &fashionInfo && hash == mnistImagesHash:
		return nil, fmt.Errorf("fashion-mnist: the files in %s are those of MNIST; put each set in a folder of its own", dirs[0])
	case m.info == &mnistInfo && hash != mnistImagesHash:
		d.warn("the training images have sha256 %s, the published ones %s: results may not compare", hash, mnistImagesHash)
	}
	for _, label := range slices.Concat(parts["train-labels"].values, parts["t10k-labels"].values) {
		d.Labels = append(d.Labels, int32(label))
	}
	d.splitTrainTest(len(parts["train-labels"].values), opts)
	return d, nil
}

// read finds and parses the file of a stem such as "train-images", under the two spellings of its name in use, plain
// or gzipped. content is the file as it lies on the disk.
func (m mnistLike) read(dirs []string, stem string) (content []byte, part idx, path string, err error) {
	dims, limit := []int{-1}, int64(1<<20)
	if strings.HasSuffix(stem, "-images") {
		dims, limit = []int{-1, mnistSide, mnistSide}, 1<<27
	}
	names := idxNames(stem)
	if path = findFile(dirs, names); path == "" {
		return nil, part, "", missing(m.info.Name, names, dirs, m.get)
	}
	content, err = os.ReadFile(path)
	if err != nil {
		return nil, part, "", fmt.Errorf("%s: %w", m.info.Name, err)
	}
	plain, err := gunzip(content, limit)
	if err == nil {
		part, err = parseIDX(plain, dims...)
	}
	if err != nil {
		return nil, part, "", fmt.Errorf("%s: %s: %w", m.info.Name, path, err)
	}
	return content, part, path, nil
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

// checkPairs checks that there are as many labels as images, and the range of the labels.
func checkPairs(parts map[string]idx) error {
	for _, half := range []string{"train", "t10k"} {
		images, labels := parts[half+"-images"], parts[half+"-labels"]
		if images.dims[0] != labels.dims[0] {
			return fmt.Errorf("%d %s images but %d labels; get both files again", images.dims[0], half, labels.dims[0])
		}
		if images.dims[0] == 0 {
			return errors.New(half + " files hold no samples; get them again")
		}
		for i, label := range labels.values {
			if label > 9 {
				return fmt.Errorf("%s label %d is %d, want 0 to 9; get the file again", half, i, label)
			}
		}
	}
	return nil
}
