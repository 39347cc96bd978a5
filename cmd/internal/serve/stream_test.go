package serve

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/cmd/internal/recordings"
	watching "github.com/clusterpool/ccp/cmd/internal/watch"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// streamed makes the tiny model one of recordings of two time points, 10 a second.
func streamed(t testing.TB, c *Config) {
	t.Helper()
	recorded(t, c)
	dir := c.Checkpoints[0].Dir
	known, err := models.Load(dir, models.LoadOptions{Backend: backendtest.Go(t)})
	require.NoError(t, err)
	known.Form.Reading = json.RawMessage(`{"take":["hip.x","hip.y","head.x","head.y"]}`)
	known.Form.Rate, known.Form.Longest = 10, 2
	known.Form.Cut = &recording.Cut{Window: recording.Span{Length: 0.2}, Step: recording.Span{Length: 0.1}}
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, known.Save(dir))
}

// newStreaming listens as a server of streams, and returns the address of its model.
func newStreaming(t testing.TB, change func(*Config)) (s *Server, dir, url string) {
	t.Helper()
	s, dir = newServer(t, func(c *Config) {
		streamed(t, c)
		if change != nil {
			change(c)
		}
	})
	return s, dir, listen(t, s) + "/v2/models/tiny/stream"
}

// rowAt is a row of a stream, at a time in tenths of a second.
func rowAt(tenths int) string {
	high := 9 * float64(tenths/20%2)
	return fmt.Sprintf(`{"time":%.1f,"hip.x":%g,"hip.y":%d,"head.x":%g,"head.y":1}`+"\n", float64(tenths)/10, high,
		tenths%3, 9-high)
}

// rowsUpTo are so many rows of a stream.
func rowsUpTo(n int) string {
	var b strings.Builder
	for at := range n {
		b.WriteString(rowAt(at))
	}
	return b.String()
}

// watchedLines returns the lines that a watcher of the same model tells of a stream.
func watchedLines(t *testing.T, dir, rows string, o watching.Options, raw bool) (lines []watching.Decision) {
	t.Helper()
	known, err := models.Load(dir, models.LoadOptions{Backend: backendtest.Go(t)})
	require.NoError(t, err)
	defer func() { require.NoError(t, known.Close()) }()
	w, err := watching.New(known, o, func(string) {})
	require.NoError(t, err)
	err = recordings.Follow(t.Context(), strings.NewReader(rows), known.Form, func(row recordings.Row) error {
		told, err := w.Take(t.Context(), row)
		lines = append(lines, w.Decisions(told, raw)...)
		return err
	}, func(*recordings.BadLine) {}, func(string) {})
	require.NoError(t, err)
	told, err := w.Finish(t.Context())
	require.NoError(t, err)
	return append(lines, w.Decisions(told, raw)...)
}

// moment returns a time that a line has as a number.
func moment(t *testing.T, m classify.Moment) float64 {
	t.Helper()
	require.True(t, m.IsNumber, m.Text)
	at, err := strconv.ParseFloat(m.Text, 64)
	require.NoError(t, err)
	return at
}

// streamLine is any line of an answer.
type streamLine struct {
	watching.Decision
	Note  string `json:"note"`
	Error string `json:"error"`
}

// linesOf reads the lines of an answer.
func linesOf(t testing.TB, raw []byte) (lines []streamLine) {
	t.Helper()
	for text := range strings.Lines(string(raw)) {
		var line streamLine
		require.NoError(t, json.Unmarshal([]byte(text), &line), text)
		lines = append(lines, line)
	}
	return lines
}

// A stream has the decisions of a watcher, with a lag and for all windows, too, compressed or as a CSV.
func TestStream(t *testing.T) {
	s, dir, url := newStreaming(t, nil)
	rows := rowsUpTo(60)
	lag := watching.Options{}
	lag.Rule.Lag = 2
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := io.WriteString(z, rows)
	require.NoError(t, errors.Join(err, z.Close()))
	for _, c := range []struct {
		query, body string
		headers     []string
		options     watching.Options
		raw         bool
	}{
		{"", rows, nil, watching.Options{}, false},
		{"?raw", rows, nil, watching.Options{}, true},
		{"?raw=true&lag=2", rows, nil, lag, true},
		{"?raw=false", packed.String(), []string{"Content-Encoding", "gzip"}, watching.Options{}, false},
	} {
		code, header, raw := send(t, http.MethodPost, url+c.query, c.body, c.headers...)
		require.Equal(t, http.StatusOK, code, string(raw))
		assert.Equal(t, "application/x-ndjson", header.Get("Content-Type"))
		var lines []watching.Decision
		for _, line := range linesOf(t, raw) {
			require.Empty(t, line.Error+line.Note, c.query)
			lines = append(lines, line.Decision)
		}
		want := watchedLines(t, dir, rows, c.options, c.raw)
		require.Len(t, lines, len(want), c.query)
		require.NotEmpty(t, lines)
		for i := range lines { // a batch of several windows may round otherwise
			assert.InDelta(t, want[i].Probability, lines[i].Probability, 1e-6)
			lines[i].Probability = want[i].Probability
		}
		assert.Equal(t, want, lines, c.query)
	}
	table := "time,head.x,head.y,hip.x,hip.y\n" + strings.Repeat("1,2,3,4,5\n", 2)
	code, _, raw := send(t, http.MethodPost, url, table)
	assert.Equal(t, http.StatusOK, code, string(raw))
	code, _, raw = send(t, http.MethodPost, url, "time,head.y,hip.x\n")
	assert.Equal(t, http.StatusBadRequest, code)
	messagetest.Names(t, errorOf(t, raw), "line 1 … hip.y")
	_, _, raw = send(t, http.MethodGet, strings.TrimSuffix(url, "/v2/models/tiny/stream")+"/metrics", "")
	for _, line := range []string{`ccp_streams{model="tiny"} 0`, `ccp_requests_total{code="200",model="tiny"} 5`,
		`ccp_requests_total{code="400",model="tiny"} 1`, `ccp_queue_signals{model="tiny"} 0`} {
		assert.Contains(t, string(raw), "\n"+line)
	}
	assert.NotContains(t, string(raw), "ccp_request_seconds_count", "a stream takes as long as its rows come")
	assert.Zero(t, s.memory.Load())
}

// opened is a stream whose rows are sent one by one.
type opened struct {
	send  *io.PipeWriter
	lines *bufio.Scanner
	close func()
}

// open begins a stream with a first row, and returns when the server has taken it.
func open(t *testing.T, url string) *opened {
	t.Helper()
	from, to := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, from)
	require.NoError(t, err)
	go func() { _, _ = io.WriteString(to, rowAt(0)) }()
	answer, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	o := &opened{to, bufio.NewScanner(answer.Body), func() {
		cancel()
		_ = to.CloseWithError(errors.New("gone")) // else the body may end as it should
		_ = answer.Body.Close()
	}}
	t.Cleanup(o.close)
	return o
}

// next reads a line.
func (o *opened) next(t *testing.T) streamLine {
	t.Helper()
	require.True(t, o.lines.Scan(), "there is a line: %v", o.lines.Err())
	return linesOf(t, o.lines.Bytes())[0]
}

// rows sends rows.
func (o *opened) rows(t *testing.T, from, to int) {
	t.Helper()
	for at := from; at < to; at++ {
		_, err := io.WriteString(o.send, rowAt(at))
		require.NoError(t, err)
	}
}

// A client reads each decision before it sends more rows. A gap, a clock that is set back and a line that holds no row
// are told, and the stream goes on.
func TestStreamAnswersWhileRowsCome(t *testing.T) {
	s, _, url := newStreaming(t, nil)
	o := open(t, url+"?raw")
	for at := 1; at < 8; at++ {
		o.rows(t, at, at+1)
		if at >= 2 {
			line := o.next(t)
			assert.InDelta(t, float64(at)/10, moment(t, *line.End), 1e-9)
		}
	}
	_, err := io.WriteString(o.send, "{\"time\":\"x\"}\n{]\n")
	require.NoError(t, err)
	messagetest.Names(t, o.next(t).Note, "left out: line 9 … time")
	messagetest.Names(t, o.next(t).Note, "left out: line 10 … JSON")
	o.rows(t, 100, 103)
	noted, gaps := "", 0
	for range 4 {
		line := o.next(t)
		noted += line.Note
		if line.Gap {
			gaps++
		}
		if gaps > 0 {
			break
		}
	}
	assert.Equal(t, 1, gaps)
	messagetest.Names(t, noted, "gap before time 10")
	o.rows(t, 0, 3)
	noted = ""
	for noted == "" {
		noted = o.next(t).Note
	}
	messagetest.Names(t, noted, "set back")
	require.NoError(t, o.send.Close())
	for o.lines.Scan() {
		assert.Empty(t, linesOf(t, o.lines.Bytes())[0].Error)
	}
	require.NoError(t, o.lines.Err(), "the answer ends as it should")
	assert.Eventually(t, func() bool { return s.memory.Load() == 0 }, 20*time.Second, time.Millisecond)
}

// What is wrong before the first row has a status code. Later it is the last line.
func TestStreamRefuses(t *testing.T) {
	s, _, url := newStreaming(t, func(c *Config) {
		c.Memory = 16 << 20
		c.TokenFile = filepath.Join(t.TempDir(), "tokens")
		require.NoError(t, os.WriteFile(c.TokenFile, []byte("right\n"), 0o600))
	})
	for _, c := range []struct {
		query, body, header, value string
		code                       int
		names                      string
	}{
		{"", rowAt(0), "Authorization", "Bearer wrong", 401, "token"},
		{"", "", "", "", 400, "no row"},
		{"", "{}", "", "", 400, "line 1"},
		{"", `{"hip.x":1}`, "", "", 400, "hip.y"},
		{"", strings.Replace(rowAt(0), `"time":0.0`, `"time":"soon"`, 1), "", "", 400, "line 1 … time … soon"},
		{"?raw=some", rowAt(0), "", "", 400, "raw=some"},
		{"?lag=0", rowAt(0), "", "", 400, "lag=0 … 1 to 1000"},
		{"?window=2s", rowAt(0), "", "", 400, `"window"`},
		{"", rowAt(0), "Content-Encoding", "br", 415, "gzip"},
		{"", rowAt(0), "Content-Encoding", "gzip", 400, "decompressed"},
		{"", strings.Repeat(" ", 1<<20), "", "", 413, "memory"},
	} {
		headers := []string{"Authorization", "Bearer right"}
		if c.header != "" {
			headers = append(headers, c.header, c.value)
		}
		code, _, raw := send(t, http.MethodPost, url+c.query, c.body, headers...)
		assert.Equal(t, c.code, code, c.names)
		messagetest.Names(t, errorOf(t, raw), c.names)
	}
	for _, c := range []struct{ rows, note, wrong string }{
		{strings.Replace(rowAt(4), `"time":0.4,`, "", 1) + rowAt(5), "left out: line 5 … time", ""},
		{strings.Replace(rowAt(4), `"head.y":1`, `"head.z":1`, 1) + rowAt(5), "left out: line 5 … head.z … head.y", ""},
		{strings.Replace(rowAt(4), "0.4", "1e300", 1) + rowAt(5), "left out: line 5 … 1e300", ""},
		{`{"time":0.4` + strings.Repeat(`,"hip.x":1`, 90_000) + "}\n", "", "16777216 bytes of memory"},
		{rowsWithin(0.4, 70_000), "", "unit of the training's"},
		{rowsUpTo(20)[len(rowsUpTo(4)):] + rowsWithin(2, 70_000), "", "65536 time points"},
	} {
		code, _, raw := send(t, http.MethodPost, url, rowsUpTo(4)+c.rows, "Authorization", "Bearer right")
		require.Equal(t, http.StatusOK, code)
		lines, notes := linesOf(t, raw), ""
		for i, line := range lines {
			notes += line.Note
			if i < len(lines)-1 {
				assert.Empty(t, line.Error)
			}
		}
		wrong := lines[len(lines)-1].Error
		if c.wrong == "" {
			assert.Empty(t, wrong)
			messagetest.Names(t, notes, c.note)
		} else {
			messagetest.Names(t, wrong, c.wrong)
		}
	}
	assert.Eventually(t, func() bool { return s.memory.Load() == 0 }, 20*time.Second, time.Millisecond)
}

// rowsWithin are so many rows within a thousandth of a second.
func rowsWithin(time float64, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"time":%.9f,"hip.x":1,"hip.y":1,"head.x":1,"head.y":1}`+"\n", time+1e-3*float64(i)/float64(n))
	}
	return b.String()
}

// Clients that go away, and those that are silent, leave nothing behind.
func TestStreamsOfClientsThatGo(t *testing.T) {
	s, _, url := newStreaming(t, nil)
	o := open(t, url+"?raw")
	o.rows(t, 1, 4)
	o.next(t)
	o.close()
	address := strings.TrimPrefix(strings.TrimSuffix(url, "/v2/models/tiny/stream"), "http://")
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	_, err = fmt.Fprintf(conn, "POST /v2/models/tiny/stream HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n%s",
		rowsUpTo(9))
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	metric := func(line string) bool {
		_, _, raw := send(t, http.MethodGet, "http://"+address+"/metrics", "")
		return strings.Contains(string(raw), "\n"+line)
	}
	assert.Eventually(t, func() bool {
		return metric(`ccp_requests_total{code="499",model="tiny"} 2`) && metric(`ccp_streams{model="tiny"} 0`) &&
			s.memory.Load() == 0
	}, 20*time.Second, 10*time.Millisecond)

	s.silence = 100 * time.Millisecond
	o = open(t, url)
	messagetest.Names(t, o.next(t).Error, "no row … 0.1s")
	assert.False(t, o.lines.Scan(), "it is the last line")
	assert.Eventually(t, func() bool { return metric(`ccp_requests_total{code="408",model="tiny"} 1`) }, 20*time.Second,
		10*time.Millisecond)
}

// A window waits for room in a full queue, and the stream ends if there is none in time.
func TestStreamsInAFullQueue(t *testing.T) {
	s, _, url := newStreaming(t, func(c *Config) { c.Queue, c.Timeout = 1, 100*time.Millisecond })
	s.models["tiny"].waiting.Add(1)
	o := open(t, url+"?raw")
	o.rows(t, 1, 4)
	messagetest.Names(t, o.next(t).Error, "queue … full")
	s.Timeout = time.Minute
	o = open(t, url+"?raw")
	o.rows(t, 1, 4)
	s.models["tiny"].waiting.Add(-1)
	assert.Empty(t, o.next(t).Error)
}

// Many streams at once have each its own decisions.
func TestManyStreams(t *testing.T) {
	s, dir, url := newStreaming(t, func(c *Config) { c.Queue = 4 })
	rows := rowsUpTo(200)
	want := watchedLines(t, dir, rows, watching.Options{}, true)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			_, _, raw := send(t, http.MethodPost, url+"?raw", rows)
			lines := linesOf(t, raw)
			if assert.Len(t, lines, len(want)) {
				for i, line := range lines {
					assert.Equal(t, want[i].Window, line.Window)
				}
			}
		})
	}
	group.Wait()
	assert.Zero(t, s.memory.Load())
}

// Streams share the memory of all requests: one that finds no room is refused, and has room when another one ends.
func TestStreamsShareMemory(t *testing.T) {
	s, _, url := newStreaming(t, func(c *Config) { c.Memory = 512 << 10 })
	var all []*opened
	for range 3 {
		all = append(all, open(t, url))
	}
	code, header, raw := send(t, http.MethodPost, url, rowsUpTo(9))
	assert.Equal(t, http.StatusServiceUnavailable, code)
	assert.Equal(t, "1", header.Get("Retry-After"))
	messagetest.Names(t, errorOf(t, raw), "memory")
	require.NoError(t, all[0].send.Close())
	assert.True(t, all[0].lines.Scan())
	messagetest.Names(t, all[0].lines.Text(), "note … no class … window")
	assert.False(t, all[0].lines.Scan())
	require.NoError(t, all[0].lines.Err())
	code, _, raw = send(t, http.MethodPost, url, rowsUpTo(9))
	assert.Equal(t, http.StatusOK, code, string(raw))
	for _, o := range all[1:] {
		o.close()
	}
	assert.Eventually(t, func() bool { return s.memory.Load() == 0 }, 20*time.Second, time.Millisecond)
}

// At the end of the server its streams are told so, whether rows come or not.
func TestStreamsEndWithTheServer(t *testing.T) {
	s, _ := newServer(t, func(c *Config) {
		streamed(t, c)
		c.Drain = 100 * time.Millisecond
	})
	address, stop := start(t, s)
	url := "http://" + address + "/v2/models/tiny/stream"
	silent, busy := open(t, url), open(t, url)
	var group sync.WaitGroup
	group.Go(func() {
		for at := 1; ; at++ {
			if _, err := io.WriteString(busy.send, rowAt(at)); err != nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	})
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	for _, o := range []*opened{silent, busy} {
		last := streamLine{}
		for o.lines.Scan() {
			last = linesOf(t, o.lines.Bytes())[0]
		}
		messagetest.Names(t, last.Error, "server is ending")
	}
	require.NoError(t, <-ended)
	busy.close()
	group.Wait()
}
