package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models/study"
)

// dataSet is a data set with a short name that no other one has.
type dataSet struct {
	data string // its name, or the absolute path of a file
	name string
}

// dataSets lists data sets that are given by name, by file or by folder of .npz files, each once.
func dataSets(given []string) (sets []dataSet, err error) {
	var all []string
	for _, name := range given {
		files, err := inFolder(name)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			data, err := knownData(file)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(all, data) {
				all = append(all, data)
			}
		}
	}
	if all == nil {
		return nil, errors.New("name at least one data set")
	}
	count := map[string]int{}
	for _, data := range all {
		count[study.DataName(data)]++
	}
	for _, data := range all {
		set := dataSet{data, study.DataName(data)}
		if count[set.name] > 1 { // files of one name in different folders
			set.name = strings.TrimSuffix(data, filepath.Ext(data))
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// knownData returns the name of a data set, or the absolute path of an .npz file; "" stays. If there is no such data
// set or file, it returns an error, before a study begins.
func knownData(data string) (string, error) {
	if datasets.IsFile(data) {
		if _, err := os.Stat(data); err != nil {
			return "", err
		}
	} else if _, err := datasets.Named(data); data != "" && err != nil {
		return "", fmt.Errorf("%w; or give the path of an .npz file", err)
	}
	return absolute(data)
}

// inFolder lists the .npz files of a folder. If name is no folder, it lists name itself.
func inFolder(name string) (files []string, err error) {
	entries, err := os.ReadDir(name)
	if _, unknown := datasets.Named(name); unknown == nil || err != nil {
		return []string{name}, nil
	}
	for _, entry := range entries {
		if !entry.IsDir() && datasets.IsFile(entry.Name()) {
			files = append(files, filepath.Join(name, entry.Name()))
		}
	}
	if files == nil {
		return nil, fmt.Errorf("the folder %s has no .npz file; ccp data import makes one of recordings", name)
	}
	return files, nil
}

// dataAbout names data sets together: by the name or folder if only one was given, else by the first.
func dataAbout(given []string, sets []dataSet) string {
	if path, err := filepath.Abs(given[0]); err == nil && len(given) == 1 {
		return study.DataName(path)
	}
	if len(sets) == 1 {
		return sets[0].name
	}
	return fmt.Sprintf("%s and %d more", study.DataName(sets[0].data), len(sets)-1)
}
