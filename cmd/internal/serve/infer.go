package serve

import (
	"cmp"
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

	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/models"
)

// infer answers a request for classifications of signals, or of recordings.
func (s *Server) infer(w http.ResponseWriter, r *http.Request, m *served) error {
	m.arriving.Add(1)
	arrive := sync.OnceFunc(func() { m.arriving.Add(-1) })
	defer arrive()
	memory := &budget{shared: &s.memory, limit: int64(s.Memory)}
	defer memory.end()
	body, err := s.readBody(w, r, memory)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.Timeout)
	defer cancel()
	c, release, err := s.acquire(r, m) // only now, so that a slow client keeps no old classifier in memory
	if err != nil {
		return err
	}
	take := func(bytes int) error { // so that decoding ends in time, too, and when the client has gone
		if ctx.Err() != nil {
			return errLate
		}
		return memory.take(bytes)
	}
	waits := false
	defer func() {
		if !waits {
			release()
		}
	}()
	var d *inferRequest
	ofRecordings := strings.HasSuffix(r.Pattern, "/recordings")
	if ofRecordings {
		d, err = decodeRecordings(r.URL.RawQuery, body, c, s.Queue, take)
	} else if _, err = parameters(r.URL.RawQuery); err == nil {
		d, err = decode(body, r.Header.Get(binaryHeader), &c.Metadata, s.Queue, take)
	}
	if err == nil {
		err = cmp.Or(d.takeScores(c.Conformal), d.allowsEarly(c.Early))
	}
	if err != nil {
		return err
	}
	memory.end() // what is left is the signals and the answer to come
	signals := 0
	for _, one := range d.Signals {
		signals += 4 * len(one)
	}
	if err := memory.take(signals + d.count()*answerSize(c)); err != nil {
		return err
	}
	memory.taken -= int64(signals) // they are the batcher's
	free := func() {
		s.memory.Add(int64(-signals))
		release()
	}
	if d.timeout > 0 {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, d.timeout)
		defer end()
	}
	arrive()
	waits = true
	predictions, err := m.answer(&job{ctx: ctx, classifier: c, signals: d.Signals, unread: d.Unread, early: d.early,
		free: free})
	if err != nil {
		return refuseRecording(d.Name(err))
	}
	d.takeDecisions(c, predictions)
	if ofRecordings {
		answer, err := d.answers(m, c, predictions)
		if err == nil {
			s.write(w, r, http.StatusOK, answer)
		}
		return err
	}
	return s.writeOutputs(w, r, m, c, d, predictions)
}

// takeDecisions takes when each recording was decided, if early decisions are asked for.
func (d *inferRequest) takeDecisions(c *models.Classifier, predictions []models.Prediction) {
	for _, p := range predictions {
		if d.early {
			d.Early = append(d.Early, classify.EarlyOf(c.Form, p))
		}
	}
}

// writeOutputs answers with the tensors that are asked for.
func (s *Server) writeOutputs(w http.ResponseWriter, r *http.Request, m *served, c *models.Classifier, d *inferRequest,
	predictions []models.Prediction) error {
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

// answerSize returns how many bytes a prediction takes at most, with its warnings, and in the text of an
// answer.
func answerSize(c *models.Classifier) int {
	size := 4 << 10
	for _, name := range c.ClassNames {
		size += 200 + 12*len(name) // of its probability, of its p-value, and in a set
	}
	return size
}

// readBody reads a body of at most MaxBody bytes, also after decompression. It fails when the server stops reading.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, memory *budget) (body []byte, err error) {
	tooLarge := refused(http.StatusRequestEntityTooLarge, "the request is too large; it can have %d bytes", s.MaxBody)
	if r.ContentLength > int64(s.MaxBody) {
		return nil, tooLarge
	}
	stop := context.AfterFunc(s.reading, func() { _ = http.NewResponseController(w).SetReadDeadline(time.Now()) })
	defer func() {
		if !stop() && err == nil {
			err = models.ErrClosed
		}
	}()
	most := int64(s.MaxBody)
	content := http.MaxBytesReader(w, r.Body, most) // also what is compressed: a stream of empty blocks has no end
	decoded, err := decompressed(r, content, memory)
	if err != nil {
		return nil, err
	}
	body, err = memory.read(http.MaxBytesReader(w, io.NopCloser(decoded), most), s.MaxBody)
	var large *http.MaxBytesError
	var known refusal
	switch {
	case err == nil, errors.As(err, &known):
		return body, err
	case errors.As(err, &large):
		return nil, tooLarge
	}
	return nil, bad("the body cannot be read: %w", err)
}

// decompressed returns what reads the content of a request as its header says that it is compressed.
func decompressed(r *http.Request, content io.Reader, memory *budget) (decoded io.Reader, err error) {
	encoding := strings.ToLower(r.Header.Get("Content-Encoding"))
	if encoding == "gzip" || encoding == "deflate" {
		if err := memory.take(64 << 10); err != nil { // for the decompressor
			return nil, err
		}
	}
	switch encoding {
	case "", "identity":
		return content, nil
	case "gzip":
		decoded, err = gzip.NewReader(content)
	case "deflate":
		decoded, err = zlib.NewReader(content)
	default:
		return nil, refused(http.StatusUnsupportedMediaType, "Content-Encoding can be gzip, deflate or identity")
	}
	if err != nil {
		return nil, bad("the body cannot be decompressed: %w", err)
	}
	return decoded, nil
}

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
			err = b.take(size)
			if err != nil {
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
