package datasets

import (
	"context"
	"fmt"
	"strings"

	"github.com/gomlx/compute"
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
	// protocol of the source: 5,000 images of CIFAR-10, MNIST and Fashion-MNIST, a tenth of the others' training samples
	// where the test set is given, one eighth (10% of all) elsewhere.
	// An .npz file that marks its own validation samples is not affected.
	Validation float64
	// KNN is the number of neighbours of each node in the graph of an .npz file that brings `coordinates` (then 0
	// means 8) or no graph at all (then it must be set). The graphs of the other sources are fixed.
	KNN int
	// Augment sets the augmentation of the source, if it has one.
	Augment bool
	// Protocol picks one of the splits of a source that has several, as Info.Protocols lists them; "" is its usual one.
	Protocol string
	// TFIDF weighs the words of a text by how rare they are among the training documents, in place of plain counts.
	TFIDF bool
	// Vectors is a file of word vectors for the graph of a text source: word2vec's .bin or .txt, fastText's .vec,
	// GloVe's .txt, each also .gz. "" learns them from the training documents.
	Vectors string
	// Backend opens what word vectors are learned on; called only if they have to be.
	Backend func() (compute.Backend, error)
	// Context, if set, ends a long preparation when it ends; Load then returns its error.
	Context context.Context
	// Progress, which may be nil, is told what a long preparation is doing and the share of it that is done.
	Progress func(doing string, done float64)
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
	// Protocols names the splits of a source that has several, the usual one first.
	Protocols []string `json:"protocols,omitempty"`
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
		{newsgroupsInfo, loadNewsgroups},
		{ntuInfo, loadNTU},
		{nwuclaInfo, loadNWUCLA},
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
	if err := opts.check(); err != nil {
		return nil, err
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

// check finds values that are wrong for every source.
func (o Options) check() error {
	if o.Validation < 0 || o.Validation >= 1 || o.Validation != o.Validation {
		return fmt.Errorf("validation share %g: must be in [0, 1)", o.Validation)
	}
	if o.KNN < 0 {
		return fmt.Errorf("knn %d: the number of neighbours must not be negative", o.KNN)
	}
	return nil
}

// load picks the loader of a name.
func load(name string, opts Options) (*Dataset, error) {
	if strings.HasSuffix(strings.ToLower(name), npzExtension) {
		if err := (Info{Name: name}).accepts(opts); err != nil {
			return nil, err
		}
		return loadNPZ(name, opts)
	}
	var known []string
	for _, s := range sources() {
		if s.Name == name {
			if err := s.accepts(opts); err != nil {
				return nil, err
			}
			d, err := s.load(opts)
			return d, withGet(name, opts.DataDir, err)
		}
		known = append(known, s.Name)
	}
	return nil, fmt.Errorf("data set %q is not known; use one of %s, or the path of an .npz file",
		name, strings.Join(known, ", "))
}

// context is Context, or one that does not end.
func (o Options) context() context.Context {
	if o.Context == nil {
		return context.Background()
	}
	return o.Context
}

// report tells Progress, if there is one.
func (o Options) report(doing string, done float64) {
	if o.Progress != nil {
		o.Progress(doing, done)
	}
}

// validation is the share asked for, or else the usual one.
func (o Options) validation(usual float64) float64 {
	if o.Validation == 0 {
		return usual
	}
	return o.Validation
}
