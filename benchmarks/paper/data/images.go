package data

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/clusterpool/ccp/benchmarks/paper/data/internal/augment"
	"github.com/clusterpool/ccp/benchmarks/paper/data/internal/images"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/loop"
)

var mnist = idx(datasets.Source{
	Name:    "mnist",
	About:   "handwritten digits, 28x28 grey values (MNIST)",
	Licence: "CC BY-SA 3.0, credit Y. LeCun and C. Cortes",
	Get:     "the four files of the MNIST database from the page of Y. LeCun",
}, "MNIST (Y. LeCun, C. Cortes), CC BY-SA 3.0", []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"},
	"https://ossci-datasets.s3.amazonaws.com/mnist/", "f68b3c2dcbeaaa9fbdd348bbdeb94873",
	"d53e105ee54ea40749a09fcbcd1e9432", "9fb629c4189551a2d022fa330f9573f3", "ec29112dd5afa0611ce80d1b7f02629c")

var fashionMNIST = idx(datasets.Source{
	Name:    "fashion-mnist",
	About:   "articles of clothing, 28x28 grey values (Fashion-MNIST)",
	Licence: "MIT, credit Zalando SE",
	Get:     "the four files of Fashion-MNIST from the page of Zalando Research",
}, "Fashion-MNIST (Zalando SE), MIT", []string{"T-shirt/top", "trouser", "pullover", "dress", "coat", "sandal",
	"shirt", "sneaker",
	"bag", "ankle boot"},
	"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/", "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
	"25c81989df183df01b3e8a0aad5dffbe", "bef4ecab320f06d8554ea6380940ec79", "bb300cfdad3c16e7a12a480ee83cd310")

// idx completes the description of a set in the four files of MNIST. credit is for its provenance, base is the address
// of the files, md5s are their checksums.
func idx(of datasets.Source, credit string, classes []string, base string, md5s ...string) datasets.Source {
	of.Needs = "the four idx files, plain or .gz (train-images-idx3-ubyte ... t10k-labels-idx1-ubyte)"
	of.Samples, of.Nodes, of.Channels, of.Classes = 70_000, images.IDXSide*images.IDXSide, 1, len(classes)
	of.Folder, of.Folders = of.Name, []string{of.Name}
	for at, stem := range images.IDXStems {
		name := images.IDXNames(stem)[1]
		of.Files = append(of.Files, datasets.File{URL: base + name, Name: name, Sum: "md5:" + md5s[at]})
	}
	of.Place = images.FindIDX
	of.Load = func(_ context.Context, dirs []string, _ datasets.Options) (*datasets.Raw, error) {
		set, err := images.IDX(dirs, of.Name == "mnist")
		if err != nil {
			return nil, err
		}
		return ofImages(credit, set, classes)
	}
	return of
}

const cifarFolder = "cifar-10-batches-bin"

var cifar10 = datasets.Source{
	Name:  "cifar10",
	About: "colour photographs of ten kinds of objects, 32x32 pixels (CIFAR-10)",
	Needs: "the CIFAR-10 binary version, unpacked (data_batch_1.bin ... test_batch.bin)",
	Licence: "none stated by its authors; cite A. Krizhevsky, Learning Multiple Layers of Features from Tiny " +
		"Images, 2009",
	Samples: 60_000, Nodes: images.CIFARSide * images.CIFARSide, Channels: 3, Classes: 10,
	Files: []datasets.File{{URL: "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz", Name: "cifar-10-binary.tar.gz",
		Sum: "sha256:c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"}},
	Folder: "cifar10", Archive: true,
	Folders: []string{cifarFolder, filepath.Join("cifar10", cifarFolder), "cifar10"},
	Get:     `the "CIFAR-10 binary version" from the CIFAR-10 page of A. Krizhevsky`,
	Place:   images.FindCIFAR,
	Load: func(_ context.Context, dirs []string, opts datasets.Options) (*datasets.Raw, error) {
		return loadCIFAR(dirs, opts, images.CIFARPerFile)
	},
}

// loadCIFAR reads the six files of perFile images each. Mean and Std are the published ones of the whole training set,
// of pixels / 255.
func loadCIFAR(dirs []string, opts datasets.Options, perFile int) (*datasets.Raw, error) {
	set, err := images.CIFAR(dirs, perFile)
	if err != nil {
		return nil, err
	}
	raw, err := ofImages("CIFAR-10 (A. Krizhevsky, 2009), no licence stated", set,
		[]string{"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse",
			"ship", "truck"})
	if err != nil {
		return nil, err
	}
	raw.Scale = func(*datasets.Raw, []int) (mean, std []float32) {
		return []float32{0.49139968, 0.48215841, 0.44653091}, []float32{0.24703223, 0.24348513, 0.26158784}
	}
	raw.Mirror = augment.MirrorImage(set.Side, 3)
	if opts.Augment {
		raw.Augment = augment.CropAndFlip(set.Side, 3, 4)
	}
	return raw, nil
}

// heldOutImages is the usual number of validation images of CIFAR-10, MNIST and Fashion-MNIST.
const heldOutImages = 5_000

// splitTrainTest makes the first samples the training set and the others the test set. The usual number of validation
// samples is 5,000, but at most a tenth of the training samples.
func splitTrainTest(r *datasets.Raw, train int) {
	all := loop.Indices(len(r.Labels))
	r.Split = &datasets.Split{Train: all[:train:train], Test: all[train:]}
	r.HeldOut = min(heldOutImages, max(1, train/10))
}

// ofImages makes raw samples of images: a node for each pixel, joined to its 8 neighbours.
func ofImages(credit string, set *images.Set, classes []string) (*datasets.Raw, error) {
	grid, err := affinity.Grid(set.Side, set.Side, 8)
	if err != nil {
		return nil, err
	}
	raw := &datasets.Raw{Info: signal.Info{Nodes: set.Side * set.Side, Channels: set.Pixels.Channels,
		Grid: []int{set.Side, set.Side}, ClassNames: slices.Clone(classes)}, Signals: set.Pixels, Finite: true,
		Labels: make([]int32, len(set.Labels)), Graph: grid, Provenance: credit + ", " + set.From, Warnings: set.Warnings}
	for i, label := range set.Labels {
		raw.Labels[i] = int32(label)
	}
	splitTrainTest(raw, set.Train)
	return raw, nil
}
