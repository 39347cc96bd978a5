package serve

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An unknown part of a request that takes long to read ends with the time of the request, too.
func TestSkippingEnds(t *testing.T) {
	s, _ := newServer(t, func(c *Config) { c.Timeout = 50 * time.Millisecond })
	url := listen(t, s)
	start := time.Now()
	code, _, raw := send(t, http.MethodPost, url+"/v2/models/tiny/infer", `{"other":[0`+strings.Repeat(`,{"a":[1]}`, 2<<20)+`]}`)
	assert.Equal(t, http.StatusGatewayTimeout, code, string(raw))
	assert.Less(t, time.Since(start), s.Timeout+time.Second)
}

// Requests of chance are answered in time and never by an internal error. CCP_SOAK=10m sends them for so long.
func TestRequestsOfChance(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	most, until := 300, time.Now().Add(time.Minute)
	if text := os.Getenv("CCP_SOAK"); text != "" {
		long, err := time.ParseDuration(text)
		require.NoError(t, err)
		most, until = 1<<62, time.Now().Add(long)
	} else {
		seed = 1
	}
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, change := range []func(*Config){nil, func(c *Config) { recorded(t, c) }} {
		s, _ := newServer(t, func(c *Config) {
			if change != nil {
				change(c)
			}
			c.Timeout = time.Second
		})
		url := listen(t, s)
		end := time.Now().Add(time.Until(until) / 2)
		if change != nil {
			end = until
		}
		for n := 0; n < most && time.Now().Before(end); n++ {
			method, path, body, headers := request(random)
			start := time.Now()
			code, _, raw := send(t, method, url+path, body, headers...)
			told := fmt.Sprintf("%s %s %v %.300q: %d %.300s", method, path, headers, body, code, raw)
			require.True(t, code < 500 || code == http.StatusServiceUnavailable || code == http.StatusGatewayTimeout, told)
			require.Less(t, time.Since(start), s.Timeout+time.Second, told)
		}
		assert.Zero(t, s.memory.Load())
	}
}

// request makes a request of which each part is right or wrong by chance.
func request(random *rand.Rand) (method, path, body string, headers []string) {
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	list := func(most int, part func() string) string {
		parts := make([]string, random.IntN(most+1))
		for i := range parts {
			parts[i] = part()
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	number := func() string {
		return one("0", "1", "-2.5", "3", "4", "7", "1e7", "1e39", "1e-320", "null", "NaN", `"1"`, "[]", fmt.Sprint(random.NormFloat64()))
	}
	span := func() string { return one("1", "2", "100", "1s", "2s", "0.5s", "1h", "-1", "0", "1e9s", "NaN", "") }
	times := func() string {
		at, texts := 0.0, make([]string, 6)
		for i := range texts {
			at += []float64{1, 1, 1, 0.1, 0, 1e5, 1e7, 1e12, 1e300}[random.IntN(9)]
			texts[i] = fmt.Sprint(at)
		}
		return "[" + strings.Join(texts, ",") + "]"
	}
	recording := func() string {
		row := `[1,2,3,4]`
		values := "[" + strings.Repeat(row+",", 5) + one(row, row, `[1,null,2,3]`, `[null,null,null,null]`, `[`+number()+`,1,2,3]`, `[1]`) + "]"
		return one(`{"values":`+values+`,"times":`+times()+`}`, `{"values":`+values+`}`,
			`{"name":"x","sensors":["head","hip"],"values":`+list(3, func() string { return list(5, number) })+`}`, "null", "{}", `{"more":1}`)
	}
	switch random.IntN(4) {
	case 0:
		body = strings.Replace(inJSON(1+random.IntN(3)), one("0.5", "FP32", "4,2", "x7", "signals", "1.5"), one(number(), "FP64", "UINT8", "", "["), 1)
	case 1:
		body = fmt.Sprintf(`{"inputs":[{"name":"signals","shape":%s,"datatype":"FP32","data":%s}]}`, list(4, number), list(20, number))
	default:
		body = `{"recordings":` + list(20, recording) + `}`
	}
	if random.IntN(5) == 0 {
		body = body[:random.IntN(len(body)+1)]
	}
	path = one("/v2/models/tiny/", "/v2/models/tiny/", "/v2/models/tiny/versions/7/", "/v2/models/other/", "/v2/") +
		one("recordings", "recordings", "infer", "ready", "") + "?"
	for range random.IntN(3) {
		path += one("window", "window", "step", "reject", "windw", "%zz") + "=" + span() + "&"
	}
	if random.IntN(4) == 0 {
		headers = []string{binaryHeader, one("0", "1", fmt.Sprint(len(body)), fmt.Sprint(len(body)+1), "-1", "x")}
	}
	switch random.IntN(5) {
	case 0:
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write([]byte(body))
		_ = w.Close()
		body = packed.String()[:packed.Len()-random.IntN(2)*random.IntN(packed.Len())]
		fallthrough
	case 1:
		headers = append(headers, "Content-Encoding", one("gzip", "gzip", "deflate", "zstd"))
	}
	return one("POST", "POST", "POST", "POST", "GET", "PUT"), path, body, headers
}
