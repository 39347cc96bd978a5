package datasets

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/datasets/skeleton"
	"github.com/clusterpool/ccp/internal/cache"
)

// foundSkeletons are the recordings in a folder, or in a zip file.
type foundSkeletons struct {
	place string   // the folder or the zip file
	dirs  []string // where lists of missing recordings may lie
	files fs.FS
	list  []skeleton.File // sorted by name
	close func()
}

// find looks for recordings in the folders of the source below the data folder, in that folder itself, then for archives in
// the same places.
func (s *skeletons) find(dataDir string) (*foundSkeletons, error) {
	dirs := folders(dataDir, s.folders...)
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil && !os.IsNotExist(err) {
			return nil, fmt.Errorf("%s: %w", s.info.Name, err)
		}
		var list []skeleton.File
		for _, entry := range entries {
			if !s.matches(entry.Name()) || entry.IsDir() {
				continue
			}
			info, err := os.Stat(filepath.Join(dir, entry.Name())) // a link counts as what it points to
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.info.Name, err)
			}
			list = append(list, skeleton.File{Path: entry.Name(), Size: info.Size(), Modified: info.ModTime()})
		}
		if len(list) > 0 {
			return &foundSkeletons{place: dir, dirs: dirs, files: os.DirFS(dir), list: list, close: func() {}}, nil
		}
	}
	archive := findFile(dirs, s.archives)
	if archive == "" {
		return nil, missing(s.info.Name, append([]string{"recordings such as " + s.example}, s.archives...), dirs, s.get)
	}
	return s.unzip(archive, dirs)
}

// unzip lists the recordings of an archive, in whatever folder they are in it.
func (s *skeletons) unzip(archive string, dirs []string) (*foundSkeletons, error) {
	reader, err := zip.OpenReader(archive)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w; get the archive again", s.info.Name, archive, err)
	}
	found := &foundSkeletons{place: archive, dirs: dirs, files: reader, close: func() { reader.Close() }}
	for _, entry := range reader.File {
		if s.matches(path.Base(entry.Name)) {
			size := int64(min(entry.UncompressedSize64, 1<<62))
			found.list = append(found.list, skeleton.File{Path: entry.Name, Size: size, Modified: entry.Modified})
		}
	}
	slices.SortStableFunc(found.list, func(a, b skeleton.File) int { return strings.Compare(a.Name(), b.Name()) })
	found.list = slices.CompactFunc(found.list, func(a, b skeleton.File) bool { return a.Name() == b.Name() })
	if len(found.list) == 0 {
		reader.Close()
		return nil, fmt.Errorf("%s: %s holds no recordings such as %s; get the archive again", s.info.Name, archive, s.example)
	}
	return found, nil
}

// matches says that a file is named as a recording.
func (s *skeletons) matches(file string) bool {
	stem, ok := strings.CutSuffix(file, s.extension)
	return ok && s.name.FindString(stem) == stem
}

// numbers are the numbers of a recording's name.
func (s *skeletons) numbers(name string) []int {
	var numbers []int
	for _, digits := range s.name.FindStringSubmatch(name)[1:] {
		number, _ := strconv.Atoi(digits) // at most three digits, by the pattern
		numbers = append(numbers, number)
	}
	return numbers
}

// cachePath is where the signals of the recordings of this place are kept: one file for a place, so that what is made from
// changed recordings takes the room of what was made before. It is "" where the user has no cache directory.
func (f *foundSkeletons) cachePath(name string) string {
	place, err := filepath.Abs(f.place)
	if err != nil {
		return ""
	}
	return cache.Path(name, ".skeletons", place)
}

// choose takes the recordings that belong to the set: not those of another one, nor those that a list says are missing.
func (s *skeletons) choose(found *foundSkeletons) (files []skeleton.File, takes []recorded, notes []string, err error) {
	listed, notes, err := s.listed(found.dirs)
	if err != nil {
		return nil, nil, nil, err
	}
	var others, left int
	for _, file := range found.list {
		take, ok := s.describe(s.numbers(file.Name()))
		switch {
		case !ok:
			others++
		case listed[strings.TrimSuffix(file.Name(), s.extension)]:
			left++
		default:
			files, takes = append(files, file), append(takes, take)
		}
	}
	if left+others > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d recordings left out: %d listed as missing, %d of another set",
			left+others, len(found.list), left, others))
	}
	if len(files) == 0 {
		return nil, nil, nil, fmt.Errorf("%s: none of the %d recordings in %s can be used: %d are listed as missing, %d are of another set",
			s.info.Name, len(found.list), found.place, left, others)
	}
	return files, takes, notes, nil
}

// listed reads the lists of recordings to leave out, every .txt file whose name holds "missing": all names of recordings in
// it, whatever stands around them.
func (s *skeletons) listed(dirs []string) (names map[string]bool, notes []string, err error) {
	names = map[string]bool{}
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir) // the recordings lie in one of the folders; the others need not be there
		for _, entry := range entries {
			lower := strings.ToLower(entry.Name())
			if entry.IsDir() || !strings.Contains(lower, "missing") || filepath.Ext(lower) != ".txt" {
				continue
			}
			content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", s.info.Name, err)
			}
			found := s.name.FindAllString(string(content), -1)
			for _, name := range found {
				names[name] = true
			}
			notes = append(notes, fmt.Sprintf("%s lists %d recordings as missing", filepath.Join(dir, entry.Name()), len(found)))
		}
	}
	return names, notes, nil
}
