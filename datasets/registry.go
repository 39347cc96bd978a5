package datasets

import (
	"fmt"
	"strings"
)

// Options of [Load].
type Options struct {
	// DataDir is the folder in which the files of a source are looked for; "" is the working directory. Each error
	// about a missing file lists the places that were tried.
	DataDir string
	// Seed draws the splits, where a source does not bring them. It has nothing to do with the seed of a training:
	// leave it at 0 and every run, whatever its seed, is tested on the same samples.
	Seed uint64
	// Validation is the share, in [0, 1), of the samples outside the test set to hold out for validation. 0 takes the
	// protocol of the source: 5,000 images of CIFAR-10, MNIST and Fashion-MNIST, one eighth (10% of all) elsewhere.
	// An .npz file that marks its own validation samples is not affected.
	Validation float64
	// KNN is the number of neighbours of each node in the graph of an .npz file that brings `coordinates` (then 0
	// means 8) or no graph at all (then it must be set). The graphs of the other sources are fixed.
	KNN int
	// Augment sets the augmentation of the source, if it has one.
	Augment bool
}

// Info describes a source, for a listing.
type Info struct {
	Name        string `json:"name"`        // what Load takes
	Description string `json:"description"` // one line
	Needs       string `json:"needs"`       // which files the user has to bring
	Licence     string `json:"licence"`     // of the data
	// Sizes of the whole set; 0 where they depend on a file.
	Samples  int `json:"samples"`
	Nodes    int `json:"nodes"`
	Channels int `json:"channels"`
	Classes  int `json:"classes"`
}

// source is a line of the table: what a listing shows, and the loader. A loader fills every field of the Dataset
// except those that Load can work out (Mean and Std over the training samples when they are left nil).
type source struct {
	Info
	load func(Options) (*Dataset, error)
}

// npzExtension marks a name that is the path of a file.
const npzExtension = ".npz"

// sources is the table of the named sources, in the order of a listing.
func sources() []source {
	return []source{
		{digitsInfo, loadDigits},
		{cifarInfo, loadCIFAR10},
		{mnistInfo, mnistFiles.load},
		{fashionInfo, fashionFiles.load},
	}
}

// Names describes every source, the user's own .npz file last.
func Names() []Info {
	var infos []Info
	for _, s := range sources() {
		infos = append(infos, s.Info)
	}
	return append(infos, npzInfo)
}

// Load reads a data set: one of the names that [Names] lists, or a path that ends in .npz. What it returns has passed
// [Dataset.Validate]. Errors name the file, what is wrong in it and what to do; a missing file is an fs.ErrNotExist.
func Load(name string, opts Options) (*Dataset, error) {
	if opts.Validation < 0 || opts.Validation >= 1 || opts.Validation != opts.Validation {
		return nil, fmt.Errorf("validation share %g: must be in [0, 1)", opts.Validation)
	}
	if opts.KNN < 0 {
		return nil, fmt.Errorf("knn %d: the number of neighbours must not be negative", opts.KNN)
	}
	d, err := load(name, opts)
	if err != nil {
		return nil, err
	}
	if d.Mean == nil {
		d.standardise()
	}
	if opts.Augment && d.Augment == nil {
		d.warn("no augmentation is known for %s: its samples are used as they are", d.Name)
	}
	if err := d.Validate(); err != nil {
		return nil, err
	}
	d.warnOddities()
	return d, nil
}

// load picks the loader of a name.
func load(name string, opts Options) (*Dataset, error) {
	if strings.HasSuffix(strings.ToLower(name), npzExtension) {
		return loadNPZ(name, opts)
	}
	var known []string
	for _, s := range sources() {
		if s.Name == name {
			if opts.KNN > 0 {
				return nil, fmt.Errorf("%s: its graph is fixed; leave --knn out (it is for .npz files)", name)
			}
			return s.load(opts)
		}
		known = append(known, s.Name)
	}
	return nil, fmt.Errorf("data set %q is not known; use one of %s, or the path of an .npz file",
		name, strings.Join(known, ", "))
}
