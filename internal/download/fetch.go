// Package download fetches published files and unpacks archives.
//
// A file gets its name only when it is complete and its checksum is right. Until then it is NAME.part, which the next
// attempt continues, in this process or a later one.
package download

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	Path string // where the file goes; its folder is created
	Sum  string // its checksum, "sha256:HEX" or "md5:HEX", or Unpublished

	// Temporary says that only this program uses the file. A failed fetch then leaves nothing behind, and its error does not
	// ask people to get the file themselves.
	Temporary bool
}

// Unpublished stands for the checksum of a file whose publisher gives none. Such a file is accepted as it comes, in one answer:
// nothing could tell whether the parts of two answers belong together.
const Unpublished = "unpublished"

// Fetcher fetches files. The zero value is ready for use.
type Fetcher struct {
	Client   *http.Client            // nil for one that gives up on a server that never answers
	Progress func(done, total int64) // bytes; total is negative where it is unknown; may be nil
	Pause    time.Duration           // before the second attempt, doubled before each further one; 0 for a second
	Stall    time.Duration           // an attempt ends after this time without a byte; 0 for a minute
}

// attempts is the number of passing failures in a row, without a new byte in between, after which a fetch gives up.
const attempts = 4

// partSuffix is what the name of an unfinished file ends in.
const partSuffix = ".part"

// defaultClient gives up on a server that accepts a connection and never answers.
var defaultClient = func() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = time.Minute
	return &http.Client{Transport: transport}
}()

// Fetch puts a file in its place. If the file exists, Fetch only checks it. When ctx ends, the error wraps its cause, and what
// has arrived is kept.
//
// Errors name the address and say what to do: no network, no such file, another checksum (which deletes the download), a full
// disk (which keeps it), another process that fetches the same file.
func (f Fetcher) Fetch(ctx context.Context, file File) error {
	kind, want, err := parseSum(file.Sum)
	if err != nil {
		return err
	}
	if _, err := os.Stat(file.Path); err == nil {
		found, err := checksum(file.Path, kind)
		if err == nil && found != want {
			err = fmt.Errorf("%s is there, but its %s is %s, that of the published file %s; move it away to have it fetched again",
				file.Path, kind, found, want)
		}
		return err
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
			_ = os.Remove(part)
		}
		_ = lock.Unlock()
	}()
	if err := f.persist(ctx, file, part); err != nil {
		return explain(ctx, err, file)
	}
	return os.Rename(part, file.Path)
}

// persist makes attempts until the part is the published file. It pauses longer after each attempt that brought nothing.
func (f Fetcher) persist(ctx context.Context, file File, part string) error {
	kind, want, _ := parseSum(file.Sum) // Fetch has checked it
	pause, most := cmp.Or(f.Pause, time.Second), sizeOf(part)
	for failures := 0; ; {
		have := sizeOf(part)
		if file.Sum == Unpublished {
			have = 0
		}
		start, err := f.attempt(ctx, file.URL, part, have)
		if err == nil {
			found, err := checksum(part, kind)
			if err != nil || found == want {
				return err
			}
			wrong := fmt.Errorf("what came (%d bytes) has %s %s, the published file %s, and was deleted; try again: if it stays so, "+
				"the file has changed, or something on the way changes it", sizeOf(part), kind, found, want)
			if err := os.Truncate(part, 0); err != nil || start == 0 {
				return cmp.Or(err, wrong)
			}
			continue // The part was of another version of the file: once more, from the start.
		}
		if ctx.Err() != nil || !isPassing(err) {
			return err
		}
		failures++
		if size := sizeOf(part); size > most {
			failures, most = 1, size
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

// attempt requests url from byte `have` on and appends the answer to the part. start is the byte at which the answer began.
func (f Fetcher) attempt(ctx context.Context, url, part string, have int64) (start int64, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := f.stall()
	watch := time.AfterFunc(stall, func() { cancel(fmt.Errorf("nothing came for %v", stall)) })
	defer watch.Stop()
	response, err := f.get(ctx, url, have)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	switch {
	case response.StatusCode == http.StatusRequestedRangeNotSatisfiable && have > 0:
		return have, nil // There is no more of it: the checksum tells whether it is the file.
	case response.StatusCode == http.StatusPartialContent && have > 0:
		start = have
	case response.StatusCode != http.StatusOK:
		return 0, statusError(response.StatusCode)
	}
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return 0, err
	}
	defer func() { err = cmp.Or(err, file.Close()) }()
	if err := file.Truncate(start); err != nil {
		return 0, err
	}
	done, total := start, int64(-1)
	if response.ContentLength >= 0 {
		total = start + response.ContentLength
	}
	arrived := func(n int) {
		if done += int64(n); f.Progress != nil {
			f.Progress(done, total)
		}
	}
	arrived(0)
	_, err = io.Copy(file, reader(func(buffer []byte) (int, error) {
		n, err := response.Body.Read(buffer)
		if n > 0 {
			watch.Reset(stall)
			arrived(n)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			err = failure{err, true, tryAgain} // Reading may work the next time; writing will not.
		}
		return n, err
	}))
	return start, err
}

type reader func(buffer []byte) (int, error)

func (r reader) Read(buffer []byte) (int, error) { return r(buffer) }

// get requests url from byte `have` on.
func (f Fetcher) get(ctx context.Context, url string, have int64) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept-Encoding", "identity") // Checksums and ranges are of the file as it is stored.
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	response, err := cmp.Or(f.Client, defaultClient).Do(request)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, requestError(err)
	}
	return response, nil
}

// JSON fetches a small document and decodes it into v. It returns the address that the document came from, which
// can differ after redirects.
func (f Fetcher) JSON(ctx context.Context, address string, v any) (*url.URL, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, f.stall(), fmt.Errorf("no answer in %v", f.stall()))
	defer cancel()
	response, err := f.get(ctx, address, 0)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", address, err)
	}
	defer func() { _ = response.Body.Close() }()
	from := response.Request.URL
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("ask %s: %w", from, statusError(response.StatusCode))
	}
	if err := json.NewDecoder(response.Body).Decode(v); err != nil {
		return nil, fmt.Errorf("the answer of %s: %w", from, err)
	}
	return from, nil
}

// stall is how long to wait for the next byte.
func (f Fetcher) stall() time.Duration { return cmp.Or(f.Stall, time.Minute) }

// sizeOf is the size of a file, 0 if there is none.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
