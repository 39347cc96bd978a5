package serve

// This file answers a stream: rows come in the body of a request, and a line of JSON goes out for each decision, while
// more rows come.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/clusterpool/ccp/cmd/internal/recordings"
	"github.com/clusterpool/ccp/cmd/internal/watch"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
)

const (
	lingering = time.Second            // that a client has after an error to stop sending: it would lose the error else
	lastRow   = 200 * time.Millisecond // that a stream has when the server ends: a row that comes then is answered with it
	fullPause = 5 * time.Millisecond   // between two looks whether a full queue has room
)

// stream is a stream that is being answered. Its rows are read one by one, and no row is read while a decision is
// computed or sent: a client that sends faster than that waits.
type stream struct {
	*Server
	model      *served
	classifier *models.Classifier
	watcher    *watch.Watcher
	raw        bool
	memory     *budget
	users      sync.WaitGroup // windows that are being computed, also when the stream has ended
	body       *streamBody
	response   http.ResponseWriter
	control    *http.ResponseController
	answering  bool  // the header of the answer is sent
	failed     error // what is no fault of a row: the client has gone, or a window could not be computed
}

// answered is an error that the client has been told in the last line of an answer.
type answered struct{ refusal }

// stream answers with the decisions on the rows of a request's body until that ends.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, m *served) error {
	c, release, err := s.acquire(r, m) // until the end: what came before means nothing to another classifier
	if err != nil {
		return err
	}
	defer release()
	st := &stream{Server: s, model: m, classifier: c, response: w, control: http.NewResponseController(w),
		memory: &budget{shared: &s.memory, limit: int64(s.Memory)}}
	defer st.memory.end()
	defer st.users.Wait()
	if !s.piped {
		w.Header().Set("Connection", "close") // what is left of the body after an error is no further request
	}
	s.metrics.streams.WithLabelValues(m.name).Inc()
	defer s.metrics.streams.WithLabelValues(m.name).Dec()
	err = st.answer(r)
	if err == nil {
		return nil
	}
	_ = st.setRead(lingering)
	if !st.answering {
		return err
	}
	known, ours := errors.AsType[refusal](err)
	switch {
	case !ours:
		known = s.refusalOf(r, err)
	case known != errEnding:
		s.warnOfOverload(known)
	}
	st.write(document{"error": known.Error()})
	if s.piped { // whose only connection must not be closed with a body that is not read
		_, _ = io.Copy(io.Discard, r.Body)
	}
	return answered{known}
}

// answer follows the rows.
func (st *stream) answer(r *http.Request) error {
	options, err := st.asked(r.URL.RawQuery)
	if err != nil {
		return err
	}
	options.Classify = st.classify
	st.watcher, err = watch.New(st.classifier, options, func(line string) { st.write(document{"note": line}) })
	if err != nil {
		return bad("%w", err)
	}
	// What a stream begins with: buffers of its lines, and what waits for later windows.
	err = st.memory.take(128<<10 + answerSize(st.classifier) + options.Rule.Lag*(64+16*st.classifier.Spec.Classes()))
	if err != nil {
		return err
	}
	err = st.control.EnableFullDuplex()
	if err != nil {
		return err
	}
	stop := context.AfterFunc(st.reading, func() { _ = st.control.SetReadDeadline(time.Now().Add(lastRow)) })
	defer stop()
	content, err := decompressed(r, r.Body, st.memory)
	if err != nil {
		return st.reason(err)
	}
	st.body = &streamBody{from: content, take: st.memory.take}
	note := func(line string) { st.write(document{"note": line}) }
	err = recordings.Follow(r.Context(), st.body, st.classifier.Form,
		func(row recordings.Row) error { return st.row(r.Context(), row) },
		func(wrong *recordings.BadLine) { note("left out: " + wrong.Error()) }, note)
	if err != nil {
		return st.reason(err)
	}
	told, err := st.watcher.Finish(r.Context())
	st.tell(told)
	if err != nil {
		return st.reason(err)
	}
	return errors.Join(st.failed, st.setWrite())
}

// asked reads how a stream is to be watched.
func (st *stream) asked(raw string) (o watch.Options, err error) {
	query, err := parameters(raw, "raw", "lag")
	if err != nil {
		return o, err
	}
	st.raw, err = truth(query, "raw")
	if err != nil {
		return o, err
	}
	if value := query.Get("lag"); query.Has("lag") {
		o.Rule.Lag, err = strconv.Atoi(value)
		if err != nil || o.Rule.Lag < 1 || o.Rule.Lag > watch.MostLag {
			return o, bad("lag=%s is no number of windows from 1 to %d", suggest.Clip(value), watch.MostLag)
		}
	}
	return o, nil
}

// row takes a row, and answers with what it decides. The first one begins the answer, so that columns that do not fit
// have a status code of their own.
func (st *stream) row(ctx context.Context, row recordings.Row) error {
	if !st.answering {
		st.begin()
	}
	told, err := st.watcher.Take(ctx, row)
	st.tell(told)
	if err == nil {
		err = st.keep()
	}
	if err == nil {
		err = st.failed
	}
	if err == nil {
		err = st.setRead(st.silence)
	}
	if err == nil && st.reading.Err() != nil { // after the time was set: the end sets a shorter one
		err = errEnding
	}
	return err
}

// keep counts the memory of the time points that are kept, of which a window may have as many as a recording.
func (st *stream) keep() error {
	kept, form := st.watcher.Kept(), st.classifier.Form
	if most := mostOf(form); kept > most {
		return bad("a window has more than %d time points, the most that the server takes of one; the times of the stream "+
			"are much closer than the training's", most)
	}
	const perTimepoint, perRecorded = 2 * (8 + 8), 8 + 8 + 2*4*4 // times; a value, in a window, and as perValue has it
	return st.body.count(kept * (perTimepoint + perRecorded*form.Width()))
}

// classify computes the predictions of a window together with those of other requests. Where the queue is full it waits
// for room, as long as a request may take.
func (st *stream) classify(ctx context.Context, series [][]float32) (predictions []models.Prediction, err error) {
	ctx, cancel := context.WithTimeout(ctx, st.Timeout)
	defer cancel()
	for {
		st.users.Add(1)
		predictions, err = st.model.classify(ctx, st.classifier, series, st.users.Done)
		if !errors.Is(err, errFull) {
			break
		}
		select {
		case <-time.After(fullPause):
			continue
		case <-ctx.Done():
		}
		break
	}
	if _, unusable := errors.AsType[*models.SignalError](err); err != nil && !unusable {
		st.failed = err
	}
	return predictions, err
}

// tell writes the lines of what is told.
func (st *stream) tell(told []watch.Told) {
	for _, line := range st.watcher.Decisions(told, st.raw) {
		st.write(line)
	}
}

// begin sends the header of the answer.
func (st *stream) begin() {
	st.answering = true
	header := st.response.Header()
	header.Set("Content-Type", "application/x-ndjson")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Accel-Buffering", "no") // a proxy is to pass each line on at once
	st.response.WriteHeader(http.StatusOK)
	st.flush()
}

// write sends a line at once. After a failure it does nothing: the stream ends with its next row.
func (st *stream) write(line any) {
	raw, err := json.Marshal(line)
	if err == nil {
		err = st.setWrite()
	}
	if err == nil {
		_, err = st.response.Write(append(raw, '\n'))
	}
	if err != nil {
		st.gone(err)
		return
	}
	st.flush()
}

func (st *stream) flush() {
	if err := st.control.Flush(); err != nil {
		st.gone(err)
	}
}

// gone notes that the client takes no more.
func (st *stream) gone(err error) {
	if st.failed == nil {
		st.failed = refused(clientGone, "the client takes no more: %v", err)
	}
}

// setRead sets the time until which something must come to be read.
func (st *stream) setRead(within time.Duration) error {
	if st.piped {
		return nil
	}
	return st.control.SetReadDeadline(time.Now().Add(within))
}

// setWrite gives the client time to take the next line, or the end.
func (st *stream) setWrite() error {
	if st.piped {
		return nil
	}
	return st.control.SetWriteDeadline(time.Now().Add(writing))
}

// reason returns why a stream ended: a failure of ours or of the connection, or else what the error says of its rows.
func (st *stream) reason(err error) error {
	var known refusal
	_, ofNet := errors.AsType[net.Error](err)
	switch {
	case st.failed != nil:
		return st.failed
	case errors.As(err, &known):
		return err
	case st.reading.Err() != nil:
		return errEnding
	case errors.Is(err, os.ErrDeadlineExceeded) && st.answering:
		return refused(http.StatusRequestTimeout, "no row has come for %s", text.Seconds(st.silence.Seconds()))
	case errors.Is(err, os.ErrDeadlineExceeded):
		return err
	case ofNet, errors.Is(err, io.ErrUnexpectedEOF):
		return refused(clientGone, "the stream broke off: %w", err)
	}
	return bad("%w", err)
}

// streamBody reads the body of a stream, and counts the memory that its longest line takes while it is read.
type streamBody struct {
	from          io.Reader
	take          func(bytes int) error
	line, longest int // bytes since the last line's end, and of the longest line
	others, taken int // bytes of what is kept of rows, and of all that was counted
}

// Read fails where there is no memory for a line.
func (b *streamBody) Read(p []byte) (n int, err error) {
	n, err = b.from.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			b.line += len(rest)
			b.longest = max(b.longest, b.line)
			break
		}
		b.longest, b.line, rest = max(b.longest, b.line+end), 0, rest[end+1:]
	}
	if full := b.count(b.others); full != nil {
		return 0, full
	}
	return n, err
}

// count counts the memory of the longest line, and so many bytes beside. What was counted once stays so until the end.
func (b *streamBody) count(others int) error {
	const perByte = 24 // of an object of many short members
	b.others = max(b.others, others)
	more := perByte*b.longest + b.others - b.taken
	if more <= 0 {
		return nil
	}
	b.taken += more
	return b.take(more)
}

// isStream reports whether the path of a request is that of streams.
func isStream(r *http.Request) bool { return strings.HasSuffix(r.Pattern, "/stream") }
