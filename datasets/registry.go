package datasets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/internal/suggest"
)

// Source is a data set that [Load] knows by name: what a listing shows, where it is published, and how it is read.
type Source struct {
	Name    string `json:"name"`        // what Load takes
	About   string `json:"description"` // one line
	Needs   string `json:"needs"`       // the files that the user has to provide
	Licence string `json:"licence"`     // of the data
	// Sizes of the whole set; 0 where they depend on a file.
	Samples  int `json:"samples"`
	Nodes    int `json:"nodes"`
	Channels int `json:"channels"`
	Classes  int `json:"classes"`

	Files   []File   `json:"-"` // the downloads; nil if none are possible or needed
	Folder  string   `json:"-"` // below the data folder; holds the files, or the content of the one archive
	Archive bool     `json:"-"` // whether the one file is an archive, to be unpacked into Folder
	Ask     string   `json:"-"` // why the files cannot be downloaded and where to ask for them; "" if they can, or none are needed
	Folders []string `json:"-"` // below the data folder, in which the files may lie, the likeliest first
	Get     string   `json:"-"` // what to get if the files are missing
	Drawn   bool     `json:"-"` // its splits are drawn, or can be, so that it has folds
	// Options is the zero value of a struct with the source's own options, whose tags models.Network tells of, or nil.
	Options any `json:"-"`
	// Recipes holds changes to a training's configuration that suit the data, as models/training/recipes.json has them, or
	// nil.
	Recipes []byte `json:"-"`
	// Place returns the place of the files in some folders, "" if some are missing; nil for a source that needs none.
	Place func(dirs []string) string `json:"-"`
	// Load reads the samples in those folders. Raw.Split is the source's own split, nil to draw one. The caller holds out
	// validation samples, and sets frames and lengths of recordings where the options ask for others than Recorded has. In
	// the options that Load gets, Progress is not nil.
	Load func(ctx context.Context, dirs []string, o Options) (*Raw, error) `json:"-"`
}

// File is a file at its official place.
type File struct {
	URL  string
	Name string
	Sum  string // "sha256:HEX", or "md5:HEX" where that is what the publisher states
}

// sources are the named sources, in the order of a listing. The user's own .npz file comes last.
var sources = []Source{digits, ownFile}

// Register adds a source, which is then listed, loaded and fetched like the others. It panics if the name is empty,
// taken or a file's, or if nothing loads the source. Call it before anything else, such as in an init function.
func Register(s Source) {
	if _, unknown := Named(s.Name); unknown == nil || s.Name == "" || IsFile(s.Name) || s.Load == nil {
		panic(fmt.Sprintf("datasets: a source cannot be registered as %q: the name is empty, taken or a file's, or "+
			"Load is nil", s.Name))
	}
	sources = slices.Insert(sources, len(sources)-1, s)
}

// names lists the sources of some kind.
func names(kind func(Source) bool) string {
	var all []string
	for _, s := range sources {
		if kind(s) {
			all = append(all, strings.Replace(s.Name, "PATH.npz", ".npz files", 1))
		}
	}
	return cmp.Or(strings.Join(all, ", "), "no data set that is registered")
}

// Names describes every source, the user's own .npz file last.
func Names() []Source { return slices.Clone(sources) }

// Named returns the source of that name. If there is none, the error suggests the one that was probably meant, and
// lists all sources.
func Named(name string) (Source, error) {
	if IsFile(name) {
		return Source{}, fmt.Errorf("%s: an .npz file is your own, it cannot be downloaded", name)
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
	return Source{}, refused{fmt.Errorf("data set %q is not known; %s", name, suggest.Among(name, known))}
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
		source, err = ofFile(name), nil
	}
	if err != nil {
		err = fmt.Errorf("%w; or give the path of an .npz file", err)
		if _, missing := os.Stat(name); name != "" && missing == nil {
			err = fmt.Errorf("%w; of tables of recordings ccp data import %s makes one, and of recorders' files, "+
				"such as .edf, python -m clusterpool.read %s", err, name, name)
		}
		return nil, err
	}
	raw, err := source.read(ctx, opts)
	if err != nil {
		return nil, err
	}
	return Make(raw, *raw.Split)
}

// OptionsOf returns a source's own options, see Options.Own.
func OptionsOf[T any](own map[string]any) T {
	// an error is Accepts's to return
	options, _ := params.From[T](func(name string) (any, bool) { value, ok := own[name]; return value, ok })
	return options
}

// Accepts refuses options that do not apply to a source: to ignore them would give other samples than the caller asked
// for. Source.Name of an .npz file is its path.
func (s Source) Accepts(opts Options) error {
	refuse := func(option string, value any, why string, fits func(Source) bool) error {
		return refused{fmt.Errorf("%s: %w", s.Name,
			params.Errorf(option, value, "%s; leave it out (it is for %s)", why, names(fits)))}
	}
	switch {
	case (opts.SplitFamilies || opts.NoTest) && !s.Drawn:
		return refuse("split", opts.split(), "it has a split of its own", func(s Source) bool { return s.Drawn })
	case opts.KNN > 0 && !IsFile(s.Name):
		return refuse("knn", opts.KNN, "its graph is fixed", func(s Source) bool { return IsFile(s.Name) })
	case opts.Fold != (Fold{}) && !s.Drawn:
		return refuse("fold", opts.Fold, "its test is fixed", func(s Source) bool { return s.Drawn })
	}
	for _, name := range slices.Sorted(maps.Keys(opts.Own)) {
		option := func(s Source) *params.Field { return params.Find(params.Fields(reflect.TypeOf(s.Options)), name) }
		if option(s) == nil {
			return refuse(name, opts.Own[name], "this data set has no such option",
				func(s Source) bool { return option(s) != nil })
		} else if _, err := option(s).Parse(opts.Own[name]); err != nil {
			return refused{fmt.Errorf("%s: %w", s.Name, err)}
		}
	}
	return nil
}

// read calls the loader of a source.
func (s Source) read(ctx context.Context, opts Options) (*Raw, error) {
	if err := s.Accepts(opts); err != nil {
		return nil, err
	}
	if opts.Progress == nil {
		opts.Progress = func(string, float64) {}
	}
	raw, err := s.Load(ctx, s.dirs(opts.DataDir), opts)
	if err == nil && !IsFile(s.Name) { // the reader of a file splits by what it finds there
		if raw.Recorded != nil {
			opts.Frames = cmp.Or(opts.Frames, raw.Recorded.Frames)
			raw.record(*raw.Recorded, opts)
		}
		if raw.Split == nil { // else nothing is drawn
			raw.lookForFamilies()
		}
		err = raw.choose(opts)
		if opts.SplitFamilies && err == nil {
			err = raw.drawFamilies(opts)
		}
	}
	if err != nil && !IsFile(s.Name) { // an .npz file names itself
		err = s.withGet(opts.DataDir, fmt.Errorf("%s: %w", s.Name, err))
	}
	if err != nil {
		return nil, err
	}
	raw.Name = cmp.Or(raw.Name, s.Name)
	if opts.Augment && raw.Augment == nil && raw.Series == nil {
		appendf(&raw.Warnings, "no augmentation is known for %s: its samples are used as they are", raw.Name)
	}
	return raw, nil
}

// dirs returns the folders that may hold the files of a source: its own folders below the data folder, then the data
// folder. Several sets have files of the same name; the folder tells them apart.
func (s Source) dirs(dataDir string) []string {
	dirs := append(slices.Clone(s.Folders), "")
	for at, name := range dirs {
		dirs[at] = filepath.Join(cmp.Or(dataDir, "."), name)
	}
	return dirs
}

// Find returns the place in a data folder where Load would find the files, "" if some are missing.
func (s Source) Find(dataDir string) string {
	if s.Place == nil {
		return ""
	}
	return s.Place(s.dirs(dataDir))
}

// withGet adds to the error that a source's files are missing how to get them.
func (s Source) withGet(dataDir string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) || s.Get == "" || s.Find(dataDir) != "" {
		return err
	}
	err = fmt.Errorf("%w; get %s, and unpack it in the data folder", err, s.Get)
	if len(s.Files) == 0 {
		return err
	}
	command := "ccp data get " + s.Name
	if dataDir != "" {
		command += " --data-dir " + dataDir
	}
	return fmt.Errorf("%w; or have it fetched: %s", err, command)
}
