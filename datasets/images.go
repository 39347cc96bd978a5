package datasets

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/internal/augment"
	"github.com/clusterpool/ccp/datasets/internal/images"
	"github.com/clusterpool/ccp/signal"
)

// decimalDigits names the classes of digits.
var decimalDigits = []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}

var digits = Info{
	Name:        "digits",
	Description: "handwritten digits, 8x8 counts of dark pixels (UCI optical recognition of handwritten digits)",
	Needs:       "nothing: embedded in the program",
	Licence:     "CC BY 4.0, credit E. Alpaydin and C. Kaynak",
	Samples:     1797, Nodes: images.DigitsSide * images.DigitsSide, Channels: 1, Classes: 10,
	credit: "UCI optical recognition of handwritten digits (E. Alpaydin, C. Kaynak), CC BY 4.0",
	drawn:  true,
	load: func(_ context.Context, info Info, opts Options) (*Raw, error) {
		set, err := images.Digits()
		if err != nil {
			return nil, err
		}
		raw, err := ofImages(info, set, decimalDigits)
		if err != nil {
			return nil, err
		}
		return raw, raw.choose(opts)
	},
}

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
}.idx([]string{"T-shirt/top", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker",
	"bag", "ankle boot"},
	"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/", "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
	"25c81989df183df01b3e8a0aad5dffbe", "bef4ecab320f06d8554ea6380940ec79", "bb300cfdad3c16e7a12a480ee83cd310")

// idx completes the description of a set in the four files of MNIST. base is their address, md5s are their checksums.
func (i Info) idx(classes []string, base string, md5s ...string) Info {
	i.Needs = "the four idx files, plain or .gz (train-images-idx3-ubyte ... t10k-labels-idx1-ubyte)"
	i.Samples, i.Nodes, i.Channels, i.Classes = 70_000, images.IDXSide*images.IDXSide, 1, len(classes)
	i.Folder, i.folders = i.Name, []string{i.Name}
	for at, stem := range images.IDXStems {
		name := images.IDXNames(stem)[1]
		i.Files = append(i.Files, File{base + name, name, "md5:" + md5s[at]})
	}
	i.find = images.FindIDX
	i.load = func(_ context.Context, info Info, opts Options) (*Raw, error) {
		set, err := images.IDX(info.dirs(opts.DataDir), info.Name == "mnist")
		if err != nil {
			return nil, err
		}
		raw, err := ofImages(info, set, classes)
		if err != nil {
			return nil, err
		}
		raw.splitTrainTest(set.Train)
		return raw, raw.choose(opts)
	}
	return i
}

const cifarFolder = "cifar-10-batches-bin"

var cifar10 = Info{
	Name:        "cifar10",
	Description: "colour photographs of ten kinds of objects, 32x32 pixels (CIFAR-10)",
	Needs:       "the CIFAR-10 binary version, unpacked (data_batch_1.bin ... test_batch.bin)",
	Licence: "none stated by its authors; cite A. Krizhevsky, Learning Multiple Layers of Features from Tiny " +
		"Images, 2009",
	Samples: 60_000, Nodes: images.CIFARSide * images.CIFARSide, Channels: 3, Classes: 10,
	Files: []File{{"https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz", "cifar-10-binary.tar.gz",
		"sha256:c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"}},
	Folder: "cifar10", Archive: true,
	folders: []string{cifarFolder, filepath.Join("cifar10", cifarFolder), "cifar10"},
	credit:  "CIFAR-10 (A. Krizhevsky, 2009), no licence stated",
	get:     `the "CIFAR-10 binary version" from the CIFAR-10 page of A. Krizhevsky`,
	find:    images.FindCIFAR,
	load: func(_ context.Context, info Info, opts Options) (*Raw, error) {
		return loadCIFAR(info, opts, images.CIFARPerFile)
	},
}

// loadCIFAR reads the six files of perFile images each. Mean and Std are the published ones of the whole training set,
// of pixels / 255.
func loadCIFAR(info Info, opts Options, perFile int) (*Raw, error) {
	set, err := images.CIFAR(info.dirs(opts.DataDir), perFile)
	if err != nil {
		return nil, err
	}
	raw, err := ofImages(info, set, []string{"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse",
		"ship", "truck"})
	if err != nil {
		return nil, err
	}
	raw.Scale = func(*Raw, []int) (mean, std []float32) {
		return []float32{0.49139968, 0.48215841, 0.44653091}, []float32{0.24703223, 0.24348513, 0.26158784}
	}
	raw.splitTrainTest(set.Train)
	raw.Mirror = augment.MirrorImage(set.Side, 3)
	if opts.Augment {
		raw.Augment = augment.CropAndFlip(set.Side, 3, 4)
	}
	return raw, raw.choose(opts)
}

// heldOutImages is the usual number of validation images of CIFAR-10, MNIST and Fashion-MNIST.
const heldOutImages = 5_000

// splitTrainTest makes the first samples the training set and the others the test set. The usual number of validation
// samples is 5,000, but at most a tenth of the training samples.
func (r *Raw) splitTrainTest(train int) {
	all := upTo(len(r.Labels))
	r.Split = &Split{Train: all[:train:train], Test: all[train:]}
	r.HeldOut = min(heldOutImages, max(1, train/10))
}

// ofImages makes raw samples of images without splits: a node for each pixel, joined to its 8 neighbours.
func ofImages(info Info, set *images.Set, classes []string) (*Raw, error) {
	grid, err := affinity.Grid(set.Side, set.Side, 8)
	if err != nil {
		return nil, err
	}
	raw := &Raw{Info: signal.Info{Nodes: set.Side * set.Side, Channels: set.Pixels.Channels, Grid: []int{set.Side, set.Side}, ClassNames: slices.Clone(classes)}, Signals: set.Pixels, Finite: true,
		Labels: make([]int32, len(set.Labels)), Graph: grid, Provenance: info.credit + ", " + set.From, Warnings: set.Warnings}
	for i, label := range set.Labels {
		raw.Labels[i] = int32(label)
	}
	return raw, nil
}
