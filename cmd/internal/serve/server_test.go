package serve

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEndpoints(t *testing.T) {
	s, _ := newServer(t, nil)
	url := listen(t, s)
	metadata := `{"name":"tiny","versions":["7"],"platform":"ccp","inputs":[{"name":"signals","datatype":"FP32","shape":[-1,4,2]}],
		"outputs":[{"name":"probabilities","datatype":"FP32","shape":[-1,3]},
		{"name":"class","datatype":"INT64","shape":[-1]},{"name":"label","datatype":"BYTES","shape":[-1]},
		{"name":"p_values","datatype":"FP64","shape":[-1,3]}],"parameters":{"held_out":2}}`
	for _, c := range []struct {
		method, path string
		code         int
		want         string
	}{
		{"GET", "/v2", 200, `{"name":"ccp","version":"1.2","extensions":["binary_tensor_data","classification"]}`},
		{"GET", "/v2/health/live", 200, `{"live":true}`},
		{"GET", "/v2/models", 200, `{"models":["tiny"]}`},
		{"GET", "/v2/health/ready", 200, `{"ready":true}`},
		{"GET", "/v2/models/tiny", 200, metadata},
		{"GET", "/v2/models/tiny/versions/7", 200, metadata},
		{"GET", "/v2/models/tiny/ready", 200, `{"name":"tiny","ready":true}`},
		{"GET", "/v2/models/tiny/versions/7/ready", 200, `{"name":"tiny","ready":true}`},
		{"GET", "/v2/models/tiny/versions/8", 404, `"tiny" … no version "8" … "7"`},
		{"POST", "/v2/models/tiny/versions/8/infer", 404, `"tiny" … no version "8" … "7"`},
		{"GET", "/v2/models/huge", 404, `no model "huge"`},
		{"POST", "/v2/models/huge/infer", 404, `no model "huge"`},
		{"GET", "/", 404, "no GET /"},
		{"GET", "/v2/", 404, "no GET /v2/"},
		{"GET", "/etc/passwd", 404, "no GET /etc/passwd"},
		{"GET", "/v2/models/..%2f..%2fetc%2fpasswd", 404, `no model "../../etc/passwd"`},
		{"GET", "/v2/models/tiny/infer", 405, "no GET /v2/models/tiny/infer"},
		{"DELETE", "/v2", 405, "no DELETE /v2"},
	} {
		code, header, body := send(t, c.method, url+c.path, inJSON(1))
		assert.Equal(t, c.code, code, c.path)
		if c.code == http.StatusOK {
			assert.JSONEq(t, c.want, string(body), c.path)
		} else {
			messagetest.Names(t, errorOf(t, body), c.want, c.path)
		}
		assert.Equal(t, "application/json", header.Get("Content-Type"))
	}
	_, header, _ := send(t, "GET", url+"/v2/models/tiny/infer", "")
	assert.Equal(t, "POST", header.Get("Allow"))
}

// The ways of asking get the classifier's own answer.
func TestInfer(t *testing.T) {
	s, dir := newServer(t, nil)
	url := listen(t, s) + "/v2/models/tiny/infer"
	c, err := models.Load(dir, models.LoadOptions{Backend: backendtest.Go(t)})
	require.NoError(t, err)
	var signals [][]float32
	for i := range 2 {
		signals = append(signals, values(2)[i*8:][:8])
	}
	want, err := classify.Predict(t.Context(), c, signals)
	require.NoError(t, err)

	code, _, body := send(t, "POST", url, inJSON(2))
	require.Equal(t, 200, code, string(body))
	a := read(t, body)
	assert.Equal(t, []string{"tiny", "7", "x7"}, []string{a.Model, a.Version, a.ID})
	require.Len(t, a.Outputs, 3)
	var probabilities []float64
	var class []int
	var label []string
	a.data(t, 0, &probabilities)
	a.data(t, 1, &class)
	a.data(t, 2, &label)
	assert.Equal(t, []any{"probabilities", "FP32", []int{2, 3}},
		[]any{a.Outputs[0].Name, a.Outputs[0].Datatype, a.Outputs[0].Shape})
	assert.Equal(t, []any{"class", "INT64", []int{2}}, []any{a.Outputs[1].Name, a.Outputs[1].Datatype, a.Outputs[1].Shape})
	assert.Equal(t, []any{"label", "BYTES", []int{2}}, []any{a.Outputs[2].Name, a.Outputs[2].Datatype, a.Outputs[2].Shape})
	for i, p := range want {
		assert.InDeltaSlice(t, p.Probabilities, probabilities[3*i:3*i+3], 1e-6)
		assert.Equal(t, p.Class, class[i])
		assert.Equal(t, p.Name, label[i])
	}

	nested := `[[[-2.5,-1.5],[-0.5,0.5],[1.5,2.5],[3.5,-2.5]], [[-1.5,-0.5],[0.5,1.5],[2.5,3.5],[-2.5,-1.5]]]`
	for name, request := range map[string]string{
		"nested":           `{"id":"x7","inputs":[{"name":"signals","shape":[2,4,2],"datatype":"FP32","data":` + nested + `}]}`,
		"FP64":             strings.Replace(inJSON(2), "FP32", "FP64", 1),
		"unknown fields":   strings.Replace(inJSON(2), `"id"`, `"parameters":{"priority":3},"extra":[{}],"id"`, 1),
		"a timeout":        strings.Replace(inJSON(2), `"id"`, `"parameters":{"timeout":9000000},"id"`, 1),
		"asked for by one": strings.Replace(inJSON(2), `"id"`, `"outputs":[{"name":"probabilities"},{"name":"class"},{"name":"label"}],"id"`, 1),
	} {
		code, _, again := send(t, "POST", url, request)
		assert.Equal(t, 200, code, name)
		assert.JSONEq(t, string(body), string(again), name)
	}
	code, _, one := send(t, "POST", url, strings.Replace(inJSON(2), `"id"`, `"outputs":[{"name":"class"}],"id"`, 1))
	require.Equal(t, 200, code)
	require.Len(t, read(t, one).Outputs, 1)
	assert.Equal(t, "class", read(t, one).Outputs[0].Name)
}

// Signals in another unit have warnings, in one text as the protocol's parameters are; others have none.
func TestInferWarns(t *testing.T) {
	s, _ := newServer(t, nil)
	url := listen(t, s) + "/v2/models/tiny/infer"
	request := `{"inputs":[{"name":"signals","shape":[2,4,2],"datatype":"FP32",
		"data":[1,2,3,4,5,6,7,8,1000,2000,3000,4000,5000,6000,7000,8000]}]}`
	warnings := func(request string) string {
		code, _, body := send(t, "POST", url, request)
		require.Equal(t, 200, code, string(body))
		var a struct{ Parameters map[string]string }
		require.NoError(t, json.Unmarshal(body, &a))
		return a.Parameters["warnings"]
	}
	messagetest.Names(t, warnings(request), "signal 1 … channel 0 … 1000 to 7000 … 0 to 9 … 1 other … unit")
	assert.Empty(t, warnings(strings.ReplaceAll(request, "000", "")))
	many := warnings(strings.ReplaceAll(inJSON(100), "2.5", "2500"))
	assert.Equal(t, 8, strings.Count(many, "\n"))
	assert.Contains(t, many, "\nand ")
}

func TestInferInBinary(t *testing.T) {
	s, _ := newServer(t, nil)
	url := listen(t, s) + "/v2/models/tiny/infer"
	whole := make([]float32, 2*nodes*channels) // whole numbers, which all datatypes have
	raw := map[string][]byte{}
	for i := range whole {
		whole[i] = float32(i % 5)
		for _, d := range datatypes {
			element := uint64(whole[i])
			switch d.name {
			case "BOOL":
				continue
			case "FP16":
				element = uint64([]uint16{0, 0x3c00, 0x4000, 0x4200, 0x4400}[i%5])
			case "BF16":
				element = uint64(math.Float32bits(whole[i]) >> 16)
			case "FP32":
				element = uint64(math.Float32bits(whole[i]))
			case "FP64":
				element = math.Float64bits(float64(whole[i]))
			}
			raw[d.name] = append(raw[d.name], binary.LittleEndian.AppendUint64(nil, element)[:d.width]...)
		}
	}
	inText, err := json.Marshal(whole)
	require.NoError(t, err)
	_, _, want := send(t, "POST", url, fmt.Sprintf(`{"inputs":[{"name":"signals","shape":[2,4,2],"datatype":"FP32","data":%s}]}`, inText))
	for datatype, tail := range raw {
		header := fmt.Sprintf(
			`{"inputs":[{"name":"signals","shape":[2,4,2],"datatype":"%s","parameters":{"binary_data_size":%d}}]}`, datatype, len(tail))
		code, answered, got := send(t, "POST", url, header+string(tail), binaryHeader, fmt.Sprint(len(header)))
		require.Equal(t, 200, code, "%s: %s", datatype, got)
		assert.JSONEq(t, string(want), string(got), datatype)
		assert.Empty(t, answered.Get(binaryHeader))
		code, _, got = send(t, "POST", url,
			fmt.Sprintf(`{"inputs":[{"name":"signals","shape":[2,4,2],"datatype":"%s","data":%s}]}`, datatype, inText))
		require.Equal(t, 200, code, datatype)
		assert.JSONEq(t, string(want), string(got), datatype)
	}

	// All outputs in binary but one.
	header := fmt.Sprintf(`{"parameters":{"binary_data_output":true},
		"outputs":[{"name":"label"},{"name":"class","parameters":{"binary_data":false}},{"name":"probabilities"}],
		"inputs":[{"name":"signals","shape":[2,4,2],"datatype":"FP32","parameters":{"binary_data_size":%d}}]}`, len(raw["FP32"]))
	code, answered, got := send(t, "POST", url, header+string(raw["FP32"]), binaryHeader, fmt.Sprint(len(header)))
	require.Equal(t, 200, code)
	assert.Equal(t, "application/octet-stream", answered.Get("Content-Type"))
	var n int
	_, err = fmt.Sscan(answered.Get(binaryHeader), &n)
	require.NoError(t, err)
	a, tail := read(t, got[:n]), got[n:]
	assert.Nil(t, a.Outputs[0].Data)
	var class []int
	a.data(t, 1, &class)
	var probabilities []float32
	read(t, want).data(t, 0, &probabilities)
	var labels []string
	read(t, want).data(t, 2, &labels)
	assert.Equal(t, a.Outputs[0].Parameters["binary_data_size"]+24, len(tail))
	for _, label := range labels {
		size := binary.LittleEndian.Uint32(tail)
		assert.Equal(t, label, string(tail[4:4+size]))
		tail = tail[4+size:]
	}
	for _, p := range probabilities {
		assert.Equal(t, p, math.Float32frombits(binary.LittleEndian.Uint32(tail)))
		tail = tail[4:]
	}
	assert.Empty(t, tail)
}

func TestClassification(t *testing.T) {
	assert.Equal(t, []string{"0.500000:2:blue", "0.250000:0:red"},
		ranking([]float64{0.25, 0.25, 0.5}, []string{"red", "green", "blue"}, 2))
	s, _ := newServer(t, nil)
	url := listen(t, s) + "/v2/models/tiny/infer"
	for asked, k := range map[int]int{1: 1, 3: 3, 10: 3} {
		code, _, body := send(t, "POST", url,
			strings.Replace(inJSON(2), `"id"`,
				fmt.Sprintf(`"outputs":[{"name":"probabilities","parameters":{"classification":%d}}],"id"`, asked), 1))
		require.Equal(t, 200, code, string(body))
		a := read(t, body)
		assert.Equal(t, []any{"BYTES", []int{2, k}}, []any{a.Outputs[0].Datatype, a.Outputs[0].Shape})
		var texts []string
		a.data(t, 0, &texts)
		require.Len(t, texts, 2*k)
		assert.Regexp(t, `^0\.\d{6}:[012]:(red|green|blue)$`, texts[0])
	}
}

func TestPacking(t *testing.T) {
	s, _ := newServer(t, func(c *Config) { c.MaxBody = 1 << 20 })
	url := listen(t, s) + "/v2/models/tiny/infer"
	_, _, want := send(t, "POST", url, inJSON(100))
	pack := func(encoding, text string) string {
		var b bytes.Buffer
		var w io.WriteCloser = gzip.NewWriter(&b)
		if encoding == "deflate" {
			w = zlib.NewWriter(&b)
		}
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return b.String()
	}
	for _, encoding := range []string{"gzip", "deflate"} {
		code, header, got := send(t, "POST", url, pack(encoding, inJSON(100)), "Content-Encoding", encoding,
			"Accept-Encoding", "gzip")
		require.Equal(t, 200, code)
		assert.Equal(t, "gzip", header.Get("Content-Encoding"))
		r, err := gzip.NewReader(bytes.NewReader(got))
		require.NoError(t, err)
		unpacked, err := io.ReadAll(r)
		require.NoError(t, err)
		assert.JSONEq(t, string(want), string(unpacked))

		bomb := pack(encoding, strings.Repeat(" ", 2<<20))
		code, _, got = send(t, "POST", url, bomb, "Content-Encoding", encoding)
		assert.Equal(t, 413, code, string(got))
	}
	// A stream of empty parts has no end before it is decompressed.
	empty, err := http.NewRequest(http.MethodPost, "/v2/models/tiny/infer",
		io.MultiReader(strings.NewReader(strings.Repeat(pack("gzip", ""), 100_000))))
	require.NoError(t, err)
	empty.Header.Set("Content-Encoding", "gzip")
	answer := httptest.NewRecorder()
	s.Handler().ServeHTTP(answer, empty)
	assert.Equal(t, 413, answer.Code, answer.Body)
	for accept, want := range map[string]string{"gzip;q=0": "", "br, GZIP ; q=0.5": "gzip", "identity": "",
		"deflate": ""} {
		_, header, _ := send(t, "POST", url, inJSON(100), "Accept-Encoding", accept)
		assert.Equal(t, want, header.Get("Content-Encoding"), accept)
	}
	code, _, _ := send(t, "POST", url, inJSON(1), "Content-Encoding", "br")
	assert.Equal(t, 415, code)
	code, _, body := send(t, "POST", url, inJSON(1), "Content-Encoding", "gzip")
	assert.Equal(t, 400, code)
	messagetest.Names(t, string(body), "decompressed")
	code, _, _ = send(t, "POST", url, strings.Repeat(" ", 2<<20))
	assert.Equal(t, 413, code)
}

func TestMetrics(t *testing.T) {
	s, _ := newServer(t, nil)
	url := listen(t, s)
	send(t, "POST", url+"/v2/models/tiny/infer", inJSON(3))
	send(t, "POST", url+"/v2/models/tiny/infer", "{")
	send(t, "POST", url+"/v2/models/x%0ay/infer", "")
	_, _, body := send(t, "GET", url+"/metrics", "")
	for _, line := range []string{`ccp_requests_total{code="200",model="tiny"} 1`,
		`ccp_requests_total{code="400",model="tiny"} 1`, `ccp_requests_total{code="404",model=""} 1`,
		`ccp_batch_signals_sum{model="tiny"} 3`, `ccp_request_seconds_count{model="tiny"} 1`,
		`ccp_compute_seconds_count{model="tiny"} 1`, `ccp_queue_signals{model="tiny"} 0`,
		`ccp_panics_total 0`, `ccp_reloads_total{model="tiny",result="ok"} 0`,
		`ccp_reloads_total{model="tiny",result="failed"} 0`, `go_goroutines `, `process_open_fds `} {
		assert.Contains(t, string(body), "\n"+line)
	}
}

func TestSeveralModels(t *testing.T) {
	a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	save(t, a, 1, 0)
	save(t, b, 2, 2)
	config := Defaults
	config.Checkpoints, config.Options = []Checkpoint{{"one", a}, {"", b}}, models.LoadOptions{Backend: backendtest.Go(t)}
	s, err := New(t.Context(), config)
	require.NoError(t, err)
	assert.Equal(t, []string{"one", "tiny"}, s.Names())
	url := listen(t, s)
	for name, want := range map[string]int{"one": 0, "tiny": 2} {
		_, _, body := send(t, "POST", url+"/v2/models/"+name+"/infer", inJSON(1))
		var class []int
		read(t, body).data(t, 1, &class)
		assert.Equal(t, []int{want}, class)
	}
	config.Checkpoints[0].Name = "tiny"
	_, err = New(t.Context(), config)
	require.ErrorIs(t, err, ErrNames)
	messagetest.Names(t, err, `two checkpoints … "tiny" … NAME=`+b)
	config.Checkpoints = nil
	_, err = New(t.Context(), config)
	messagetest.Names(t, err, "no checkpoint")
}

func TestNameOf(t *testing.T) {
	for data, want := range map[string]string{"digits": "digits", "a/b/mine.npz": "mine",
		`C:\data\my steps.npz`: "my-steps", `..\x/y.z.npz`: "y.z", "": "model", `a\`: "model"} {
		assert.Equal(t, want, nameOf(data), data)
	}
}

func TestParseCheckpoint(t *testing.T) {
	for text, want := range map[string]Checkpoint{"runs/a": {"", "runs/a"}, "m.1=runs/a": {"m.1", "runs/a"},
		"runs/a=b": {"", "runs/a=b"}, "x=a=b": {"x", "a=b"}} {
		got, err := ParseCheckpoint(text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, text := range []string{"", "a=", "=a", "a b=c", ".=c"} {
		_, err := ParseCheckpoint(text)
		assert.Error(t, err, text)
	}
	for data, want := range map[string]string{"digits": "digits", "/data/my file.npz": "my-file", "20words": "20words",
		"up-down": "up-down", "…": "model"} {
		assert.Equal(t, want, nameOf(data))
	}
}

// A signal of one channel may be nested as [batch, nodes] or as [batch, nodes, 1], as its shape says, or flat.
func TestNestedAsItsShape(t *testing.T) {
	for data, shape := range map[string][]int{"[[1,2,3],[4,5,6]]": {2, 3}, "[1,2,3,4,5,6]": {2, 3},
		"[[[1],[2],[3]],[[4],[5],[6]]]": {2, 3, 1}} {
		in := input{name: "signals", datatype: "FP32", shape: shape, data: []byte(data)}
		values, err := in.values(nil, []int{-1, 3, 1}, 9, func(int) error { return nil })
		require.NoError(t, err, data)
		assert.Equal(t, []float32{1, 2, 3, 4, 5, 6}, values, data)
	}
}
