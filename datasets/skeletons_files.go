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
	place string // the folder or the zip file
	files fs.FS
	list  []skeleton.File // sorted by name
	close func()
}

// find looks for recordings in the folders, then for the archive in the same places.
func (s *skeletons) find(dirs []string) (*foundSkeletons, error) {
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		found := &foundSkeletons{place: dir, files: os.DirFS(dir), close: func() {}}
		for _, entry := range entries {
			if entry.IsDir() || s.numbers(entry.Name()) == nil {
				continue
			}
			info, err := os.Stat(filepath.Join(dir, entry.Name())) // a link counts as what it points to
			if err != nil {
				return nil, err
			}
			found.list = append(found.list, skeleton.File{Path: entry.Name(), Size: info.Size(), Modified: info.ModTime()})
		}
		if found.list != nil {
			return found, nil
		}
	}
	if archive := findFile(dirs, s.archive); archive != "" {
		return s.unzip(archive)
	}
	return nil, s.missing(dirs, "recordings such as "+s.example, s.archive)
}

// unzip lists the recordings in all folders of an archive.
func (s *skeletons) unzip(archive string) (*foundSkeletons, error) {
	reader, err := zip.OpenReader(archive)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; get the archive again", archive, err)
	}
	found := &foundSkeletons{place: archive, files: reader, close: func() { reader.Close() }}
	for _, entry := range reader.File {
		if s.numbers(path.Base(entry.Name)) != nil {
			size := int64(min(entry.UncompressedSize64, 1<<62))
			found.list = append(found.list, skeleton.File{Path: entry.Name, Size: size, Modified: entry.Modified})
		}
	}
	slices.SortStableFunc(found.list, func(a, b skeleton.File) int { return strings.Compare(a.Name(), b.Name()) })
	found.list = slices.CompactFunc(found.list, func(a, b skeleton.File) bool { return a.Name() == b.Name() })
	if len(found.list) == 0 {
		reader.Close()
		return nil, fmt.Errorf("%s holds no recordings such as %s; get the archive again", archive, s.example)
	}
	return found, nil
}

// numbers are the numbers in the name of a recording's file; nil if it is not named as one.
func (s *skeletons) numbers(file string) []int {
	stem, ok := strings.CutSuffix(file, filepath.Ext(s.example))
	groups := s.name.FindStringSubmatch(stem)
	if !ok || groups == nil || groups[0] != stem {
		return nil
	}
	var numbers []int
	for _, digits := range groups[1:] {
		number, _ := strconv.Atoi(digits) // at most three digits, by the pattern
		numbers = append(numbers, number)
	}
	return numbers
}

// cachePath is the file that keeps the signals of the recordings in this place; signals of changed recordings replace it. It
// is "" where the user has no cache directory.
func (f *foundSkeletons) cachePath(name string) string {
	place, err := filepath.Abs(f.place)
	if err != nil {
		return ""
	}
	return cache.Path(name, ".skeletons", place)
}

// choose leaves out the recordings of other sets and those that a list in the folders names as missing.
func (s *skeletons) choose(found *foundSkeletons, dirs []string) (files []skeleton.File, takes []recorded, notes []string, err error) {
	listed, notes, err := s.listed(dirs)
	if err != nil {
		return nil, nil, nil, err
	}
	var others, left int
	for _, file := range found.list {
		take, ok := s.describe(s.numbers(file.Name()))
		switch {
		case !ok:
			others++
		case listed[strings.TrimSuffix(file.Name(), path.Ext(file.Name()))]:
			left++
		default:
			files, takes = append(files, file), append(takes, take)
		}
	}
	if len(files) == 0 {
		return nil, nil, nil, fmt.Errorf("none of the %d recordings in %s can be used: %d are listed as missing, %d are of another set",
			len(found.list), found.place, left, others)
	}
	if left+others > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d recordings left out: %d listed as missing, %d of another set",
			left+others, len(found.list), left, others))
	}
	return files, takes, notes, nil
}

// listed reads the lists of recordings to leave out: every name of a recording in any .txt file whose name contains
// "missing".
func (s *skeletons) listed(dirs []string) (names map[string]bool, notes []string, err error) {
	names = map[string]bool{}
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir) // the recordings lie in one of the folders; the others need not be there
		for _, entry := range entries {
			lower := strings.ToLower(entry.Name())
			if entry.IsDir() || !strings.Contains(lower, "missing") || filepath.Ext(lower) != ".txt" {
				continue
			}
			list := filepath.Join(dir, entry.Name())
			content, err := os.ReadFile(list)
			if err != nil {
				return nil, nil, err
			}
			found := s.name.FindAllString(string(content), -1)
			for _, name := range found {
				names[name] = true
			}
			notes = append(notes, fmt.Sprintf("%s lists %d recordings as missing", list, len(found)))
		}
	}
	return names, notes, nil
}
