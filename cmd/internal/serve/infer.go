package serve

import (
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var errMemory = refused(http.StatusServiceUnavailable, "too many requests are held in memory")

// infer answers a request for classifications of signals, or of recordings.
func (s *Server) infer(w http.ResponseWriter, r *http.Request, m *served) error {
	m.arriving.Add(1)
	arrive := sync.OnceFunc(func() { m.arriving.Add(-1) })
	defer arrive()
	body, forget, err := s.readBody(w, r)
	if err != nil {
		return err
	}
	defer forget()
	c, release, err := s.acquire(r, m) // only now, so that a slow client keeps no old classifier in memory
	if err != nil {
		return err
	}
	defer release()
	var d *inferRequest
	if strings.HasSuffix(r.Pattern, "/recordings") {
		d, err = s.decodeRecordings(body, c)
	} else {
		d, err = decode(body, r.Header.Get(binaryHeader), c.Spec)
	}
	if err != nil {
		return err
	}
	forget()
	if len(d.signals) > s.Queue {
		return tooMany(len(d.signals), s.Queue)
	}
	timeout := s.Timeout
	if d.Parameters.Timeout > 0 && d.Parameters.Timeout < timeout.Microseconds() {
		timeout = time.Duration(d.Parameters.Timeout) * time.Microsecond
	}
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	arrive()
	predictions, err := m.classify(ctx, c, d.signals)
	if err != nil {
		return err
	}
	if d.names != nil {
		s.write(w, r, http.StatusOK, d.answers(m, c, predictions))
		return nil
	}
	answer, header, err := encode(m.name, version(c), c.ClassNames, d, predictions)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	if header >= 0 {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set(binaryHeader, strconv.Itoa(header))
	}
	s.send(w, r, http.StatusOK, answer)
	return nil
}

// readBody reads a body of at most MaxBody bytes, also after decompression. The body counts as memory until forget is
// called.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) (body []byte, forget func(), err error) {
	tooLarge := refused(http.StatusRequestEntityTooLarge, "the request is too large; it can have %d bytes", s.MaxBody)
	if r.ContentLength > int64(s.MaxBody) {
		return nil, nil, tooLarge
	}
	content := r.Body
	switch strings.ToLower(r.Header.Get("Content-Encoding")) {
	case "", "identity":
	case "gzip":
		content, err = gzip.NewReader(r.Body)
	case "deflate":
		content, err = zlib.NewReader(r.Body)
	default:
		return nil, nil, refused(http.StatusUnsupportedMediaType, "Content-Encoding can be gzip, deflate or identity")
	}
	if err != nil {
		return nil, nil, bad("the body cannot be decompressed: %w", err)
	}
	reader := &countingReader{Reader: http.MaxBytesReader(w, content, int64(s.MaxBody)), memory: &s.memory, limit: int64(s.Memory)}
	var large *http.MaxBytesError
	switch body, err = io.ReadAll(reader); {
	case err == nil:
		return body, reader.forget, nil
	case errors.As(err, &large):
		err = tooLarge
	case !errors.Is(err, errMemory):
		err = bad("the body cannot be read: %w", err)
	}
	reader.forget()
	return nil, nil, err
}

// countingReader counts bytes in memory, which all requests share. It counts them when they arrive, not when they are
// announced. So a slow client takes no room from others.
type countingReader struct {
	io.Reader
	memory       *atomic.Int64
	limit, taken int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.taken += int64(n)
	if c.memory.Add(int64(n)) > c.limit {
		return 0, errMemory
	}
	return n, err
}

func (c *countingReader) forget() {
	c.memory.Add(-c.taken)
	c.taken = 0
}
