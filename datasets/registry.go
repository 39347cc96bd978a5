package datasets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/suggest"
)

// Info is a source: what a listing shows, where it is published, and where [Load] finds its files.
type Info struct {
	Name        string `json:"name"`        // what Load takes
	Description string `json:"description"` // one line
	Needs       string `json:"needs"`       // the files that the user has to provide
	Licence     string `json:"licence"`     // of the data
	// Sizes of the whole set; 0 where they depend on a file.
	Samples  int `json:"samples"`
	Nodes    int `json:"nodes"`
	Channels int `json:"channels"`
	Classes  int `json:"classes"`
	// Protocols names the splits of a source that has several, the usual one first.
	Protocols []string `json:"protocols,omitempty"`

	// Files are the downloads; nil if none are possible or needed.
	Files []File `json:"-"`
	// Folder, below the data folder, holds the files, or the content of the one archive.
	Folder string `json:"-"`
	// Archive reports whether the one file is an archive, to be unpacked into Folder.
	Archive bool `json:"-"`
	// Ask says why the files cannot be downloaded and where to ask for them; "" if they can, or none are needed.
	Ask string `json:"-"`

	text        bool     // its signals are words
	drawn       bool     // its splits are drawn, or can be
	folders     []string // below the data folder, in which its files may lie
	credit, get string   // for the provenance; what to get if the files are missing
	// find returns the place of the files in some folders, "" if some are missing; nil for a source that needs none.
	find func(dirs []string) string
	// load brings the samples, with the split that the options ask for. It may leave out the name.
	load func(context.Context, Info, Options) (*Raw, error)
}

// File is a file at its official place.
type File struct {
	URL  string
	Name string
	Sum  string // "sha256:HEX", or "md5:HEX" where that is what the publisher states
}

// sources is the table of the named sources, in the order of a listing. The user's own .npz file comes last.
var sources = []Info{digits, cifar10, mnist, fashionMNIST, news, ntu, nwucla, ownFile}

// names lists the sources of some kind.
func names(kind func(Info) bool) string {
	var all []string
	for _, s := range sources {
		switch {
		case !kind(s):
		case IsFile(s.Name):
			all = append(all, ".npz files")
		default:
			all = append(all, s.Name)
		}
	}
	return strings.Join(all, ", ")
}

// Names describes every source, the user's own .npz file last.
func Names() []Info { return slices.Clone(sources) }

// Named returns the source of that name. If there is none, the error suggests the one that was probably meant, and
// lists all sources.
func Named(name string) (Info, error) {
	if IsFile(name) {
		return Info{}, fmt.Errorf("%s: an .npz file is your own, it cannot be downloaded", name)
	}
	var known []string
	for _, s := range sources {
		switch {
		case s.Name == name:
			return s, nil
		case !IsFile(s.Name):
			known = append(known, s.Name)
		}
	}
	return Info{}, refused{fmt.Errorf("data set %q is not known; %s", name, suggest.Among(name, known))}
}

// Load reads a data set: one of the names that [Names] lists, or a path that ends in .npz. The result has passed
// [Dataset.Validate]. Errors name the file, what is wrong in it and what to do; a missing file is an fs.ErrNotExist.
// Load never downloads anything.
//
// All samples that are not in the test set are to train on, unless the data set itself or opts names others for
// validation. If ctx ends a long preparation, Load returns its error.
func Load(ctx context.Context, name string, opts Options) (*Dataset, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	source, err := Named(name)
	if IsFile(name) {
		source, err = ownFile, nil
		source.Name = name
	}
	if err != nil {
		err = fmt.Errorf("%w; or give the path of an .npz file", err)
		if _, missing := os.Stat(name); name != "" && missing == nil {
			err = fmt.Errorf("%w; ccp data import makes one of what is at %s, if it is recordings", err, name)
		}
		return nil, err
	}
	raw, err := source.read(ctx, opts)
	if err != nil {
		return nil, err
	}
	return Make(raw, *raw.Split)
}

// accepts refuses options that do not apply to a source: to ignore them would give other samples than the caller asked
// for. Info.Name of an .npz file is its path.
func (i Info) accepts(opts Options) error {
	refuse := func(option, why string, fits func(Info) bool) error {
		return refused{fmt.Errorf("%s: %s; leave %s out (it is for %s)", i.Name, why, option, names(fits))}
	}
	switch {
	case opts.KNN > 0 && !IsFile(i.Name):
		return refuse("knn", "its graph is fixed", func(s Info) bool { return IsFile(s.Name) })
	case opts.Fold != (Fold{}) && !i.drawn:
		return refuse("fold", "its test is fixed", func(s Info) bool { return s.drawn })
	case opts.TFIDF && !i.text:
		return refuse("tfidf", "it has no words to weigh", func(s Info) bool { return s.text })
	case opts.Protocol != "" && i.Protocols == nil:
		return refuse("protocol", "there is one protocol only", func(s Info) bool { return s.Protocols != nil })
	case opts.Protocol != "" && !slices.Contains(i.Protocols, opts.Protocol):
		return refused{fmt.Errorf("%s: there is no protocol %q; there are %s", i.Name, opts.Protocol, strings.Join(i.Protocols, ", "))}
	}
	return nil
}

// read calls the loader of a source.
func (i Info) read(ctx context.Context, opts Options) (*Raw, error) {
	if err := i.accepts(opts); err != nil {
		return nil, err
	}
	raw, err := i.load(ctx, i, opts)
	if err != nil && !IsFile(i.Name) { // an .npz file names itself
		err = i.withGet(opts.DataDir, fmt.Errorf("%s: %w", i.Name, err))
	}
	if err != nil {
		return nil, err
	}
	if raw.Name = cmp.Or(raw.Name, i.Name); opts.Augment && raw.Augment == nil {
		appendf(&raw.Warnings, "no augmentation is known for %s: its samples are used as they are", raw.Name)
	}
	return raw, nil
}

// dirs returns the folders that may hold the files of a source: its own folders below the data folder, then the data
// folder. Several sets have files of the same name; the folder tells them apart.
func (i Info) dirs(dataDir string) []string {
	dirs := append(slices.Clone(i.folders), "")
	for at, name := range dirs {
		dirs[at] = filepath.Join(cmp.Or(dataDir, "."), name)
	}
	return dirs
}

// Find returns the place in a data folder where Load would find the files, "" if some are missing. For MNIST and
// Fashion-MNIST it looks in their own folders only, as both sets have the same file names.
func (i Info) Find(dataDir string) string {
	if i.find == nil {
		return ""
	}
	return i.find(i.dirs(dataDir))
}

// withGet adds to the error that a source's files are missing how to get them.
func (i Info) withGet(dataDir string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) || i.Find(dataDir) != "" {
		return err
	}
	err = fmt.Errorf("%w; get %s, and unpack it in the data folder", err, i.get)
	if len(i.Files) == 0 {
		return err
	}
	command := "ccp data get " + i.Name
	if dataDir != "" {
		command += " --data-dir " + dataDir
	}
	return fmt.Errorf("%w; or have it fetched: %s", err, command)
}
