package datasets

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// newsgroupsFolders hold the training and the test messages: a folder for each group, a file for each message.
var newsgroupsFolders = [2]string{"20news-bydate-train", "20news-bydate-test"}

// corpus is the messages on the disk.
type corpus struct {
	folder      string    // the parent of newsgroupsFolders
	groups      []string  // names of the classes, in alphabetical order
	train, test []message // by group, then by file name
	hash        string    // sha256, in hexadecimal, of the names and contents of all messages
}

// message is one file.
type message struct {
	path    string // below the folder
	group   int32
	content []byte
}

// findNewsgroups is the first folder that holds both of newsgroupsFolders.
func findNewsgroups(dirs []string) string {
	for _, dir := range dirs {
		if isFolder(filepath.Join(dir, newsgroupsFolders[0])) && isFolder(filepath.Join(dir, newsgroupsFolders[1])) {
			return dir
		}
	}
	return ""
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// readCorpus finds, reads and hashes all messages.
func readCorpus(info Info, dataDir string) (*corpus, error) {
	dirs := info.dirs(dataDir)
	at := slices.IndexFunc(dirs, func(dir string) bool { return isFolder(filepath.Join(dir, newsgroupsFolders[0])) })
	if at < 0 {
		return nil, info.missing(dirs, newsgroupsFolders[0])
	}
	c := &corpus{folder: dirs[at]}
	var groups [2][]string
	var messages [2][]message
	for i, split := range newsgroupsFolders {
		var err error
		if groups[i], messages[i], err = listMessages(c.folder, split); err != nil {
			return nil, err
		}
	}
	for i, split := range newsgroupsFolders {
		for _, name := range groups[i] {
			if !slices.Contains(groups[1-i], name) {
				return nil, fmt.Errorf("%s: group %s is in %s but not in %s; unpack 20news-bydate.tar.gz again",
					c.folder, name, split, newsgroupsFolders[1-i])
			}
		}
	}
	c.groups, c.train, c.test = groups[0], messages[0], messages[1]
	return c, c.read()
}

// listMessages lists the groups of a split and its messages, yet to be read, in alphabetical order.
func listMessages(folder, split string) (groups []string, messages []message, err error) {
	entries, err := visible(filepath.Join(folder, split))
	if err != nil {
		return nil, nil, err
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		group := filepath.Join(split, entry.Name())
		files, err := visible(filepath.Join(folder, group))
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("%s holds no messages; unpack 20news-bydate.tar.gz again", filepath.Join(folder, group))
		}
		if err != nil {
			return nil, nil, err
		}
		for _, file := range files {
			messages = append(messages, message{path: filepath.Join(group, file.Name()), group: int32(len(groups))})
		}
		groups = append(groups, entry.Name())
	}
	if len(groups) == 0 {
		return nil, nil, fmt.Errorf("%s holds no folders of newsgroups; unpack 20news-bydate.tar.gz again",
			filepath.Join(folder, split))
	}
	return groups, messages, nil
}

// visible lists a folder in alphabetical order without hidden files, such as .DS_Store.
func visible(dir string) ([]os.DirEntry, error) {
	entries, err := os.ReadDir(dir)
	return slices.DeleteFunc(entries, func(entry os.DirEntry) bool { return strings.HasPrefix(entry.Name(), ".") }), err
}

// read reads the contents on all cores and hashes them.
func (c *corpus) read() error {
	all := slices.Concat(c.train, c.test)
	hashes := make([][sha256.Size]byte, len(all))
	errs := make([]error, len(all))
	parallel(len(all), func(i int) {
		all[i].content, errs[i] = os.ReadFile(filepath.Join(c.folder, all[i].path))
		hashes[i] = sha256.Sum256(all[i].content)
	})
	digest := sha256.New()
	for i, message := range all {
		if errs[i] != nil {
			return errs[i]
		}
		fmt.Fprintf(digest, "%s %x\n", filepath.ToSlash(message.path), hashes[i])
	}
	c.hash = fmt.Sprintf("%x", digest.Sum(nil))
	c.train, c.test = all[:len(c.train)], all[len(c.train):]
	return nil
}

// parallel calls do for 0 to n-1, in any order, on all cores.
func parallel(n int, do func(i int)) {
	var workers sync.WaitGroup
	count := runtime.GOMAXPROCS(0)
	for worker := range count {
		workers.Go(func() {
			for i := worker; i < n; i += count {
				do(i)
			}
		})
	}
	workers.Wait()
}
