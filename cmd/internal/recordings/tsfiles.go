package recordings

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// readTSFiles reads a problem of the UEA archive: its training and its test samples from two files, or all from one.
func (r *reading) readTSFiles(paths []string) (*set, error) {
	paths, err := trainFirst(paths)
	if err != nil {
		return nil, err
	}
	var s *set
	var first tsHeader
	for i, path := range paths {
		h, samples, err := r.readTSFile(path)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			first = h
			s = &set{name: h.name, channels: 1, classes: h.classes, split: len(paths) == 2, by: "the files"}
			for dimension := range h.dimensions {
				s.sensors = append(s.sensors, fmt.Sprintf("dim_%d", dimension))
			}
		}
		if h.dimensions != first.dimensions {
			return nil, fmt.Errorf("%s has %d dimensions, %s has %d; take the two files of one problem", path, h.dimensions, paths[0], first.dimensions)
		}
		for _, class := range h.classes {
			if !slices.Contains(s.classes, class) {
				return nil, fmt.Errorf("%s: class %q is not one of %s (%s); take the two files of one problem",
					path, class, paths[0], strings.Join(s.classes, " "))
			}
		}
		for at := range samples {
			samples[at].test = i == 1
			samples[at].where = path + ", " + samples[at].where
		}
		s.samples = append(s.samples, samples...)
	}
	if len(s.classes) == 0 {
		s.classes = nil // @classLabel true names none: they are those of the samples
	}
	return s, nil
}

func (r *reading) readTSFile(path string) (h tsHeader, samples []sample, err error) {
	file, err := os.Open(path)
	if err != nil {
		return h, nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return h, nil, err
	}
	h, samples, err = readTS(file, func(bytes int64) error {
		return r.tell("reading "+filepath.Base(path), float64(bytes)/float64(max(info.Size(), 1)))
	})
	if err != nil {
		return h, nil, fmt.Errorf("%s: %w", path, err)
	}
	return h, samples, nil
}

// tsIn lists the .ts files that a folder holds; of several problems, or versions of one, it is an error to take all.
func tsIn(folder string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(escape(folder), "*.ts"))
	if err != nil || len(paths) <= 2 {
		return paths, err
	}
	name := filepath.Join(folder, filepath.Base(folder))
	if pair := []string{name + "_TRAIN.ts", name + "_TEST.ts"}; slices.Contains(paths, pair[0]) && slices.Contains(paths, pair[1]) {
		return pair, nil
	}
	return nil, fmt.Errorf("%s holds %d .ts files (%s, …); name the one or two to take: ccp data import A_TRAIN.ts A_TEST.ts",
		folder, len(paths), filepath.Base(paths[0]))
}

// escape makes a path a pattern of nothing but itself.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// trainFirst puts the training file of two before the test file, by their names.
func trainFirst(paths []string) ([]string, error) {
	if len(paths) == 1 {
		return paths, nil
	}
	is := func(path, kind string) bool {
		return strings.HasSuffix(strings.ToLower(strings.TrimSuffix(path, filepath.Ext(path))), kind)
	}
	switch a, b := paths[0], paths[len(paths)-1]; {
	case len(paths) > 2:
		return nil, fmt.Errorf("%d .ts files are given; want one, or NAME_TRAIN.ts and NAME_TEST.ts", len(paths))
	case is(a, "train") && is(b, "test"):
		return []string{a, b}, nil
	case is(a, "test") && is(b, "train"):
		return []string{b, a}, nil
	default:
		return nil, fmt.Errorf("the names of %s and %s do not say which is the test; call them NAME_TRAIN.ts and NAME_TEST.ts", a, b)
	}
}
