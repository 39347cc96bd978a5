// Package cache keeps results that took long to compute in the user's cache folder.
package cache

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Path is the file of a cached result: name, a hash of its key's parts, and the ending. The parts together determine the
// content; parts that fmt prints alike are the same. Path is "" if the user has no cache folder.
func Path(name, ending string, key ...any) string {
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	hash := sha256.New()
	for _, part := range key {
		fmt.Fprintf(hash, "%+v\n", part)
	}
	return filepath.Join(base, "ccp", fmt.Sprintf("%s-%x%s", name, hash.Sum(nil)[:12], ending))
}

// Get returns what `read` finds at a Path. If that fails, Get returns what `make` makes, and `write` keeps it there, completely
// or not at all. unkept says why that failed; the value is good all the same.
func Get[T any](path string, read func(path string) (T, error), make func() (T, error), write func(path string, v T) error) (v T, unkept, err error) {
	if path != "" {
		if v, err = read(path); err == nil {
			return v, nil, nil
		}
	}
	if v, err = make(); err != nil {
		return v, nil, err
	}
	if path == "" {
		return v, errors.New("the user has no cache directory; set HOME or XDG_CACHE_HOME"), nil
	}
	if unkept = os.MkdirAll(filepath.Dir(path), 0o755); unkept == nil {
		unkept = write(path, v)
	}
	return v, unkept, nil
}
