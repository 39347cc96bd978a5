package serve

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inSeries is a request for series in binary, [batch, sensors, timepoints, channels], and perhaps their times, which
// wants probabilities as double.
func inSeries(t *testing.T, series []float32, shape []int, times []float64, timesShape []int) (body, header string) {
	t.Helper()
	raw, err := binary.Append(nil, binary.LittleEndian, series)
	require.NoError(t, err)
	describe := func(name, datatype string, shape []int, size int) map[string]any {
		return map[string]any{"name": name, "datatype": datatype, "shape": shape,
			"parameters": map[string]int{"binary_data_size": size}}
	}
	inputs := []any{describe("series", "FP32", shape, len(raw))}
	if times != nil {
		inputs = append(inputs, describe("times", "FP64", timesShape, 8*len(times)))
		raw, err = binary.Append(raw, binary.LittleEndian, times)
		require.NoError(t, err)
	}
	head, err := json.Marshal(map[string]any{"inputs": inputs, "outputs": []any{
		map[string]any{"name": "probabilities", "parameters": map[string]any{"datatype": "FP64"}}}})
	require.NoError(t, err)
	return string(head) + string(raw), strconv.Itoa(len(head))
}

// Series are the recordings that they hold, with gaps, ends and times; probabilities have all their digits.
func TestSeries(t *testing.T) {
	s, _ := newServer(t, func(c *Config) { recorded(t, c) })
	url := listen(t, s) + "/v2/models/tiny"
	nan := float32(math.NaN())
	series := []float32{ // [2, sensors, timepoints, channels]
		1, 2, nan, nan, 5, 6 /* head */, 3, 4, 3, 5, 7, 80,
		1, 2, 5, 6, nan, nan /* head */, 3, 4, 7, 80, nan, nan}
	for name, c := range map[string]struct {
		times  []float64
		shape  []int
		inJSON [2]string
	}{
		"without times": {nil, nil, [2]string{"", ""}},
		"shared times":  {[]float64{0, 1, 3}, []int{3}, [2]string{`,"times":[0,1,3]`, `,"times":[0,1]`}},
		"own times": {[]float64{0, 1, 3, 2, 4, math.NaN()}, []int{2, 3},
			[2]string{`,"times":[0,1,3]`, `,"times":[2,4]`}},
	} {
		t.Run(name, func(t *testing.T) {
			body, header := inSeries(t, series, []int{2, 2, 3, 2}, c.times, c.shape)
			code, _, raw := send(t, http.MethodPost, url+"/infer", body, binaryHeader, header)
			require.Equal(t, http.StatusOK, code, string(raw))
			a := read(t, raw)
			assert.Equal(t, []any{"FP64", []int{2, classes}}, []any{a.Outputs[0].Datatype, a.Outputs[0].Shape})
			var probabilities []float64
			a.data(t, 0, &probabilities)
			var about struct{ Parameters struct{ Warnings string } }
			require.NoError(t, json.Unmarshal(raw, &about))

			code, _, raw = send(t, http.MethodPost, url+"/recordings", fmt.Sprintf(
				`{"recordings":[{"values":[[1,2,3,4],[null,null,3,5],[5,6,7,80]]%s},{"values":[[1,2,3,4],[5,6,7,80]]%s}]}`,
				c.inJSON[0], c.inJSON[1]))
			require.Equal(t, http.StatusOK, code, string(raw))
			var want struct{ Predictions []classify.Prediction }
			require.NoError(t, json.Unmarshal(raw, &want))
			for i, p := range want.Predictions {
				for k, class := range []string{"red", "green", "blue"} {
					assert.Equal(t, p.Probabilities[class], probabilities[i*classes+k], "%d %s", i, class)
				}
				for _, warning := range p.Warnings {
					assert.Contains(t, about.Parameters.Warnings, warning)
				}
			}
		})
	}
}

func TestBadSeries(t *testing.T) {
	s, _ := newServer(t, func(c *Config) { recorded(t, c) })
	url := listen(t, s) + "/v2/models/tiny/infer"
	nan := float32(math.NaN())
	refused := func(body, header string) string {
		code, _, raw := send(t, http.MethodPost, url, body, binaryHeader, header)
		require.Equal(t, http.StatusBadRequest, code, string(raw))
		return errorOf(t, raw)
	}
	body, header := inSeries(t, make([]float32, 6), []int{1, 3, 2}, nil, nil)
	messagetest.Names(t, fmt.Errorf("%s", refused(body, header)), "series … [1 3 2] … [batch, 2, timepoints, 2]")
	body, header = inSeries(t, []float32{1, 2, 3, 4, nan, nan, nan, nan}, []int{1, 2, 2, 2}, nil, nil)
	messagetest.Names(t, fmt.Errorf("%s", refused(body, header)), "recording 0 … head … no value")
	for times, shape := range map[int][]int{3: {3}, 4: {2, 2}} {
		body, header = inSeries(t, make([]float32, 8), []int{1, 2, 2, 2}, make([]float64, times), shape)
		messagetest.Names(t, fmt.Errorf("%s", refused(body, header)), "times … [2] or [1, 2]")
	}
	body, header = inSeries(t, make([]float32, 8), []int{1, 2, 2, 2}, []float64{1, 0}, []int{2})
	assert.Contains(t, refused(body, header), "time")
	body, header = inSeries(t, make([]float32, 8), []int{1, 2, 2, 2}, []float64{0, 1}, []int{2})
	assert.Contains(t, refused(body[:len(body)-8], header), "binary FP64")
	n, err := strconv.Atoi(header)
	require.NoError(t, err)
	for _, c := range [][3]string{{`"times"`, `"other"`, "other"}, {`"series"`, `"signals"`, "3 sizes"},
		{`"FP64"}`, `"FP16"}`, "FP16"}} {
		changed := strings.Replace(body[:n], c[0], c[1], 1)
		assert.Contains(t, refused(changed+body[n:], strconv.Itoa(len(changed))), c[2])
	}

	s, _ = newServer(t, nil)
	url = listen(t, s) + "/v2/models/tiny/infer"
	body, header = inSeries(t, make([]float32, 8), []int{1, 2, 2, 2}, nil, nil)
	assert.Contains(t, refused(body, header), "trained on signals")
}

// The output p_values is there for who asks for it. A class of which no sample was held out has none.
func TestPValues(t *testing.T) {
	s, _ := newServer(t, nil)
	url := listen(t, s) + "/v2/models/tiny"
	code, _, raw := send(t, http.MethodGet, url, "")
	require.Equal(t, http.StatusOK, code)
	assert.Contains(t, string(raw), `{"name":"p_values","datatype":"FP64","shape":[-1,3]}`)
	assert.Contains(t, string(raw), `"held_out":2`)
	values := strings.TrimSuffix(strings.Repeat("0,", nodes*channels), ",")
	request := fmt.Sprintf(`{"inputs":[{"name":"signals","shape":[1,%d,%d],"datatype":"FP32","data":[%s]}],`+
		`"outputs":[{"name":"p_values"}]}`, nodes, channels, values)
	code, _, raw = send(t, http.MethodPost, url+"/infer", request)
	require.Equal(t, http.StatusOK, code, string(raw))
	var answer struct {
		Outputs []struct{ Data []*float64 }
	}
	require.NoError(t, json.Unmarshal(raw, &answer))
	require.Len(t, answer.Outputs, 1)
	require.Len(t, answer.Outputs[0].Data, classes)
	assert.Equal(t, 1./3, *answer.Outputs[0].Data[0], "no held-out score is as great")
	assert.Nil(t, answer.Outputs[0].Data[2])
}
