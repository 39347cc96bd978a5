package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/download"
	"github.com/spf13/cobra"
)

// newDataGet returns `ccp data get`, which fetches a public data set, or says where to get it.
func newDataGet(s *shared) *cobra.Command {
	var dataDir string
	cmd := command("data get", "")
	cmd.Args = atLeastOne("NAME is needed; ccp data list shows the names")
	cmd.Flags().StringVar(&dataDir, "data-dir", "", "`FOLDER` to put the files in (default: $CCP_DATA, else here)")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		folder := dataFolder(dataDir)
		sets := make([]datasets.Source, len(names))
		for i, name := range names { // all of them, before the first takes its time
			var err error
			sets[i], err = datasets.Named(name)
			if err != nil {
				return err
			}
			if err := s.canFetch(sets[i], folder, trainOn(name, dataDir)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		stopped := untilSignal(cmd, func() {})
		defer stopped()
		for _, set := range sets {
			path := set.Find(folder) // "" for a set that is embedded in the program, and has no files
			fetch := path == "" && len(set.Files) > 0
			if fetch {
				var err error
				path, err = fetchSet(cmd.Context(), newStatusLine(cmd.ErrOrStderr()), set, folder)
				if err != nil {
					return fmt.Errorf("%s: %w", set.Name, err)
				}
			}
			result := map[string]any{"name": set.Name, "path": path, "fetched": fetch, "next": trainOn(set.Name, dataDir)}
			if err := s.print(cmd, result, render("data-get", result)); err != nil {
				return err
			}
		}
		return nil
	}
	return cmd
}

// canFetch returns an error if the files of a set are not there and cannot be fetched: a person has to ask for them, or
// this machine is offline. next is the command that trains on the set.
func (s *shared) canFetch(set datasets.Source, dataDir, next string) error {
	offline := s.offline || backend.Offline()
	switch {
	case set.Find(dataDir) != "":
		return nil
	case set.Ask != "":
		return fmt.Errorf("%s; put it in %s, then: %s", set.Ask, filepath.Join(dataDir, set.Folder), next)
	case len(set.Files) > 0 && offline:
		return errors.New("its files are not there, and --offline or CCP_OFFLINE=1 forbids to fetch them")
	}
	return nil
}

// fetchSet fetches the files of a set, and unpacks an archive, which it then removes. It returns the place where the
// loader finds them.
func fetchSet(ctx context.Context, status *statusLine, set datasets.Source, dataDir string) (string, error) {
	defer status.clear()
	folder := filepath.Join(dataDir, set.Folder)
	if set.Archive { // the archive lies beside the folder that it becomes
		folder = filepath.Dir(folder)
	}
	for i, file := range set.Files {
		path := filepath.Join(folder, file.Name)
		if len(set.Files) > 1 {
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				status.notice(fmt.Sprintf("file %d of %d: %s", i+1, len(set.Files), file.URL))
			}
		} else {
			status.notice("from " + file.URL)
		}
		fetcher := download.Fetcher{Progress: func(done, total int64) { status.download(file.Name, done, total) }}
		if err := fetcher.Fetch(ctx, download.File{URL: file.URL, Path: path, Sum: file.Sum}); err != nil {
			return "", err
		}
		if set.Archive {
			status.notice("unpacking " + path)
			if err := download.Unpack(ctx, path, filepath.Join(dataDir, set.Folder)); err != nil {
				return "", err
			}
			if err := os.Remove(path); err != nil {
				return "", err
			}
		}
	}
	found := set.Find(dataDir)
	if found == "" {
		return "", fmt.Errorf("what was fetched to %s is not what the loader looks for; remove it and try again",
			filepath.Join(dataDir, set.Folder))
	}
	return found, nil
}
