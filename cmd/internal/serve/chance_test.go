package serve

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models"
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
	assert.Less(t, time.Since(start), time.Minute, "the part would take minutes, also on a machine that is busy")
}

// right returns requests for recordings of chance and checks of their answers: they are what the classifier in dir
// says.
func right(t *testing.T, dir string) (bodies []string, check func(i int, answer []byte)) {
	known, err := models.Load(dir, models.LoadOptions{Backend: backendtest.Go(t)})
	require.NoError(t, err)
	defer func() { require.NoError(t, known.Close()) }()
	random, all := rand.New(rand.NewPCG(1, 0)), [][]models.Prediction{}
	for n := range 32 {
		recordings := make([]recording.Recording, 1+n%5)
		for i := range recordings {
			recordings[i].Width = 4
			for range 2 + random.IntN(9) {
				recordings[i].Values = append(recordings[i].Values, random.NormFloat64(), 1, random.NormFloat64(), 2)
			}
		}
		raw, err := json.Marshal(map[string]any{"recordings": recordings})
		require.NoError(t, err)
		predictions, err := known.ClassifyRecording(t.Context(), recordings...)
		require.NoError(t, err)
		bodies, all = append(bodies, string(raw)), append(all, predictions)
	}
	return bodies, func(i int, raw []byte) {
		var answer struct{ Predictions []classify.Prediction }
		if !assert.NoError(t, json.Unmarshal(raw, &answer), "%s", raw) || !assert.Len(t, answer.Predictions, len(all[i])) {
			return
		}
		for j, p := range answer.Predictions {
			assert.Equal(t, all[i][j].Name, p.Class)
			assert.InDelta(t, all[i][j].Probability, p.Probability, 1e-6)
		}
	}
}

// request makes a request of which each part is right or wrong by chance.
func request(random *rand.Rand) (method, path, body string, headers []string) {
	choose := func(values ...string) string { return values[random.IntN(len(values))] }
	list := func(most int, part func() string) string {
		parts := make([]string, random.IntN(most+1))
		for i := range parts {
			parts[i] = part()
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	number := func() string {
		return choose("0", "1", "-2.5", "3", "4", "7", "1e7", "1e39", "1e-320", "null", "NaN", `"1"`, "[]", fmt.Sprint(random.NormFloat64()))
	}
	span := func() string { return choose("1", "2", "100", "1s", "2s", "0.5s", "1h", "-1", "0", "1e9s", "NaN", "") }
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
		values := "[" + strings.Repeat(row+",", 5) + choose(row, row, `[1,null,2,3]`, `[null,null,null,null]`, `[`+number()+`,1,2,3]`, `[1]`) + "]"
		return choose(`{"values":`+values+`,"times":`+times()+`}`, `{"values":`+values+`}`,
			`{"name":"x","sensors":["head","hip"],"values":`+list(3, func() string { return list(5, number) })+`}`, "null", "{}", `{"more":1}`)
	}
	switch random.IntN(4) {
	case 0:
		body = strings.Replace(inJSON(1+random.IntN(3)), choose("0.5", "FP32", "4,2", "x7", "signals", "1.5"),
			choose(number(), "FP64", "UINT8", "", "["), 1)
	case 1:
		body = fmt.Sprintf(`{"inputs":[{"name":"signals","shape":%s,"datatype":"FP32","data":%s}]}`, list(4, number), list(20, number))
	default:
		body = `{"recordings":` + list(20, recording) + `}`
	}
	if random.IntN(5) == 0 {
		body = body[:random.IntN(len(body)+1)]
	}
	path = choose("/", "/", "/versions/7/", "/../other/", "/../../") +
		choose("recordings", "recordings", "infer", "ready", "") + "?"
	for range random.IntN(3) {
		path += choose("window", "window", "step", "coverage", "windw", "%zz") + "=" + span() + "&"
	}
	if random.IntN(4) == 0 {
		headers = []string{binaryHeader, choose("0", "1", fmt.Sprint(len(body)), fmt.Sprint(len(body)+1), "-1", "x")}
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
		headers = append(headers, "Content-Encoding", choose("gzip", "gzip", "deflate", "zstd"))
	}
	return choose("POST", "POST", "POST", "POST", "GET", "PUT"), path, body, headers
}
