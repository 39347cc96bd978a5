package serve

import (
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
)

// counter counts what is going on now.
type counter struct{ n atomic.Int64 }

func (c *counter) add(n int)  { c.n.Add(int64(n)) }
func (c *counter) value() int { return int(c.n.Load()) }

// budget bounds the bytes of request bodies held in memory, all together. Bytes count when they have arrived, not when they are
// announced: a slow client takes no room from others.
type budget struct {
	counter
	limit int
}

// take says whether n more bytes fit, and counts them if so.
func (b *budget) take(n int) bool {
	if b.n.Add(int64(n)) > int64(b.limit) {
		b.add(-n)
		return false
	}
	return true
}

var (
	errBodyTooLarge = errors.New("the request is too large")
	errMemory       = errors.New("too many requests are held in memory")
	errEncoding     = errors.New("there is no such Content-Encoding here")
)

// body is a request's body in memory, which release gives back.
type body struct {
	data   []byte
	taken  int
	budget *budget
}

func (b *body) release() {
	b.budget.add(-b.taken)
	b.taken, b.data = 0, nil
}

// readBody reads a body of at most limit bytes, which holds after unpacking, too.
func readBody(r *http.Request, limit int, memory *budget) (*body, error) {
	if r.ContentLength > int64(limit) {
		return nil, errBodyTooLarge
	}
	reader := io.Reader(r.Body)
	var err error
	switch strings.ToLower(r.Header.Get("Content-Encoding")) {
	case "", "identity":
	case "gzip":
		reader, err = gzip.NewReader(r.Body)
	case "deflate":
		reader, err = zlib.NewReader(r.Body)
	default:
		return nil, errEncoding
	}
	if err != nil {
		return nil, bad("the body cannot be unpacked: %w", err)
	}
	b := &body{budget: memory}
	if err := b.fill(reader, limit); err != nil {
		b.release()
		return nil, err
	}
	return b, nil
}

func (b *body) fill(reader io.Reader, limit int) error {
	for {
		if len(b.data) == cap(b.data) {
			size := max(4<<10, 2*cap(b.data))
			if !b.budget.take(size - b.taken) {
				return errMemory
			}
			b.taken = size
			b.data = append(make([]byte, 0, size), b.data...)
		}
		n, err := reader.Read(b.data[len(b.data):cap(b.data)])
		b.data = b.data[:len(b.data)+n]
		switch {
		case len(b.data) > limit:
			return errBodyTooLarge
		case err == io.EOF:
			return nil
		case err != nil:
			return bad("the body cannot be read: %w", err)
		}
	}
}
