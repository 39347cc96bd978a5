// Package download fetches files from the places where they are published, and unpacks archives.
//
// A file gets its name only when it is whole and its checksum is right. Until then it is NAME.part, from which the next
// attempt goes on, in this process or a later one, if the server still has the same file.
package download

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// File is a file to fetch.
type File struct {
	URL  string
	Path string // where it is put; the folder is made
	Sum  string // its checksum, "sha256:HEX" or "md5:HEX", or Unpublished

	// Temporary says that nobody but this program has a use for the file. Then a failed fetch leaves nothing for a later
	// one to go on from, and its error does not ask people to get the file themselves.
	Temporary bool
}

// Unpublished stands for the checksum of a file whose publisher gives none. It is taken as it comes.
const Unpublished = "unpublished"

// Fetcher fetches files. The zero value is ready for use.
type Fetcher struct {
	Client   *http.Client            // nil for one that gives up on a server that never answers
	Progress func(done, total int64) // bytes; total is negative where it is not known; may be nil
	Pause    time.Duration           // before the second attempt, doubled before each further one; 0 for a second
	Stall    time.Duration           // without a byte, after which an attempt is given up; 0 for a minute
}

// attempts is how often a fetch fails for a passing reason, without a byte arriving in between, before it is given up.
const attempts = 4

// partSuffix is what the name of an unfinished file ends in.
const partSuffix = ".part"

// Fetch puts a file in its place. A file that is there already is only checked. When ctx ends, the error wraps its cause
// and what has arrived is kept.
//
// Errors name the address and say what to do: no network, no such file, another checksum (which deletes what was
// downloaded), a disk that is full (which keeps it), another process that fetches the same file.
func (f Fetcher) Fetch(ctx context.Context, file File) error {
	want, err := parseSum(file.Sum)
	if err != nil {
		return err
	}
	if _, err := os.Stat(file.Path); err == nil {
		return want.checkPresent(file)
	}
	if err := os.MkdirAll(filepath.Dir(file.Path), 0o777); err != nil {
		return err
	}
	part := file.Path + partSuffix
	lock := flock.New(part, flock.SetPermissions(0o666))
	locked, err := lock.TryLock()
	if err != nil {
		return fmt.Errorf("lock %s: %w", part, err)
	}
	if !locked {
		return fmt.Errorf("another process is fetching %s; wait for it", file.Path)
	}
	defer func() {
		if sizeOf(part) == 0 || file.Temporary {
			forget(part)
		}
		_ = lock.Unlock()
	}()
	if err := f.persist(ctx, file.URL, part); err != nil {
		return explain(err, file)
	}
	if err := want.checkFetched(part, file); err != nil {
		if errors.As(err, new(differs)) {
			forget(part)
		}
		return err
	}
	if err := os.Rename(part, file.Path); err != nil {
		return err
	}
	forget(part)
	return nil
}

// JSON fetches a small document and decodes it into v. It returns the address that the document came from, which
// redirects can make another one.
func (f Fetcher) JSON(ctx context.Context, address string, v any) (*url.URL, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, f.stall(), fmt.Errorf("no answer in %v", f.stall()))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := f.client().Do(request)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("ask %s: %w", address, requestError(err))
	}
	defer func() { _ = response.Body.Close() }()
	from := response.Request.URL
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("ask %s: %w", from, statusError(response))
	}
	if err := json.NewDecoder(response.Body).Decode(v); err != nil {
		return nil, fmt.Errorf("the answer of %s: %w", from, err)
	}
	return from, nil
}

// client is what requests go through: defaultClient unless there is another one.
func (f Fetcher) client() *http.Client {
	if f.Client != nil {
		return f.Client
	}
	return defaultClient
}

// stall is how long to wait for the next byte.
func (f Fetcher) stall() time.Duration { return cmp.Or(f.Stall, time.Minute) }

// persist makes attempts until the whole of url is in the file part, pausing longer after each that brought nothing.
func (f Fetcher) persist(ctx context.Context, url, part string) error {
	pause := cmp.Or(f.Pause, time.Second)
	for failures := 0; ; {
		before := sizeOf(part)
		err := f.attempt(ctx, url, part)
		if err == nil || ctx.Err() != nil || !errors.As(err, new(passing)) {
			return err
		}
		if failures++; sizeOf(part) > before {
			failures = 1
		}
		if failures == attempts {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause << (failures - 1)):
		}
	}
}

// sizeOf is the size of a file, 0 if there is none.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
