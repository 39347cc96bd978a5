// Package cache keeps results that took long to compute in the user's cache folder.
package cache

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Path returns the file of a cached result: name, a hash of the key's parts, and the ending. The parts together
// determine the content. Two parts are the same if fmt prints them alike. Path is "" if the user has no cache folder.
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

// Get returns what `read` reads at a Path. If read fails, Get returns what `make` makes, and has `write` keep it
// there. unkept says why write failed; the value is good all the same.
func Get[T any](path string, read func(path string) (T, error), make func() (T, error),
	write func(path string, v T) error) (v T, unkept, err error) {
	if path != "" {
		if v, err = read(path); err == nil {
			return v, nil, nil
		}
	}
	if v, err = make(); err != nil {
		return v, nil, err
	}
	if path == "" {
		return v, errors.New("the user has no cache directory; set XDG_CACHE_HOME, on Windows LocalAppData"), nil
	}
	if unkept = os.MkdirAll(filepath.Dir(path), 0o755); unkept == nil {
		unkept = write(path, v)
	}
	return v, unkept, nil
}
