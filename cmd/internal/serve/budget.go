package serve

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
)

var errMemory = refused(http.StatusServiceUnavailable, "too many requests are held in memory")

// budget counts the bytes of one request in those that all requests share. It counts bytes that are about to be
// allocated, not bytes that are announced. So a slow client takes no room from others.
type budget struct {
	shared       *atomic.Int64
	limit, taken int64
}

// take counts bytes before they are allocated. There is an error if they do not fit.
func (b *budget) take(bytes int) error {
	size := int64(bytes)
	if b.taken+size > b.limit {
		return refused(http.StatusRequestEntityTooLarge, "the request takes more than %d bytes of memory, which all "+
			"requests share; send it in parts", b.limit)
	}
	if b.shared.Add(size) > b.limit {
		b.shared.Add(-size)
		return errMemory
	}
	b.taken += size
	return nil
}

// give counts bytes as free.
func (b *budget) give(bytes int) {
	b.shared.Add(int64(-bytes))
	b.taken -= int64(bytes)
}

// end counts all bytes as free.
func (b *budget) end() { b.give(int(b.taken)) }

// read reads at most that many bytes to the end.
func (b *budget) read(from io.Reader, most int) (body []byte, err error) {
	for err == nil {
		if before := cap(body); len(body) == before {
			size := min(max(4<<10, 2*before), most+1) // one more, to see the end
			if err = b.take(size); err != nil {
				return nil, err
			}
			body = append(make([]byte, 0, size), body...)
			b.give(before)
		}
		var n int
		n, err = from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return body, err
}
