package download

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// stampSuffix is of the file beside a part that holds the server's mark of the version it belongs to.
const stampSuffix = ".stamp"

// defaultClient gives up on a server that takes a connection and never answers.
var defaultClient = func() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = time.Minute
	return &http.Client{Transport: transport}
}()

// attempt makes one request for what part still lacks of url, and appends what comes. With nil, the part is whole as far
// as the server's sizes tell.
func (f Fetcher) attempt(ctx context.Context, url, part string) error {
	stall := f.stall()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(stall, func() { cancel(passing{fmt.Errorf("nothing came for %v", stall)}) })
	defer watch.Stop()

	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	// A server that packs the answer would have to unpack nothing here: sums and ranges are over the file as it lies there.
	request.Header.Set("Accept-Encoding", "identity")
	have, stamp := resumable(part)
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
		request.Header.Set("If-Range", stamp)
	}
	response, err := f.client().Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return requestError(err)
	}
	defer func() { _ = response.Body.Close() }()

	start, total, err := placed(response, have, stamp)
	if errors.Is(err, errWhole) {
		return nil
	}
	if errors.Is(err, errOther) {
		os.Remove(part + stampSuffix) // the next attempt begins anew
		return passing{err}
	}
	if err != nil {
		return err
	}
	file, err := openAt(part, start, stampOf(response))
	if err != nil {
		return err
	}
	done, err := f.copy(ctx, file, response.Body, start, total, func() { watch.Reset(stall) })
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil && total >= 0 && done != total {
		err = passing{fmt.Errorf("the connection ended after %d of %d bytes", done, total)}
	}
	return err
}

// What the answer to a request for a part can mean, beside more of it.
var (
	errWhole = errors.New("the part is the whole file")
	errOther = errors.New("the server's file is not the one that the part is of")
)

// placed says at which byte an answer begins and how long the whole file is, -1 if that is not known. have and stamp are
// of the part at hand.
func placed(response *http.Response, have int64, stamp string) (start, total int64, err error) {
	var end int64
	ranged := response.Header.Get("Content-Range")
	switch code := response.StatusCode; {
	case code == http.StatusOK:
		return 0, response.ContentLength, nil
	case code == http.StatusPartialContent && have > 0:
		now := stampOf(response)
		if n, _ := fmt.Sscanf(ranged, "bytes %d-%d/%d", &start, &end, &total); n != 3 || start != have || now != "" && now != stamp {
			return 0, 0, errOther
		}
		return start, total, nil
	case code == http.StatusRequestedRangeNotSatisfiable && have > 0:
		if n, _ := fmt.Sscanf(ranged, "bytes */%d", &total); n != 1 || total != have {
			return 0, 0, errOther
		}
		return 0, 0, errWhole
	}
	return 0, 0, statusError(response)
}

// stampOf is the server's mark of this version of a file that a later If-Range may carry: a strong ETag, else the time of
// the last change, else "".
func stampOf(response *http.Response) string {
	if tag := response.Header.Get("ETag"); strings.HasPrefix(tag, `"`) {
		return tag
	}
	return response.Header.Get("Last-Modified")
}

// resumable is how much of a file is at hand, and the mark of its version. Without the mark it is as good as nothing.
func resumable(part string) (have int64, stamp string) {
	raw, err := os.ReadFile(part + stampSuffix)
	if err != nil || len(raw) == 0 {
		return 0, ""
	}
	return sizeOf(part), string(raw)
}

// openAt opens a part for writing at a byte. At 0 it begins anew, and notes the mark of the version.
func openAt(part string, start int64, stamp string) (*os.File, error) {
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err := file.Truncate(start); err != nil {
		file.Close()
		return nil, err
	}
	if start == 0 {
		if err := os.WriteFile(part+stampSuffix, []byte(stamp), 0o666); err != nil {
			file.Close()
			return nil, err
		}
	}
	if _, err := file.Seek(start, io.SeekStart); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// copy appends body to file. Reading fails for a passing reason, writing does not.
func (f Fetcher) copy(ctx context.Context, file *os.File, body io.Reader, done, total int64, alive func()) (int64, error) {
	report := func() {
		if f.Progress != nil {
			f.Progress(done, total)
		}
	}
	report()
	buffer := make([]byte, 1<<16)
	for {
		n, err := body.Read(buffer)
		if n > 0 {
			alive()
			written, err := file.Write(buffer[:n])
			done += int64(written)
			if err != nil {
				return done, err
			}
			report()
		}
		switch {
		case errors.Is(err, io.EOF):
			return done, nil
		case err != nil && ctx.Err() != nil:
			return done, context.Cause(ctx)
		case err != nil:
			return done, passing{err}
		}
	}
}

// forget deletes an unfinished file and its mark.
func forget(part string) {
	os.Remove(part)
	os.Remove(part + stampSuffix)
}
