package recordings

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// readFolders reads a folder with a folder for each class, which holds a CSV or npy file for each recording. Other files, and what begins
// with a dot, are passed over.
func (r *reading) readFolders(folder string) (*set, error) {
	paths, err := recordingsIn(folder)
	if err != nil {
		return nil, err
	}
	s := &set{name: filepath.Base(folder)}
	for i, path := range paths {
		if err := r.tell("reading "+folder, float64(i)/float64(len(paths))); err != nil {
			return nil, err
		}
		read := readRecordingCSV
		if strings.EqualFold(filepath.Ext(path), ".npy") {
			read = readRecordingNPY
		}
		one, err := read(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if i == 0 {
			s.sensors, s.channels = one.sensors, one.channels
		}
		if one.channels != s.channels || !slices.Equal(one.sensors, s.sensors) {
			return nil, fmt.Errorf("%s has %s, but %s has %s; all recordings must have the same, in the same order",
				path, one.describe(), paths[0], s.describe())
		}
		s.samples = append(s.samples, sample{where: path, name: filepath.Base(path), label: filepath.Base(filepath.Dir(path)), values: one.values})
	}
	return s, nil
}

// recordingsIn lists the recordings, class by class.
func recordingsIn(folder string) (paths []string, err error) {
	classes, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, class := range classes {
		inside := filepath.Join(folder, class.Name())
		if info, err := os.Stat(inside); err != nil || !info.IsDir() || strings.HasPrefix(class.Name(), ".") {
			continue // a link to a folder is one
		}
		files, err := os.ReadDir(inside)
		if err != nil {
			return nil, err
		}
		before := len(paths)
		for _, file := range files {
			extension := strings.ToLower(filepath.Ext(file.Name()))
			if !file.IsDir() && !strings.HasPrefix(file.Name(), ".") && (extension == ".csv" || extension == ".npy") {
				paths = append(paths, filepath.Join(inside, file.Name()))
			}
		}
		if ts, _ := tsIn(inside); len(paths) == before && len(ts) > 0 {
			return nil, fmt.Errorf("%s holds .ts files; import that folder, each problem by itself", inside)
		}
		if len(paths) == before {
			return nil, fmt.Errorf("%s holds no .csv or .npy file; put the recordings of class %q there, or remove the folder", inside, class.Name())
		}
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s holds neither .ts files nor folders of .csv or .npy files; make a folder for each class and put its recordings there, or give a .csv with --format long",
			folder)
	}
	return paths, nil
}

// recording is what one file holds: values `[moments, sensors, channels]`, NaN where one is missing.
type recording struct {
	sensors  []string
	channels int
	values   []float64
}

func (r recording) describe() string { return described(r.sensors, r.channels) }
func (s *set) describe() string      { return described(s.sensors, s.channels) }

func described(sensors []string, channels int) string {
	return fmt.Sprintf("%d sensors (%s) of %d channels", len(sensors), few(sensors), channels)
}
