package datasets

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute"
)

// Options of [Load]. The zero value loads the digits, which need no files; the other sources need DataDir.
type Options struct {
	// DataDir is the folder with the files of the sources; "" is the working directory. Errors about missing files list
	// the places that were tried.
	DataDir string
	// Seed draws the splits of sources that have none. It is independent of the seed of a training: with 0, all runs are
	// tested on the same samples.
	Seed uint64
	// Validation is the share, in [0, 1), of the training samples to hold out for validation. 0 holds out none, unless
	// HoldOut is set. An .npz file that marks validation samples keeps those.
	Validation float64
	// HoldOut holds out the usual number of validation samples if Validation is 0: 5,000 images of CIFAR-10, MNIST and
	// Fashion-MNIST, a tenth of the training samples of other sources with a test set, one eighth elsewhere.
	HoldOut bool
	// Fold, unless it is zero, is the test of the digits or of an .npz file, whose own splits are then not used: the folds are cut from
	// all samples, drawn from Seed, with about equal shares of the classes, and none parts a group.
	Fold Fold
	// KNN is the number of neighbours of each node in the graph of an .npz file with `coordinates` (0 means 8) or without
	// any graph (0 is an error). The graphs of the other sources are fixed.
	KNN int
	// Augment sets the augmentation of the source, if it has one.
	Augment bool
	// Protocol picks one of the splits of a source that has several, as Info.Protocols lists them; "" is its usual one.
	Protocol string
	// TFIDF weights the words of a text by their rarity among the training documents; default are shares.
	TFIDF bool
	// Vectors is a file of word vectors for the graph of a text source: word2vec's .bin or .txt, fastText's .vec,
	// GloVe's .txt, each also .gz. "" learns them from the training documents.
	Vectors string
	// Backend opens the backend on which word vectors are learned; it is called only if they are.
	Backend func() (compute.Backend, error)
	// Progress, which may be nil, receives the current step of a long preparation and its finished share, 0 to 1.
	Progress func(doing string, done float64)
}

// check finds values that are wrong for every source.
func (o Options) check() error {
	if o.Validation < 0 || o.Validation >= 1 || o.Validation != o.Validation {
		return fmt.Errorf("validation share %g: must be in [0, 1)", o.Validation)
	}
	if o.KNN < 0 {
		return fmt.Errorf("knn %d: the number of neighbours must not be negative", o.KNN)
	}
	return o.Fold.check()
}

// accepts refuses options that do not apply to a source and protocols that it does not have, as ignoring them would compute
// something else than was asked for. Info.Name of an .npz file is its path.
func (i Info) accepts(opts Options) error {
	texts := func(s Info) bool { return s.text }
	several := func(s Info) bool { return s.Protocols != nil }
	drawn := func(s Info) bool { return s.drawn }
	switch {
	case opts.KNN > 0 && !isNPZ(i.Name):
		return fmt.Errorf("%s: its graph is fixed; leave --knn out (it is for .npz files)", i.Name)
	case opts.Fold != (Fold{}) && !i.drawn:
		return fmt.Errorf("%s: its test is fixed; leave folds out (they are for %s and .npz files)", i.Name, names(drawn))
	case opts.TFIDF && !i.text:
		return fmt.Errorf("%s: it has no words to weigh; leave --tfidf out (it is for %s)", i.Name, names(texts))
	case opts.Vectors != "" && !i.text:
		return fmt.Errorf("%s: it has no words; leave --vectors out (it is for %s)", i.Name, names(texts))
	case opts.Protocol != "" && i.Protocols == nil:
		return fmt.Errorf("%s: there is one protocol only; leave --protocol out (it is for %s)", i.Name, names(several))
	case opts.Protocol != "" && !slices.Contains(i.Protocols, opts.Protocol):
		return fmt.Errorf("%s: there is no protocol %q; there are %s", i.Name, opts.Protocol, strings.Join(i.Protocols, ", "))
	}
	return nil
}

// report tells Progress, if there is one.
func (o Options) report(doing string, done float64) {
	if o.Progress != nil {
		o.Progress(doing, done)
	}
}

// holdsOut reports whether validation samples are to be taken out of the training samples.
func (o Options) holdsOut() bool { return o.HoldOut || o.Validation > 0 }

// validation returns the share asked for, or else the usual one.
func (o Options) validation(usual float64) float64 {
	if o.Validation == 0 {
		return usual
	}
	return o.Validation
}
