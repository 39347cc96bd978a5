// Package cache keeps results that took long to compute in the user's cache folder.
package cache

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// passing is the key of a context whose results are not worth keeping.
type passing struct{}

// Passing returns a context for work whose results nobody asks for again, such as what is made of a part of the samples
// to judge a choice: Kept is false for it.
func Passing(ctx context.Context) context.Context { return context.WithValue(ctx, passing{}, true) }

// Kept reports whether results of work under this context are to be kept.
func Kept(ctx context.Context) bool { return ctx.Value(passing{}) == nil }

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
		v, err = read(path)
		if err == nil {
			now := time.Now()
			_ = os.Chtimes(path, now, now) // for Bound; if it cannot be, the result may go sooner
			return v, nil, nil
		}
	}
	v, err = make()
	if err != nil {
		return v, nil, err
	}
	if path == "" {
		return v, errors.New("the user has no cache directory; set XDG_CACHE_HOME, on Windows LocalAppData"), nil
	}
	unkept = os.MkdirAll(filepath.Dir(path), 0o755)
	if unkept == nil {
		unkept = write(path, v)
	}
	return v, unkept, nil
}

// Bound deletes results of a name and an ending, those that were longest unused first, until all have at most so many
// bytes. The newest stays in any case. Another process may delete some at the same time; what cannot be deleted stays.
func Bound(name, ending string, most int64) {
	found, err := filepath.Glob(filepath.Join(filepath.Dir(Path(name, ending)), name+"-*"+ending))
	if err != nil || len(found) == 0 {
		return
	}
	type result struct {
		path string
		os.FileInfo
	}
	var all []result
	for _, path := range found {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			all = append(all, result{path, info})
		}
	}
	slices.SortFunc(all, func(a, b result) int { return b.ModTime().Compare(a.ModTime()) })
	sum := int64(0)
	for at, one := range all {
		sum += one.Size()
		if sum > most && at > 0 {
			_ = os.Remove(one.path)
		}
	}
}
