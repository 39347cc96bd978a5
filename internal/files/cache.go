package files

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

// uncached is the key of a context whose results are not worth keeping.
type uncached struct{}

// Uncached returns a context for work whose results nobody asks for again, such as what is made of a part of the
// samples to judge a choice: MayCache is false for it.
func Uncached(ctx context.Context) context.Context { return context.WithValue(ctx, uncached{}, true) }

// MayCache reports whether results of work under this context are to be kept.
func MayCache(ctx context.Context) bool { return ctx.Value(uncached{}) == nil }

// CachePath returns the file of a result in the user's cache folder: name, a hash of the key's parts, and the ending.
// The parts together determine the content. Two parts are the same if fmt prints them alike. CachePath returns "" if
// the user has no cache folder.
func CachePath(name, ending string, key ...any) string {
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

// Cached returns what `read` reads at a CachePath. If read fails, Cached returns what `make` makes, and has `write`
// keep it there. unkept says why write failed; the value is good all the same.
func Cached[T any](path string, read func(path string) (T, error), make func() (T, error),
	write func(path string, v T) error) (v T, unkept, err error) {
	if path != "" {
		v, err = read(path)
		if err == nil {
			now := time.Now()
			_ = os.Chtimes(path, now, now) // for BoundCache; if it cannot be, the result may go sooner
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

// BoundCache deletes cached results of a name and an ending, those that were longest unused first, until all have at
// most so many bytes. The newest stays in any case. Another process may delete some at the same time; what cannot be
// deleted stays.
func BoundCache(name, ending string, most int64) {
	found, err := filepath.Glob(filepath.Join(filepath.Dir(CachePath(name, ending)), name+"-*"+ending))
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
	for at, kept := range all {
		sum += kept.Size()
		if sum > most && at > 0 {
			_ = os.Remove(kept.path)
		}
	}
}
