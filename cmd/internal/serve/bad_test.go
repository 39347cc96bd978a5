package serve

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var tinySpec = &models.Metadata{Spec: models.Spec{Info: signal.Info{Nodes: nodes, Channels: channels,
	ClassNames: make([]string, classes)}}}

func unbounded(int) error { return nil }

// badRequests are requests that must be refused, by the text of the error.
var badRequests = []struct{ body, header, want string }{
	{"", "", "JSON … unexpected end … byte 0"},
	{"{", "", "not the JSON"},
	{"[]", "", "not the JSON"},
	{strings.Repeat("[", 100000), "", "not the JSON"},
	{"{}", "", `no input … "signals"`},
	{`{"inputs":[{"name":"x"}]}`, "", `no input "x" … "signals"`},
	{`{"inputs":[{"name":"signals"},{"name":"signals"}]}`, "", "there are several inputs"},
	{`{"inputs":[{"name":"signals"}]}`, "", `"signals" … [] … [batch, 4, 2] … at least 1`},
	{strings.Replace(inJSON(1), "1,4,2", "0,4,2", 1), "", "has shape [0 4 2]"},
	{strings.Replace(inJSON(1), "1,4,2", "1,4,2,1", 1), "", "has more than 3 sizes"},
	{strings.Replace(inJSON(1), "1,4,2", "-1,4,2", 1), "", "has shape [-1 4 2]"},
	{strings.Replace(inJSON(1), "1,4,2", "1,2,4", 1), "", "has shape [1 2 4]"},
	{strings.Replace(inJSON(1), "1,4,2", "1,8", 1), "", "has shape [1 8]"},
	{strings.Replace(inJSON(1), "1,4,2", "1.5,4,2", 1), "", "not the JSON"},
	{strings.Replace(inJSON(1), "1,4,2", "9223372036854775807,4,2", 1), "",
		"9223372036854775807 … 1024"},
	{strings.Replace(inJSON(1), "1,4,2", "1024,4,2", 1), "", "data can hold"},
	{strings.Replace(inJSON(1), "1,4,2", "99999999999999999999,4,2", 1), "", "not the JSON"},
	{strings.Replace(inJSON(1), "FP32", "BYTES", 1), "", `"BYTES" … BOOL, UINT8, UINT16 … INT8`},
	{strings.Replace(inJSON(1), "FP32", "UINT8", 1), "", "element 0 … -2.5 … datatype"},
	{strings.Replace(strings.Replace(inJSON(1), "FP32", "FP64", 1), ",0.5", ",1e39", 1), "",
		"element 3 … 1e+39 … float32"},
	{strings.Replace(inJSON(1), "FP32", "INT64", 1), "", "element 0 … -2.5 … datatype"},
	{strings.Replace(inJSON(1), ",0.5", ",1e39", 1), "", "element 3 … 1e39 … datatype"},
	{strings.Replace(inJSON(1), ",0.5", ",null", 1), "", "element 3 is null"},
	{strings.Replace(inJSON(1), ",0.5", `,"0.5"`, 1), "", `element 3 is "0.5"`},
	{strings.Replace(inJSON(1), ",0.5", "", 1), "",
		"shape … after 7 elements … 8"},
	{strings.Replace(inJSON(1), ",0.5", ",0.5,1", 1), "",
		"shape … after the 8 elements"},
	{strings.Replace(inJSON(1), ",0.5", ",[0.5]", 1), "", "data … shape"},
	{`{"inputs":[{"name":"signals","shape":[1,4,2],"datatype":"FP32","data":[[[1,2],[3,4],[5,6],[7]]]}]}`, "",
		"after 1 elements … 2"},
	{`{"inputs":[{"name":"signals","shape":[1,4,2],"datatype":"FP32","data":[[1,2,3,4,5,6,7,8]]}]}`, "", "data … shape"},
	{`{"inputs":[{"name":"signals","shape":[1,4,2],"datatype":"FP32","data":{"a":12345678}}]}`, "", "data … array"},
	{`{"inputs":[{"name":"signals","shape":[1,4,2],"datatype":"FP32"}]}`, "", "data … 0 signals"},
	{strings.Replace(inJSON(1), `"id"`, `"outputs":[{"name":"logits"}],"id"`, 1), "",
		`no output "logits" … probabilities, class, label`},
	{strings.Replace(inJSON(1), `"id"`, `"outputs":[{"name":"class"},{"name":"class"}],"id"`, 1), "", `"class" … twice`},
	{strings.Replace(inJSON(1), `"id"`, `"outputs":[{"name":"class","parameters":{"classification":1}}],"id"`, 1), "",
		"classification … probabilities only"},
	{strings.Replace(inJSON(1), `"id"`, `"outputs":[{"name":"probabilities","parameters":{"classification":0}}],"id"`,
		1), "", "classification is 0"},
	{inJSON(1), "-1", "Inference-Header-Content-Length"},
	{inJSON(1), "x", "Inference-Header-Content-Length"},
	{inJSON(1), "100000", "Inference-Header-Content-Length"},
	{inJSON(1), "5", "not the JSON"},
	{inJSON(1) + "1234", fmt.Sprint(len(inJSON(1))), "4 bytes … input"},
	{binaryRequest(32, 31), "*", "binary_data_size is 32 … 31 bytes … [1 4 2] … FP32 … 32"},
	{binaryRequest(31, 32), "*", "binary_data_size is 31 … 32 bytes"},
	{binaryRequest(-1, 32), "*", "binary_data_size is -1 … 32 bytes"},
	{strings.Replace(binaryRequest(32, 32), `"parameters"`, `"data":[1],"parameters"`, 1), "*", "both data and binary_data_size"},
}

func binaryRequest(announced, sent int) string {
	return fmt.Sprintf(
		`{"inputs":[{"name":"signals","shape":[1,4,2],"datatype":"FP32","parameters":{"binary_data_size":%d}}]}`,
		announced) + strings.Repeat("\x00", sent)
}

// headerOf is the value of binaryHeader: for "*" the length of all up to the last brace.
func headerOf(body, header string) string {
	if header == "*" {
		return fmt.Sprint(strings.LastIndex(body, "}") + 1)
	}
	return header
}

func TestBadRequests(t *testing.T) {
	s, _ := newServer(t, nil)
	url := listen(t, s) + "/v2/models/tiny/infer"
	for _, c := range badRequests {
		var headers []string
		if c.header != "" {
			headers = []string{binaryHeader, headerOf(c.body, c.header)}
		}
		code, _, body := send(t, "POST", url, c.body, headers...)
		assert.Equal(t, 400, code, suggest.Clip(c.body))
		message := errorOf(t, body)
		messagetest.Names(t, message, c.want)
		assert.Less(t, len(message), 400)
	}
	// What only the classifier sees, with the index in the request, and beside good requests.
	nan := binaryRequest(64, 60) + "\x00\x00\xc0\x7f"
	code, _, body := send(t, "POST", url, strings.Replace(nan, "[1,", "[2,", 1), binaryHeader,
		fmt.Sprint(strings.LastIndex(nan, "}")+1))
	assert.Equal(t, 400, code)
	messagetest.Names(t, string(body), "signal 1 … node 3 … channel 1 … NaN")
	code, _, body = send(t, "POST", url, inJSON(1025))
	assert.Equal(t, 400, code)
	messagetest.Names(t, string(body), "1025 signals … 1024")
	code, _, _ = send(t, "POST", url, inJSON(1024))
	assert.Equal(t, 200, code)
	code, _, _ = send(t, "POST", url, inJSON(1), "X-Large", strings.Repeat("x", 2<<20))
	assert.Equal(t, 431, code)
}

// Ten thousand requests made bad in random ways leave nothing behind, and good ones beside them are answered.
func TestMalformedFlood(t *testing.T) {
	s, _ := newServer(t, nil)
	server := httptest.NewServer(s.Handler())
	url := server.URL + "/v2/models/tiny/infer"
	flood := func(n int, seed uint64) {
		var group sync.WaitGroup
		for worker := range 4 {
			group.Go(func() {
				random := rand.New(rand.NewPCG(seed, uint64(worker)))
				for i := range n / 4 {
					c := badRequests[random.IntN(len(badRequests))]
					body := []byte(c.body)
					for range random.IntN(4) {
						if len(body) > 0 {
							body[random.IntN(len(body))] = byte(random.IntN(256))
						}
					}
					if random.IntN(3) == 0 {
						body = body[:random.IntN(len(body)+1)]
					}
					var headers []string
					if c.header != "" {
						headers = []string{binaryHeader, headerOf(c.body, c.header)}
					}
					code, _, _ := send(t, "POST", url, string(body), headers...)
					assert.True(t, code == 400 || code == 200, "%d: %q", code, body) // some are good by chance
					if i%10 == 0 {
						code, _, _ := send(t, "POST", url, inJSON(1))
						assert.Equal(t, 200, code)
					}
				}
			})
		}
		group.Wait()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	}
	flood(1000, 1)
	before := settled()
	flood(10000, 2)
	after := settled()
	assert.LessOrEqual(t, after.goroutines, before.goroutines+4)
	assert.Less(t, after.heap, before.heap+4<<20)
	assert.Zero(t, s.memory.Load(), "all of the bodies' memory is given back")
	assert.Zero(t, s.models["tiny"].arriving.Load())
	server.Close()
	require.NoError(t, s.Close())
}

type usage struct {
	goroutines int
	heap       uint64
}

// settled is what is in use when what is ending has ended.
func settled() (u usage) {
	for range 20 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		last := u
		u = usage{runtime.NumGoroutine(), m.HeapAlloc}
		if u.goroutines == last.goroutines {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return u
}

// Clients that send half a request, or byte by byte, hold no memory to speak of and keep nobody else waiting.
func TestHalfRequests(t *testing.T) {
	s, _ := newServer(t, func(c *Config) { c.Memory = 1 << 20 })
	url := listen(t, s)
	var open []net.Conn
	for i := range 100 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		require.NoError(t, err)
		open = append(open, conn)
		half := "POST /v2/models/tiny/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 60000000\r\n\r\n{"
		_, err = io.WriteString(conn, half[:min(5+i, len(half))])
		require.NoError(t, err)
	}
	for range 20 {
		code, _, _ := send(t, "POST", url+"/v2/models/tiny/infer", inJSON(1))
		assert.Equal(t, 200, code)
	}
	for _, conn := range open {
		require.NoError(t, conn.Close())
	}
	assert.Eventually(t, func() bool { return s.memory.Load() == 0 }, 20*time.Second, time.Millisecond)
}

func TestSlowRequest(t *testing.T) {
	s, _ := newServer(t, nil)
	server := httptest.NewUnstartedServer(s.Handler())
	server.Config.ReadTimeout = 50 * time.Millisecond
	server.Start()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	_, err = io.WriteString(conn, "POST /v2/models/tiny/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
	require.NoError(t, err)
	raw, err := io.ReadAll(conn)
	require.NoError(t, err, "the server closes the connection")
	assert.Contains(t, string(raw), "HTTP/1.1 408 Request Timeout\r\n")
	messagetest.Names(t, string(raw), "too long")
	require.NoError(t, conn.Close())
	server.Close()
	require.NoError(t, s.Close())
	assert.Zero(t, s.memory.Load())
}

func TestMemoryIsBounded(t *testing.T) {
	s, _ := newServer(t, func(c *Config) { c.Memory = 16 << 10 })
	url := listen(t, s) + "/v2/models/tiny/infer"
	code, header, body := send(t, "POST", url, inJSON(500))
	assert.Equal(t, 413, code, "it never fits: %s", body)
	messagetest.Names(t, string(body), "16384 bytes of memory … parts")
	assert.Empty(t, header.Get("Retry-After"))
	s.memory.Add(15 << 10) // others'
	code, header, body = send(t, "POST", url, inJSON(1))
	assert.Equal(t, 503, code, string(body))
	assert.Equal(t, "1", header.Get("Retry-After"))
	s.memory.Add(-15 << 10)
	code, _, _ = send(t, "POST", url, inJSON(1))
	assert.Equal(t, 200, code)
	assert.Zero(t, s.memory.Load())
}

func FuzzDecode(f *testing.F) {
	for _, c := range badRequests[4:] { // without the longest
		f.Add([]byte(c.body), headerOf(c.body, c.header))
	}
	f.Add([]byte(inJSON(2)), "")
	f.Add([]byte(binaryRequest(32, 32)), headerOf(binaryRequest(32, 32), "*"))
	f.Fuzz(func(t *testing.T, body []byte, header string) {
		d, err := decode(body, header, tinySpec, 1024, unbounded)
		if err != nil {
			var b refusal
			require.ErrorAs(t, err, &b)
			require.Equal(t, 400, b.code)
			return
		}
		require.NotEmpty(t, d.Signals)
		for _, s := range d.Signals {
			require.Len(t, s, nodes*channels)
		}
		predictions := make([]models.Prediction, len(d.Signals))
		for i := range predictions {
			predictions[i] = models.Prediction{Name: "red", Probabilities: make([]float64, classes)}
		}
		raw, n, err := encode("tiny", "1", []string{"red", "green", "blue"}, d, predictions)
		require.NoError(t, err)
		if n < 0 {
			n = len(raw)
		}
		require.True(t, json.Valid(raw[:n]))
	})
}

// Numbers are read as encoding/json reads them.
func FuzzParseNumbers(f *testing.F) {
	for _, text := range []string{"[1,2,3,4]", " [ [1 ,2] , [ -3e2, 4.5E-1 ] ] ", "[[1,2],[3]]", "[1,[2],3,4]", "[]",
		"7", "[1,2,3,4,5]", `[1,2,3,"4"]`, "[1e99,0,0,0]", "[1,null,0,0]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) {
			return
		}
		got, err := parseNumbers(nil, data, []int{2, 2}, parseFloat, func() error { return nil })
		var flat []*float32
		var nested [][]*float32
		if json.Unmarshal(data, &flat) != nil {
			flat = nil
			if json.Unmarshal(data, &nested) == nil && len(nested) == 2 && len(nested[0]) == 2 && len(nested[1]) == 2 {
				flat = append(nested[0], nested[1]...)
			}
		}
		var want []float32
		for _, v := range flat {
			if v != nil {
				want = append(want, *v)
			}
		}
		if len(flat) != 4 || len(want) != 4 {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

// Reading a batch of images as JSON.
func BenchmarkDecode(b *testing.B) {
	spec := &models.Metadata{Spec: models.Spec{Info: signal.Info{Nodes: 1024, Channels: 3,
		ClassNames: make([]string, 10)}}}
	for name, scale := range map[string]float32{"bytes": 1, "fractions": 1. / 255} {
		b.Run(name, func(b *testing.B) {
			data := make([]float32, 64*1024*3)
			for i := range data {
				data[i] = float32(i%256) * scale
			}
			raw, err := json.Marshal(data)
			require.NoError(b, err)
			body := fmt.Appendf(nil, `{"inputs":[{"name":"signals","shape":[64,1024,3],"datatype":"FP32","data":%s}]}`, raw)
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				_, err := decode(body, "", spec, 1024, unbounded)
				require.NoError(b, err)
			}
		})
	}
}
