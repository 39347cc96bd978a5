package datasets

import (
	"errors"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/gomlx/compute"
)

// Options of [Load]. The zero value loads the digits, which need no files; the other sources need DataDir.
type Options struct {
	// DataDir is the folder with the files of the sources; "" is the working directory. Errors about missing files list
	// the folders that were tried.
	DataDir string
	// Seed draws the splits of sources that have none. It is independent of the seed of a training: with the same Seed,
	// all runs are tested on the same samples.
	Seed uint64
	// Validation is the share, in [0, 1), of the training samples to hold out for validation. 0 holds out none, unless
	// HoldOut is set. An .npz file that marks validation samples keeps those.
	Validation float64
	// HoldOut holds out the usual number of validation samples if Validation is 0: as many as Raw.HeldOut says, else a
	// tenth of the training samples of sources with a test set, one eighth of the others.
	HoldOut bool
	// Fold, unless it is zero, is the test set of the digits or of an .npz file, whose own splits are then not used.
	// The folds are drawn from Seed and share out all samples, each class about evenly. Samples of one group are in one
	// fold.
	Fold Fold
	// SplitFamilies draws whole families of samples, as [Audit] finds them, in place of single ones, from a source whose
	// splits are drawn. It is an error if the source has splits or groups, or if no families are found.
	SplitFamilies bool
	// NoTest draws no test samples from such a source: all but those for validation are to train on. Then nothing says
	// how right the classifier is of new samples but what the training holds out. It is an error beside Fold.
	NoTest bool
	// KNN is the number of neighbours of each node, if an .npz file has no graph. With `coordinates` 0 means 8, without
	// them 0 is an error. The graphs of the other sources are fixed.
	KNN int
	// Whole makes all samples of an .npz file without `split` the test. Graph is the graph of a file that has none. Both
	// are for a file that tests a classifier of another file.
	Whole bool
	Graph *affinity.Matrix
	// Frames is the number of frames that a network reads of each recording; 0: the median length of the training samples,
	// at most 256. If the data is to test a classifier, Form is that of its training; else nil.
	Frames int
	Form   *recording.Form
	// Augment sets the augmentation of the source, if it has one.
	Augment bool
	// Own holds values of the source's own options by their names, see Source.Options.
	Own map[string]any
	// Backend opens the backend on which word vectors are learned; it is called only if they are.
	Backend func() (compute.Backend, error)
	// Progress, which may be nil, receives the current step of a long preparation and its finished share, 0 to 1.
	Progress func(doing string, done float64)
}

// check finds values that are wrong for every source.
func (o Options) check() error {
	if o.Validation < 0 || o.Validation >= 1 || o.Validation != o.Validation {
		return params.Errorf("validation", o.Validation, "the share must be in [0, 1)")
	}
	if o.KNN < 0 {
		return params.Errorf("knn", o.KNN, "the number of neighbours must not be negative")
	}
	if o.NoTest && o.Fold != (Fold{}) {
		return params.Errorf("split", "none", "fold %s is a test; give one of them", o.Fold)
	}
	return o.Fold.check()
}

// split names SplitFamilies or NoTest as the option of a training that asks for it.
func (o Options) split() string {
	if o.NoTest {
		return "none"
	}
	return "families"
}

// ErrOptions says that a data set is not known, or cannot be had as the options ask.
var ErrOptions = errors.New("options")

// refused is such an error, in its own words.
type refused struct{ error }

func (r refused) Unwrap() error { return r.error }

func (r refused) Is(target error) bool { return target == ErrOptions }

// holdsOut reports whether validation samples are to be taken out of the training samples.
func (o Options) holdsOut() bool { return o.HoldOut || o.Validation > 0 }
