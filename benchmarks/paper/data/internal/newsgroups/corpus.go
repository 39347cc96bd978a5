// Package newsgroups turns the messages of 20 Newsgroups into counts of words on a graph of words. It knows nothing of
// data sets; labels are the numbers of the groups. Messages are Latin-1, one byte a character.
package newsgroups

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/gomlx/compute"
)

// Folders hold the training and the test messages: a folder for each group, a file for each message.
var Folders = [2]string{"20news-bydate-train", "20news-bydate-test"}

// The sizes of the published set, whose messages are split by date, and of its signals.
const (
	TrainMessages = 11_314
	TestMessages  = 7_532
	Groups        = 20
	Words         = 10_000
)

// again ends an error about messages that are missing.
const again = "unpack 20news-bydate.tar.gz again"

// Corpus is what the protocol makes of the messages.
type Corpus struct {
	Folder   string   // the parent of Folders
	Groups   []string // names of the classes, in alphabetical order
	Hash     string   // sha256, in hexadecimal, of the names and contents of all messages
	Warnings []string
	Prepared
}

// Prepared is the part of a Corpus that the user's cache folder keeps.
type Prepared struct {
	Counts *Bags    // training documents first
	Labels []int32  // the group of each document
	Train  int      // number of training documents
	Words  []string // the names of the nodes
	Edges  []affinity.Edge
	Notes  []string // what each step of the protocol left
}

// Options of Load.
type Options struct {
	// Backend opens the backend on which word vectors are learned; it is called only if they are.
	Backend func() (compute.Backend, error)
	// Progress receives the current step and its finished share, 0 to 1.
	Progress func(doing string, done float64)
	// vectors replaces the learning of word vectors in tests.
	vectors map[string][]float32
}

// Find returns the first folder that holds both Folders, "" if there is none.
func Find(dirs []string) string {
	for _, dir := range dirs {
		if isFolder(filepath.Join(dir, Folders[0])) && isFolder(filepath.Join(dir, Folders[1])) {
			return dir
		}
	}
	return ""
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Load reads the messages in the first of the folders that has them, and prepares them. The result is kept in the
// user's cache folder; its key holds the sha256 of all messages and everything else that decides it.
func Load(ctx context.Context, dirs []string, opts Options) (*Corpus, error) {
	return defferrard.load(ctx, dirs, opts)
}

// load reads the messages in the first of some folders that has them, and prepares them unless the user's cache holds
// what was made of the same messages before. Corpus.Warnings tells where they differ from the published set.
func (p protocol) load(ctx context.Context, dirs []string, opts Options) (*Corpus, error) {
	m, err := readMessages(dirs)
	if err != nil {
		return nil, err
	}
	c := &Corpus{Folder: m.folder, Groups: m.groups, Hash: m.hash}
	prepared, unkept, err := files.Cached(files.CachePath("20news", ".gob.gz", prepareVersion, m.hash, p),
		readGob[*Prepared], func() (*Prepared, error) { return p.prepare(ctx, m, opts) }, writeGob[*Prepared])
	if err != nil {
		return nil, err
	}
	c.Prepared = *prepared
	warn := func(format string, args ...any) { c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...)) }
	if unkept != nil {
		warn("the prepared corpus could not be kept for the next start: %v", unkept)
	}
	if len(m.train) != TrainMessages || len(m.test) != TestMessages || len(m.groups) != Groups {
		warn("%d training and %d test messages in %d groups, the published set has %d, %d and %d: results may not compare",
			len(m.train), len(m.test), len(m.groups), TrainMessages, TestMessages, Groups)
	}
	if len(c.Words) < p.words {
		warn("only %d words have a vector, the protocol keeps %d", len(c.Words), p.words)
	}
	return c, nil
}

// messages are those on the disk.
type messages struct {
	folder      string
	groups      []string
	train, test []message // by group, then by file name
	hash        string
}

// message is one file.
type message struct {
	path    string // below the folder, with slashes
	group   int32
	content []byte
}

// readMessages finds, reads and hashes all messages.
func readMessages(dirs []string) (*messages, error) {
	at := slices.IndexFunc(dirs, func(dir string) bool { return isFolder(filepath.Join(dir, Folders[0])) })
	if at < 0 {
		return nil, fmt.Errorf("%w: looked for %s in %s", fs.ErrNotExist, Folders[0], strings.Join(dirs, ", "))
	}
	m := &messages{folder: dirs[at]}
	var groups [2][]string
	var all [2][]message
	for i, split := range Folders {
		if _, err := os.Stat(filepath.Join(m.folder, split)); err != nil {
			return nil, err
		}
		paths, err := fs.Glob(os.DirFS(m.folder), split+"/*/*") // in the order of their names
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			group := path.Base(path.Dir(p))
			if strings.HasPrefix(path.Base(p), ".") || strings.HasPrefix(group, ".") { // such as .DS_Store
				continue
			}
			if n := len(groups[i]); n == 0 || groups[i][n-1] != group {
				groups[i] = append(groups[i], group)
			}
			all[i] = append(all[i], message{path: p, group: int32(len(groups[i]) - 1)})
		}
		if len(all[i]) == 0 {
			return nil, fmt.Errorf("%s holds no folders of newsgroups; %s", filepath.Join(m.folder, split), again)
		}
	}
	for i, split := range Folders {
		for _, name := range groups[i] {
			if !slices.Contains(groups[1-i], name) {
				return nil, fmt.Errorf("%s: group %s has messages in %s but none in %s; %s", m.folder, name, split,
					Folders[1-i], again)
			}
		}
	}
	m.groups, m.train, m.test = groups[0], all[0], all[1]
	return m, m.read()
}

// read reads the contents on all cores and hashes them.
func (m *messages) read() error {
	all := slices.Concat(m.train, m.test)
	hashes := make([][sha256.Size]byte, len(all))
	errs := make([]error, len(all))
	loop.Parallel(len(all), func(i int) {
		all[i].content, errs[i] = os.ReadFile(filepath.Join(m.folder, all[i].path))
		hashes[i] = sha256.Sum256(all[i].content)
	})
	digest := sha256.New()
	for i, message := range all {
		if errs[i] != nil {
			return errs[i]
		}
		fmt.Fprintf(digest, "%s %x\n", message.path, hashes[i])
	}
	m.hash = fmt.Sprintf("%x", digest.Sum(nil))
	m.train, m.test = all[:len(m.train)], all[len(m.train):]
	return nil
}
