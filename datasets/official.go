package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Official says where a data set is published, and how its files must lie for [Load] to find them.
type Official struct {
	// Name is the source's name.
	Name string
	// Files are what to fetch; none where nothing can or need be.
	Files []OfficialFile
	// Folder, below the data folder, is where the files belong, or what the one archive is unpacked into.
	Folder string
	// Unpacked bounds the size of what the one file, an archive, unpacks to, in bytes; 0 if the files are used as they are.
	Unpacked int64
	// Ask says why the files cannot be fetched, and where to ask for them; "" where they can, or none are needed.
	Ask string

	find func(dataDir string) string
}

// OfficialFile is a file at its official place.
type OfficialFile struct {
	URL  string
	Name string
	Sum  string // "sha256:HEX", or "md5:HEX" where that is what the publisher states
}

// officials is the table of places. The sums of CIFAR-10 and 20 Newsgroups are of the archives in general use, those of
// MNIST and Fashion-MNIST the published ones.
var officials = []Official{
	{Name: "digits"},
	{
		Name: "cifar10", Folder: "cifar10", Unpacked: 200_000_000, find: findCIFAR,
		Files: []OfficialFile{{"https://www.cs.toronto.edu/~kriz/" + cifarArchive, cifarArchive, "sha256:" + cifarArchiveHash}},
	},
	{
		Name: "mnist", Folder: "mnist", find: func(dataDir string) string { return findMNIST(filepath.Join(dataDir, "mnist")) },
		Files: idxFilesAt("https://ossci-datasets.s3.amazonaws.com/mnist/", "f68b3c2dcbeaaa9fbdd348bbdeb94873",
			"d53e105ee54ea40749a09fcbcd1e9432", "9fb629c4189551a2d022fa330f9573f3", "ec29112dd5afa0611ce80d1b7f02629c"),
	},
	{
		Name: "fashion-mnist", Folder: "fashion-mnist",
		find: func(dataDir string) string { return findMNIST(filepath.Join(dataDir, "fashion-mnist")) },
		Files: idxFilesAt("http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/", "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
			"25c81989df183df01b3e8a0aad5dffbe", "bef4ecab320f06d8554ea6380940ec79", "bb300cfdad3c16e7a12a480ee83cd310"),
	},
	{
		Name: "20news", Folder: "20news", Unpacked: 100_000_000, find: findNewsgroups,
		Files: []OfficialFile{{"http://qwone.com/~jason/20Newsgroups/20news-bydate.tar.gz", "20news-bydate.tar.gz",
			"sha256:8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610"}},
	},
	{Name: "ntu", Folder: "ntu", find: ntuFiles.place, Ask: "NTU RGB+D is given only to those who agree to its terms: ask for " +
		ntuArchive + " at https://rose1.ntu.edu.sg/dataset/actionRecognition/"},
	{Name: "nw-ucla", Folder: "nw-ucla", find: nwuclaFiles.place, Ask: "NW-UCLA is given out by its authors: get its skeletons, by " +
		"way of https://wangjiangb.github.io/my_data.html, as JSON (" + nwuclaArchive + ")"},
}

// idxFilesAt are the four files of MNIST and its like below an address, with their md5.
func idxFilesAt(base string, md5s ...string) []OfficialFile {
	var files []OfficialFile
	for i, name := range []string{"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz",
		"t10k-labels-idx1-ubyte.gz"} {
		files = append(files, OfficialFile{base + name, name, "md5:" + md5s[i]})
	}
	return files
}

// OfficialPlace looks a source up. It is an error, which lists the sources, if there is none of that name.
func OfficialPlace(name string) (Official, error) {
	var names []string
	for _, o := range officials {
		if o.Name == name {
			return o, nil
		}
		names = append(names, o.Name)
	}
	if strings.HasSuffix(strings.ToLower(name), npzExtension) {
		return Official{}, fmt.Errorf("%s: an .npz file is your own, there is no place to get it from", name)
	}
	return Official{}, fmt.Errorf("data set %q is not known; there are %s", name, strings.Join(names, ", "))
}

// Find is where Load would find the files in a data folder, "" where some are missing. For MNIST and Fashion-MNIST it
// looks in their own folders only: elsewhere the names do not tell which of the two it is.
func (o Official) Find(dataDir string) string {
	if o.find == nil {
		return ""
	}
	return o.find(dataDir)
}

// place is where recordings are found, "" if there are none.
func (s *skeletons) place(dataDir string) string {
	found, err := s.find(dataDir)
	if err != nil {
		return ""
	}
	defer found.close()
	return found.place
}

func findCIFAR(dataDir string) string {
	dirs := cifarDirs(dataDir)
	if first := findFile(dirs, cifarFiles[:1]); first != "" {
		return filepath.Dir(first)
	}
	return findFile(dirs, []string{cifarArchive})
}

// findMNIST is dir if it has all four files, each in any of its spellings.
func findMNIST(dir string) string {
	for _, stem := range []string{"train-images", "train-labels", "t10k-images", "t10k-labels"} {
		if findFile([]string{dir}, idxNames(stem)) == "" {
			return ""
		}
	}
	return dir
}

func findNewsgroups(dataDir string) string {
	for _, dir := range folders(dataDir, newsgroupsInfo.Name) {
		missing := slices.ContainsFunc(newsgroupsFolders[:], func(name string) bool {
			info, err := os.Stat(filepath.Join(dir, name))
			return err != nil || !info.IsDir()
		})
		if !missing {
			return dir
		}
	}
	return ""
}

// withGet adds to the error about a source's missing files the command that fetches them.
func withGet(name, dataDir string, err error) error {
	o, unknown := OfficialPlace(name)
	if err == nil || unknown != nil || !errors.Is(err, fs.ErrNotExist) || o.Find(dataDir) != "" {
		return err
	}
	if len(o.Files) == 0 {
		return err
	}
	command := "ccp data get " + name
	if dataDir != "" {
		command += " --data-dir " + dataDir
	}
	return fmt.Errorf("%w; or have it fetched: %s", err, command)
}
