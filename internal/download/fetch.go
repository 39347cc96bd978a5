// Package download fetches published files and unpacks archives.
//
// A file gets its name only when it is complete and its checksum is right. Until then it is NAME.part. The next
// attempt continues this part, in this process or a later one.
package download

import (
	"cmp"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clusterpool/ccp/internal/files"
)

// File is a file to fetch.
type File struct {
	URL  string
	Path string // where the file goes; its folder is created
	Sum  string // its checksum, "sha256:HEX" or "md5:HEX" in lower-case digits
}

// Fetcher fetches files. The zero value is ready for use.
type Fetcher struct {
	Progress func(done, total int64) // bytes; total is negative if it is unknown; may be nil
	Pause    time.Duration           // before the second attempt, doubled before each further one; 0 for a second
	Stall    time.Duration           // an attempt ends after this time without a byte; 0 for a minute
}

// attempts is the number of passing failures in a row, without a new byte in between, after which a fetch gives up.
const attempts = 4

const (
	partSuffix = ".part"
	lockSuffix = ".lock" // beside the part: on Windows nobody can write a file that is locked
)

// hashes are the kinds of checksums. md5 is for publishers that give nothing better: it reveals damage, and no
// forgery that hits a given md5 is known.
var hashes = map[string]func() hash.Hash{"sha256": sha256.New, "md5": md5.New}

// Fetch puts a file in its place. If the file exists, Fetch only checks it. If ctx ends, the error wraps the cause,
// and Fetch keeps what has arrived.
//
// Errors name the address and say what to do. They are: no network, no such file, another checksum, a full disk, and
// another process that fetches the same file. If the checksum differs, Fetch deletes the download; if the disk is
// full, it keeps it.
func (f Fetcher) Fetch(ctx context.Context, file File) error {
	sum, err := parseChecksum(file.Sum)
	if err != nil {
		return err
	}
	there, err := sum.present(file.Path)
	if there {
		return err
	}
	err = os.MkdirAll(filepath.Dir(file.Path), 0o777)
	if err != nil {
		return err
	}
	part := file.Path + partSuffix
	unlock, err := files.Lock(file.Path + lockSuffix)
	if errors.Is(err, files.ErrLocked) {
		return fmt.Errorf("another process is fetching %s; wait for it", file.Path)
	}
	if err != nil {
		return err
	}
	defer func() {
		if sizeOf(part) == 0 {
			_ = os.Remove(part)
		}
		unlock(true)
	}()
	there, err = sum.present(file.Path)
	if there { // another process has just fetched it
		return err
	}
	for again := false; ; again = true {
		start, err := f.persist(ctx, file.URL, part)
		if err != nil {
			return explain(ctx, err, file)
		}
		found, right, err := sum.check(part)
		if err != nil {
			return err
		}
		if right {
			return place(part, file.Path)
		}
		size := sizeOf(part)
		err = os.Truncate(part, 0)
		if err != nil {
			return err
		}
		if start == 0 || again { // Else the part was of another version of the file: once more, from the start.
			return fmt.Errorf("fetch %s: what came (%d bytes) has %s, the published file %s, and was deleted; "+
				"try again: if it stays so, the file has changed, or something on the way changes it", file.URL, size,
				found, sum.hex)
		}
	}
}

// checksum is what a publisher says of a file.
type checksum struct{ kind, hex string }

// parseChecksum reads KIND:HEX, where the kind is one of hashes.
func parseChecksum(text string) (checksum, error) {
	kind, hex, _ := strings.Cut(text, ":")
	if hashes[kind] == nil {
		return checksum{}, fmt.Errorf("checksum %q: want sha256:HEX or md5:HEX", text)
	}
	return checksum{kind, hex}, nil
}

// check computes the checksum of a file. It returns it with its kind, and whether it is the published one.
func (c checksum) check(path string) (found string, right bool, err error) {
	found, _, err = files.Digest(path, hashes[c.kind]())
	return c.kind + " " + found, found == c.hex, err
}

// present says whether there is a file at the path. It is an error if it is not the published one.
func (c checksum) present(path string) (there bool, err error) {
	_, err = os.Stat(path)
	if err != nil {
		return false, nil
	}
	found, right, err := c.check(path)
	if err == nil && !right {
		err = fmt.Errorf("%s is there, but it has %s, the published file %s; move it away to have it fetched again",
			path, found, c.hex)
	}
	return true, err
}

// place moves a finished part to its path.
func place(part, path string) error {
	err := files.Sync(part)
	if err != nil {
		return err
	}
	return files.Rename(part, path)
}

// persist makes attempts until the server has sent the rest of the part. It pauses longer after each attempt that
// brought nothing. start is the byte at which the last answer began.
func (f Fetcher) persist(ctx context.Context, address, part string) (start int64, err error) {
	pause, most := cmp.Or(f.Pause, time.Second), sizeOf(part)
	for failures := 1; ; failures++ {
		start, err = f.attempt(ctx, address, part)
		if lost, ok := errors.AsType[failure](err); ctx.Err() != nil || !ok || !lost.passing {
			return start, err
		}
		if size := sizeOf(part); size > most {
			failures, most = 1, size
		}
		if failures == attempts {
			return start, err
		}
		select {
		case <-ctx.Done():
			return start, context.Cause(ctx)
		case <-time.After(pause << (failures - 1)):
		}
	}
}

// attempt requests the rest of the part and appends the answer. start is the byte at which the answer began.
func (f Fetcher) attempt(ctx context.Context, address, part string) (start int64, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := cmp.Or(f.Stall, time.Minute)
	watch := time.AfterFunc(stall, func() { cancel(fmt.Errorf("nothing came for %v", stall)) })
	defer watch.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Accept-Encoding", "identity") // Checksums and ranges are of the file as it is stored.
	have := sizeOf(part)
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, lost(ctx, err)
	}
	defer response.Body.Close()
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
	arrived := counter(func(n int) {
		watch.Reset(stall)
		done += int64(n)
		if f.Progress != nil {
			f.Progress(done, total)
		}
	})
	arrived(0)
	_, err = io.Copy(io.MultiWriter(file, arrived), response.Body)
	if _, disk := errors.AsType[*fs.PathError](err); err != nil && !disk { // Writing will not work the next time.
		err = lost(ctx, err)
	}
	return start, err
}

// counter receives the number of bytes of each Write.
type counter func(n int)

func (c counter) Write(bytes []byte) (int, error) {
	c(len(bytes))
	return len(bytes), nil
}

// sizeOf returns the size of a file, 0 if there is none.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// failure says why the network did not bring a file.
type failure struct {
	error
	passing bool   // another attempt may succeed
	advice  string // for people
}

func (f failure) Unwrap() error { return f.error }

const tryAgain = "give the same command to go on"

// lost classifies the error of a request or its answer. Another attempt does not help against unknown names and
// untrusted certificates.
func lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if request, ok := errors.AsType[*url.Error](err); ok {
		err = request.Err // It repeats the address, which explain gives.
	}
	if name, ok := errors.AsType[*net.DNSError](err); ok {
		return failure{err, !name.IsNotFound, "is there a network, or a proxy to name in HTTPS_PROXY?"}
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return err
	}
	return failure{err, true, tryAgain}
}

func statusError(status int) error {
	err := fmt.Errorf("the server answers %d %s", status, http.StatusText(status))
	if slices.Contains([]int{408, 429, 500, 502, 503, 504}, status) {
		return failure{err, true, tryAgain}
	}
	return failure{err, false, "the file may have moved"}
}

// explain says why a fetch failed and what to do about it.
func explain(ctx context.Context, err error, file File) error {
	if ctx.Err() != nil {
		kept := ""
		if have := sizeOf(file.Path + partSuffix); have > 0 {
			kept = fmt.Sprintf("; %d bytes are kept in %s: %s", have, file.Path+partSuffix, tryAgain)
		}
		return fmt.Errorf("stopped while fetching %s: %w%s", file.URL, context.Cause(ctx), kept)
	}
	if f, known := errors.AsType[failure](err); known {
		return fmt.Errorf("cannot fetch %s: %w; %s; or get it in another way and put it at %s",
			file.URL, err, f.advice, file.Path)
	}
	return fmt.Errorf("fetch %s: %w", file.URL, err)
}
