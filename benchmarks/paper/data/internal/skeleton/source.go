// Package skeleton turns recordings of moving people into signals on one fixed graph.
//
// A [Source] is a published set of recordings: it finds the files and reads them. A [Layout] is the table of a sensor's
// joints. [ParseNTU] and [ParseNWUCLA] read a file into a [Recording]. A [Preparation] picks the actors, looks at them
// from the body of the main actor, and resamples them to a fixed number of frames. A [Collection] does that to many
// files on all cores, and its [Signals] can be kept in a file.
package skeleton

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/internal/files"
)

// Source is a published set of recordings, one in each file, whose name says who does what before which camera.
type Source struct {
	Name    string // of the set
	Archive string // a zip file that may hold the recordings
	Example string // the name of a recording's file
	Classes []string
	Splits  []Split // the first is the usual one
	Crop    float64 // the least share of the frames that augmentation keeps; 1 for all
	Mirror  bool    // augmentation may swap left and right
	Preparation

	pattern *regexp.Regexp                   // of a file's name, with its numbers in groups
	take    func(numbers []int) (Take, bool) // what the numbers mean; false for recordings of another set
	parse   func(name string, content []byte) (*Recording, error)
}

// Take is what a file's name says.
type Take struct {
	Class         int32
	Subject, View int
}

// Split is a protocol.
type Split struct {
	Name        string
	IsTest      func(Take) bool
	Train, Test int     // the published numbers of recordings
	Turn        float64 // the largest angle by which augmentation rotates about each axis, in radians
}

// CrossSubject and CrossView are the names of the two protocols.
const (
	CrossSubject = "cross-subject"
	CrossView    = "cross-view"
)

// Recordings are the prepared recordings of a Source.
type Recordings struct {
	*Signals
	Place    string // the folder or the zip file that holds them
	Files    []File // one for each sample
	Takes    []Take // one for each sample
	Notes    []string
	Warnings []string
}

// folder holds the recordings of a folder or of a zip file.
type folder struct {
	place string
	files fs.FS
	list  []File // sorted by name
	close func()
}

// Find returns the folder or the archive that holds the recordings, "" if there is none.
func (s *Source) Find(dirs []string) string {
	found, err := s.find(dirs)
	if err != nil {
		return ""
	}
	found.close()
	return found.place
}

// Load finds the files in the folders and prepares their signals. It keeps the signals in the user's cache folder, for
// the next start.
func (s *Source) Load(ctx context.Context, dirs []string,
	report func(doing string, done float64)) (*Recordings, error) {
	found, err := s.find(dirs)
	if err != nil {
		return nil, err
	}
	defer found.close()
	r := &Recordings{Place: found.place}
	if err := s.choose(r, found, dirs); err != nil {
		return nil, err
	}
	collection := &Collection{FS: found.files, Files: r.Files, Parse: s.parse, Preparation: s.Preparation}
	key, doing := collection.Key(), fmt.Sprintf("reading %d recordings", len(r.Files))
	cached := ""
	if place, err := filepath.Abs(found.place); err == nil {
		cached = files.CachePath(s.Name, ".skeletons", place) // signals of changed recordings replace those of the same place
	}
	signals, unkept, err := files.Cached(cached,
		func(path string) (*Signals, error) { return ReadCache(path, key, len(r.Files)) },
		func() (*Signals, error) {
			return collection.Prepare(ctx, func(done float64) { report(doing, done) })
		},
		func(path string, signals *Signals) error { return signals.WriteCache(path, key) })
	if unkept != nil {
		r.Warnings = append(r.Warnings,
			fmt.Sprintf("the prepared signals cannot be kept, so that every start reads all recordings: %v", unkept))
	}
	r.Signals = signals
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%s: %w; get these files again, or list their names in a .txt file there whose name holds "+
			"\"missing\"", found.place, err)
	}
	return r, err
}

// find looks for recordings in the folders, then for the archive in the same folders.
func (s *Source) find(dirs []string) (*folder, error) {
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		found := &folder{place: dir, files: os.DirFS(dir), close: func() {}}
		for _, entry := range entries {
			if entry.IsDir() || s.numbers(entry.Name()) == nil {
				continue
			}
			info, err := os.Stat(filepath.Join(dir, entry.Name())) // a link counts as what it points to
			if err != nil {
				return nil, err
			}
			found.list = append(found.list, File{Path: entry.Name(), Size: info.Size(), Modified: info.ModTime()})
		}
		if found.list != nil {
			return found, nil
		}
	}
	for _, dir := range dirs {
		if found, err := s.unzip(filepath.Join(dir, s.Archive)); !errors.Is(err, fs.ErrNotExist) {
			return found, err
		}
	}
	return nil, fmt.Errorf("%w: looked for recordings such as %s or %s in %s", fs.ErrNotExist, s.Example, s.Archive,
		strings.Join(dirs, ", "))
}

// unzip lists the recordings in all folders of an archive.
func (s *Source) unzip(archive string) (*folder, error) {
	reader, err := zip.OpenReader(archive)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; get the archive again", archive, err)
	}
	found := &folder{place: archive, files: reader, close: func() { reader.Close() }}
	for _, entry := range reader.File {
		if s.numbers(path.Base(entry.Name)) != nil {
			size := int64(min(entry.UncompressedSize64, 1<<62))
			found.list = append(found.list, File{Path: entry.Name, Size: size, Modified: entry.Modified})
		}
	}
	slices.SortStableFunc(found.list, func(a, b File) int { return strings.Compare(a.Name(), b.Name()) })
	found.list = slices.CompactFunc(found.list, func(a, b File) bool { return a.Name() == b.Name() })
	if len(found.list) == 0 {
		reader.Close()
		return nil, fmt.Errorf("%s holds no recordings such as %s; get the archive again", archive, s.Example)
	}
	return found, nil
}

// numbers returns the numbers in the name of a recording's file; nil if it is not named as one.
func (s *Source) numbers(file string) []int {
	stem, ok := strings.CutSuffix(file, filepath.Ext(s.Example))
	groups := s.pattern.FindStringSubmatch(stem)
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

// choose leaves out the recordings of other sets, and the recordings that a list in the folders names as missing.
func (s *Source) choose(r *Recordings, found *folder, dirs []string) error {
	listed, err := s.listed(r, dirs)
	if err != nil {
		return err
	}
	var others, left int
	for _, file := range found.list {
		take, ours := s.take(s.numbers(file.Name()))
		switch {
		case !ours:
			others++
		case listed[strings.TrimSuffix(file.Name(), path.Ext(file.Name()))]:
			left++
		default:
			r.Files, r.Takes = append(r.Files, file), append(r.Takes, take)
		}
	}
	if len(r.Files) == 0 {
		return fmt.Errorf("none of the %d recordings in %s can be used: %d are listed as missing, %d are of another set",
			len(found.list), found.place, left, others)
	}
	if left+others > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d of %d recordings left out: %d listed as missing, %d of another set",
			left+others, len(found.list), left, others))
	}
	return nil
}

// listed reads the lists of recordings to leave out: every name of a recording in any .txt file whose name contains
// "missing".
func (s *Source) listed(r *Recordings, dirs []string) (map[string]bool, error) {
	names := map[string]bool{}
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
				return nil, err
			}
			found := s.pattern.FindAllString(string(content), -1)
			for _, name := range found {
				names[name] = true
			}
			r.Notes = append(r.Notes, fmt.Sprintf("%s lists %d recordings as missing", list, len(found)))
		}
	}
	return names, nil
}
