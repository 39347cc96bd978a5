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
	"encoding/hex"
	"encoding/json"
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

	"github.com/gofrs/flock"

	"github.com/clusterpool/ccp/internal/files"
)

// File is a file to fetch.
type File struct {
	URL  string
	Path string // where the file goes; its folder is created
	Sum  string // its checksum, "sha256:HEX" or "md5:HEX"

	// Temporary says that only this program uses the file. A failed fetch then leaves nothing behind, and its error does
	// not ask people to get the file themselves.
	Temporary bool
}

// Fetcher fetches files. The zero value is ready for use.
type Fetcher struct {
	Client   *http.Client            // nil for one that gives up on a server that never answers
	Progress func(done, total int64) // bytes; total is negative if it is unknown; may be nil
	Pause    time.Duration           // before the second attempt, doubled before each further one; 0 for a second
	Stall    time.Duration           // an attempt ends after this time without a byte; 0 for a minute
}

// attempts is the number of passing failures in a row, without a new byte in between, after which a fetch gives up.
const attempts = 4

const partSuffix = ".part"

// defaultClient gives up on a server that accepts a connection and never answers.
var defaultClient = func() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = time.Minute
	return &http.Client{Transport: transport}
}()

// Fetch puts a file in its place. If the file exists, Fetch only checks it. If ctx ends, the error wraps the cause,
// and Fetch keeps what has arrived.
//
// Errors name the address and say what to do. They are: no network, no such file, another checksum, a full disk, and
// another process that fetches the same file. If the checksum differs, Fetch deletes the download; if the disk is
// full, it keeps it.
func (f Fetcher) Fetch(ctx context.Context, file File) error {
	if err := checkSum(file.Sum); err != nil {
		return err
	}
	if _, err := os.Stat(file.Path); err == nil {
		found, err := sumOfFile(file.Path, file.Sum)
		if err == nil && found != file.Sum {
			err = fmt.Errorf("%s is there, but its %s, that of the published file %s; move it away to have it fetched again",
				file.Path, strings.Replace(found, ":", " is ", 1), digits(file.Sum))
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

// persist makes attempts until the part is the published file. It pauses longer after each attempt that brought
// nothing.
func (f Fetcher) persist(ctx context.Context, file File, part string) error {
	pause, most := cmp.Or(f.Pause, time.Second), sizeOf(part)
	for failures := 0; ; {
		start, err := f.attempt(ctx, file.URL, part, sizeOf(part))
		if err == nil {
			found, err := sumOfFile(part, file.Sum)
			if err != nil || found == file.Sum {
				return err
			}
			wrong := fmt.Errorf("what came (%d bytes) has %s, the published file %s, and was deleted; try again: if it "+
				"stays so, the file has changed, or something on the way changes it",
				sizeOf(part), strings.Replace(found, ":", " ", 1), digits(file.Sum))
			if err := os.Truncate(part, 0); err != nil || start == 0 {
				return cmp.Or(err, wrong)
			}
			continue // The part was of another version of the file: once more, from the start.
		}
		if f, ok := errors.AsType[failure](err); ctx.Err() != nil || !ok || !f.passing {
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

// attempt requests address from byte `have` on and appends the answer to the part. start is the byte at which the
// answer began.
func (f Fetcher) attempt(ctx context.Context, address, part string, have int64) (start int64, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := f.stall()
	watch := time.AfterFunc(stall, func() { cancel(fmt.Errorf("nothing came for %v", stall)) })
	defer watch.Stop()
	response, err := f.get(ctx, address, have)
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
	_, err = io.Copy(file, io.TeeReader(response.Body, written(func(n int) {
		watch.Reset(stall)
		arrived(n)
	})))
	if _, disk := errors.AsType[*fs.PathError](err); err != nil && !disk {
		err = failure{err, true, tryAgain} // Reading may work the next time; writing will not.
	}
	return start, err
}

type written func(n int)

func (w written) Write(bytes []byte) (int, error) {
	w(len(bytes))
	return len(bytes), nil
}

// get requests address from byte `have` on.
func (f Fetcher) get(ctx context.Context, address string, have int64) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
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

// stall returns how long to wait for the next byte.
func (f Fetcher) stall() time.Duration { return cmp.Or(f.Stall, time.Minute) }

// sizeOf returns the size of a file, 0 if there is none.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// hashes are the kinds of checksums. md5 is for publishers that give nothing better: it reveals damage, and no
// forgery that hits a given md5 is known.
var hashes = map[string]func() hash.Hash{"sha256": sha256.New, "md5": md5.New}

// checkSum returns an error unless sum is "sha256:HEX" or "md5:HEX" with as many lower-case digits as the kind has.
func checkSum(sum string) error {
	kind, hexadecimal, _ := strings.Cut(sum, ":")
	create := hashes[kind]
	if create == nil {
		return fmt.Errorf("checksum %q: want sha256:HEX or md5:HEX", sum)
	}
	raw, err := hex.DecodeString(hexadecimal)
	if err != nil || len(raw) != create().Size() || strings.ToLower(hexadecimal) != hexadecimal {
		return fmt.Errorf("checksum %q: want %d lower-case hexadecimal digits", sum, 2*create().Size())
	}
	return nil
}

// sumOfFile returns a file's checksum, of the same kind as like.
func sumOfFile(path, like string) (string, error) {
	kind, _, _ := strings.Cut(like, ":")
	found, _, err := files.Digest(path, hashes[kind]())
	return kind + ":" + found, err
}

func digits(sum string) string { return sum[strings.Index(sum, ":")+1:] }

// failure says why the network did not bring a file.
type failure struct {
	error
	passing bool   // another attempt may succeed
	advice  string // for people
}

func (f failure) Unwrap() error { return f.error }

const tryAgain = "give the same command to go on"

// requestError classifies the error of a request without an answer. Another attempt does not help against unknown
// names and untrusted certificates.
func requestError(err error) error {
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
	f, known := errors.AsType[failure](err)
	switch {
	case file.Temporary:
	case ctx.Err() != nil:
		kept := ""
		if have := sizeOf(file.Path + partSuffix); have > 0 {
			kept = fmt.Sprintf("; %d bytes are kept in %s: %s", have, file.Path+partSuffix, tryAgain)
		}
		return fmt.Errorf("stopped while fetching %s: %w%s", file.URL, context.Cause(ctx), kept)
	case known:
		return fmt.Errorf("cannot fetch %s: %w; %s; or get it in another way and put it at %s",
			file.URL, err, f.advice, file.Path)
	}
	return fmt.Errorf("fetch %s: %w", file.URL, err)
}
