package serve

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// With -shapes.url, TestShapes sends to a server that runs already; the test only counts its answers then.
var (
	shapesURL  = flag.String("shapes.url", "", "of a model, such as http://127.0.0.1:8080/v2/models/digits")
	shapesPID  = flag.Int("shapes.pid", 0, "process of that server, whose memory and seconds are measured")
	shapesFor  = flag.Duration("shapes.for", 2*time.Second, "how long TestShapes sends: 10m before a release")
	shapesSize = flag.Int("shapes.size", 1<<20, "greatest size of a request in bytes, decompressed")
	shapesOf   = flag.String("shapes.of", "2,4", "nodes and channels of the model, or time points and values of one")
)

// junk are values that a request may hold anywhere; each is repeated.
var junk = []string{"{}", "[]", "0", "null", `""`, `"abc"`,
	"[[[]]]", `{"a":{"b":[{}]}}`, `"\u00e9\ud83d\ude00"`, "1e308", "-0.12345678901234567890",
	`{"name":"signals"}`, `{"name":"class"}`, `{"values":[[1,2,3,4]]}`,
	`{"sensors":["hip","head"],"values":[[1,2,3,4],[null,1,2,3]],"times":[0,1]}`, "true", "x", "NaN",
	`{"values":[[1,2,3,4],[1,2,3,4],[1,2,3,4],[1,2,3,4]],"times":[0,1,2,1e7]}`, `{"values":[[1,2,3,4],[1,2,3,4]],"times":[-1e300,1e300]}`}

// queries are what follows a path; the first are asked for often.
var queries = []string{"", "?window=2s&step=1s", "?window=1", "?window=2s", "?window=1h&step=1ns", "?coverage=0.5",
	"?windw=1s", "?window=%zz", "?window=1&window=2", "?window=999999999", "?step=1"}

// places are requests with a place @ for junk. $ is the model's nodes and channels, ~ is a good input.
var places = []string{`{"inputs":[~]}`, `{"inputs":[~],"outputs":[@]}`, `{"inputs":[~,@]}`, `{"inputs":[@,~]}`,
	`{"inputs":[~],"parameters":{"x":[@]}}`,
	`{"id":"@","inputs":[~],"outputs":[{"name":"probabilities","parameters":{"classification":@}}]}`,
	"@", "[@]", `{"x":@}`, `{"x":[@]}`, `{"id":"@"}`, `{"id":@}`, `{"inputs":@}`, `{"inputs":[@]}`, `{"inputs":[{"x":[@]}]}`,
	`{"inputs":[{"name":"@"}]}`, `{"inputs":[{"name":"signals","shape":[@],"datatype":"FP32","data":[1]}]}`,
	`{"inputs":[{"name":"signals","shape":[1,$],"datatype":"@","data":[1]}]}`,
	`{"inputs":[{"name":"signals","shape":[1024,$],"datatype":"FP32","data":[@]}]}`,
	`{"inputs":[{"name":"signals","shape":[1000000000,$],"datatype":"FP32","data":[@]}]}`,
	`{"inputs":[{"name":"signals","shape":[16,$],"datatype":"FP64","data":[[[@]]]}]}`,
	`{"outputs":[@]}`, `{"outputs":[{"name":"class","parameters":{"x":[@]}}]}`, `{"parameters":{"timeout":@}}`,
	`{"parameters":{"x":[@],"@":1}}`,
	`{"recordings":@}`, `{"recordings":[@]}`, `{"recordings":[{"values":[@]}]}`, `{"recordings":[{"values":[[@]]}]}`,
	`{"recordings":[{"sensors":[@],"values":[[1,2,3,4]]}]}`,
	`{"recordings":[{"sensors":["@","hip"],"values":[[1,2,3,4]]}]}`,
	`{"recordings":[{"name":"@","values":[[1,2,3,4]]}]}`, `{"recordings":[{"values":[[1,2,3,4]],"times":[@]}]}`,
	`{"recordings":[{"@":1}]}`}

// shape makes a request of at most size bytes, of any shape.
func shape(random *rand.Rand, size int, dims string) string {
	signals, values := 1+random.IntN(64), 1
	for dim := range strings.SplitSeq(dims, ",") {
		n, _ := strconv.Atoi(dim)
		values *= n
	}
	good := fmt.Sprintf(`{"name":"signals","shape":[%d,%s],"datatype":"FP32","data":[%s0.25]}`, signals, dims,
		strings.Repeat("1.5,", signals*values-1))
	text := strings.NewReplacer("~", good, "$", dims).Replace(places[random.IntN(len(places))])
	value := junk[random.IntN(len(junk))]
	separator := ","
	switch random.IntN(8) {
	case 0:
		separator = []string{"", " ", ":", "]", "}", "[", `{"a":`, `,"a":`}[random.IntN(8)]
	case 1: // names that differ
		var b strings.Builder
		for i := 0; b.Len() < size/(1+random.IntN(1000)); i++ {
			fmt.Fprintf(&b, `"s%d",`, i)
		}
		return strings.ReplaceAll(text, "@", strings.TrimSuffix(b.String(), ","))
	}
	most := size / (len(value) + len(separator)) / max(1, strings.Count(text, "@"))
	count := 1 + int(float64(most-1)*[]float64{0, 0.001, random.Float64(), 1}[random.IntN(4)])
	inside := strings.Repeat(value+separator, count-1) + value
	text = strings.ReplaceAll(text, "@", inside)
	if random.IntN(4) == 0 {
		text = text[:random.IntN(len(text)+1)]
	}
	return text
}

// sender sends requests of every shape to a model and looks at each answer.
type sender struct {
	url, dims string
	end       time.Time
	s         *Server                    // nil: the server is another process
	bodies    []string                   // right requests
	check     func(i int, answer []byte) // of the answer to a right one

	mu      sync.Mutex
	codes   map[int]int
	slowest map[string]time.Duration // by the path
}

// ask sends a request. Whatever it is, the answer comes in time, is the client's fault if it is an error, and is short
// then.
func (q *sender) ask(t *testing.T, method, path, body string, headers ...string) (code int, answer []byte) {
	t.Helper()
	start := time.Now()
	code, _, answer = send(t, method, q.url+path, body, headers...)
	took := time.Since(start)
	assert.Less(t, took, Defaults.Timeout+time.Second, "%s %s %q", method, path, suggest.Clip(body))
	q.mu.Lock()
	q.codes[code]++
	path, _, _ = strings.Cut(path, "?")
	q.slowest[path] = max(q.slowest[path], took)
	q.mu.Unlock()
	if code != 503 || q.s != nil { // full memory is no fault; here there is enough for all
		assert.Less(t, code, 500, "%s %s %q: %s", method, path, suggest.Clip(body), suggest.Clip(string(answer)))
	}
	if code != 200 {
		assert.Less(t, len(answer), 4096, "%s %q", path, suggest.Clip(body))
	}
	assert.NotContains(t, string(answer), "Go ", "%q", suggest.Clip(body))
	return code, answer
}

// send sends one request after the other until the end. Half of them are right.
func (q *sender) send(t *testing.T, random *rand.Rand) {
	t.Helper()
	for time.Now().Before(q.end) {
		if q.s != nil && random.IntN(2) == 0 {
			i := random.IntN(len(q.bodies))
			code, answer := q.ask(t, http.MethodPost, "/recordings", q.bodies[i])
			if assert.Equal(t, http.StatusOK, code, "%s", answer) {
				q.check(i, answer)
			}
			continue
		}
		if q.s != nil && random.IntN(4) == 0 {
			method, path, body, headers := request(random)
			q.ask(t, method, path, body, headers...)
			continue
		}
		text, path := shape(random, *shapesSize, q.dims), []string{"/infer", "/recordings"}[random.IntN(2)]
		path += queries[min(random.IntN(len(queries)), random.IntN(len(queries)))]
		if random.IntN(20) == 0 {
			q.leave(t, path, text)
			continue
		}
		body, headers := packed(random, text)
		q.ask(t, http.MethodPost, path, body, headers...)
	}
}

// leave sends a request slowly, and is gone before its end.
func (q *sender) leave(t *testing.T, path, text string) {
	t.Helper()
	ctx, leave := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer leave()
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, q.url+path,
		iotest.OneByteReader(pausing{strings.NewReader(text)}))
	if answer, err := http.DefaultTransport.RoundTrip(r); err == nil {
		answer.Body.Close()
	}
}

// packed makes the body of a request and its headers: the text as it is, said to be binary in part, or compressed, and
// then at times cut off.
func packed(random *rand.Rand, text string) (body string, headers []string) {
	switch random.IntN(4) {
	case 0:
		return text, []string{binaryHeader, strconv.Itoa(random.IntN(len(text) + 1))}
	case 1, 2:
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
		_, _ = io.WriteString(w, text)
		_ = w.Close()
		body = b.String()
		if random.IntN(4) == 0 {
			body = body[:random.IntN(len(body))]
		}
		return body, []string{"Content-Encoding", "gzip"}
	}
	return text, nil
}

// Half of the requests are right, and their answers are what the classifier says. Whatever is sent beside them, as it
// is or compressed, to each path: the server's answers are 200 or the client's fault, in time, and nothing stays
// counted.
func TestShapes(t *testing.T) {
	q := &sender{url: *shapesURL, dims: *shapesOf, codes: map[int]int{}, slowest: map[string]time.Duration{}}
	if q.url == "" {
		var dir string
		q.s, dir = newServer(t, func(c *Config) {
			recorded(t, c)
			c.Memory, c.MaxBody = 128<<20, 2<<20
		})
		q.url = listen(t, q.s) + "/v2/models/tiny"
		q.bodies, q.check = right(t, dir)
		*shapesPID = os.Getpid() // whose memory is the senders', too
	}
	q.end = time.Now().Add(*shapesFor)
	var stop atomic.Bool
	peak := 0
	var watch, group sync.WaitGroup
	watch.Go(func() {
		for ; !stop.Load(); time.Sleep(50 * time.Millisecond) {
			peak = max(peak, resident(*shapesPID))
		}
	})
	before, idle := seconds(*shapesPID), resident(*shapesPID)
	for worker := range 4 {
		group.Go(func() { q.send(t, rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), uint64(worker)))) })
	}
	group.Wait()
	stop.Store(true)
	watch.Wait()
	t.Logf("answers %v; slowest %v; resident %d MB before, %d MB at most, %d MB after; %.1f s of processor", q.codes,
		q.slowest, idle, peak,
		resident(*shapesPID), seconds(*shapesPID)-before)
	if q.s != nil {
		require.Eventually(t, func() bool { return q.s.memory.Load() == 0 && q.s.models["tiny"].arriving.Load() == 0 },
			10*time.Second, 10*time.Millisecond)
	}
}

// pausing reads slowly.
type pausing struct{ io.Reader }

func (p pausing) Read(b []byte) (int, error) {
	time.Sleep(time.Millisecond)
	return p.Reader.Read(b)
}

// resident is the memory of a process in MB, or 0 where that is not known.
func resident(pid int) int {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := strings.Fields(string(raw) + " 0 0")
	pages, _ := strconv.Atoi(fields[1])
	return pages * os.Getpagesize() / 1e6
}

// seconds is the processor time of a process, or 0 where that is not known.
func seconds(pid int) float64 {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(raw), ") ")
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return float64(user+system) / 100 // the kernel's ticks
}
