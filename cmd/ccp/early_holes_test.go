package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// earlyLine is what predict and the server say of a recording.
type earlyLine struct {
	Name, Class string
	Early       struct {
		Decided *float64
		Seen    float64
	}
	Warnings []string
}

// predictedEarly returns what predict --early says of each recording, by its name.
func predictedEarly(t *testing.T, dir string, paths ...string) map[string]earlyLine {
	t.Helper()
	all := map[string]earlyLine{}
	line := append([]string{"predict", "--checkpoint", dir, "--early", "--json", "--backend", "go"}, paths...)
	for _, text := range strings.Split(strings.TrimSpace(succeed(t, line...)), "\n") {
		var one earlyLine
		require.NoError(t, json.Unmarshal([]byte(text), &one), text)
		all[one.Name] = one
	}
	return all
}

// A hole behind the decision has no part in it, one before it leaves what came before the hole, and neither ends the
// prediction of others: in tables, in numpy files and over HTTP, where a recording that goes on is refused at no time.
func TestEarlyWithHoles(t *testing.T) {
	folder := t.TempDir()
	recordings, dir := filepath.Join(folder, "strokes"), filepath.Join(folder, "run")
	data := recordings + ".npz"
	strokes(t, recordings, 60)
	succeed(t, "data", "import", recordings, "--test", "b*", "--out", data)
	succeed(t, "train", "--data", data, "--backend", "go", "--fast", "--set", "transforms=values", "--early",
		"--checkpoint", dir)
	raw, err := os.ReadFile(filepath.Join(recordings, "rises", "b41.csv"))
	require.NoError(t, err)
	rows := strings.Split(strings.TrimSpace(string(raw)), "\n")[1:]
	holed := filepath.Join(folder, "holed")
	without := func(name string, from, to int) string {
		path := filepath.Join(holed, name)
		left := append(append([]string{"time,force"}, rows[:from]...), rows[to:]...)
		write(t, path, strings.Join(left, "\n")+"\n")
		return path
	}
	late, soon := without("late.csv", 24, 38), without("soon.csv", 11, 25)
	without("whole.csv", 40, 40)
	found := predictedEarly(t, dir, holed)
	whole := found["whole.csv"]
	require.NotNil(t, whole.Early.Decided)
	require.Less(t, *whole.Early.Decided, 2.4, "else the hole of late is none behind the decision")
	require.Greater(t, *whole.Early.Decided, 1.1)
	whole.Name = "late.csv"
	assert.Equal(t, whole, found["late.csv"], "also the share seen, and no warning")
	assert.Nil(t, found["soon.csv"].Early.Decided)
	assert.InDelta(t, 11./40, found["soon.csv"].Early.Seen, 1e-9)
	messagetest.EachNames(t, found["soon.csv"].Warnings, "time 1 … made up … longest")
	for _, path := range []string{late, soon} {
		messagetest.Names(t, fails(t, "predict", "--backend", "go", "--checkpoint", dir, path), "made up")
	}

	array := filepath.Join(folder, "new.npy")
	file, err := os.Create(array)
	require.NoError(t, err)
	values := make([]float64, 0, 80)
	for _, row := range append(rows, rows...) {
		_, force, _ := strings.Cut(row, ",")
		v, err := strconv.ParseFloat(force, 64)
		require.NoError(t, err)
		values = append(values, v)
	}
	for at := 24; at < 38; at++ {
		values[at] = math.NaN()
	}
	require.NoError(t, npz.WriteNPY(file, &npz.Array{Shape: []int{2, 1, 40}, Data: values}))
	require.NoError(t, file.Close())
	for _, one := range predictedEarly(t, dir, array) {
		assert.Equal(t, whole.Early, one.Early, one.Name)
		assert.Equal(t, whole.Class, one.Class, one.Name)
	}
	checkHolesOverHTTP(t, dir, rows, values, *whole.Early.Decided)
	checkEvalIsPredict(t, dir, recordings)
}

// checkEvalIsPredict fails unless eval --early and predict --early decide on the test recordings at the same looks,
// with the same classes.
func checkEvalIsPredict(t *testing.T, dir, recordings string) {
	t.Helper()
	var told struct {
		Looks []struct {
			Decided        float64
			Samples, Right int
		}
	}
	out := succeed(t, "eval", "--checkpoint", dir, "--early", "--json", "--backend", "go")
	require.NoError(t, json.Unmarshal([]byte(out), &told))
	require.NotEmpty(t, told.Looks)
	samples, right := map[float64]int{}, map[float64]int{}
	for name, one := range predictedEarly(t, dir, recordings) {
		if !strings.HasPrefix(filepath.Base(name), "b") {
			continue
		}
		at := 0.
		if one.Early.Decided != nil {
			at = *one.Early.Decided
		}
		samples[at]++
		number, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(name)[1:], ".csv"))
		require.NoError(t, err)
		if one.Class == []string{"falls", "rises"}[number%2] {
			right[at]++
		}
	}
	for _, look := range told.Looks {
		assert.Equal(t, look.Samples, samples[look.Decided], "decided at %g", look.Decided)
		assert.Equal(t, look.Right, right[look.Decided], "decided at %g", look.Decided)
	}
}

// checkHolesOverHTTP fails unless a server takes a recording with a gap at each of its time points, and decides on it
// as on the whole.
func checkHolesOverHTTP(t *testing.T, dir string, rows []string, values []float64, decided float64) {
	t.Helper()
	models := served(t, dir)
	ask := func(query, recordings string) (int, []earlyLine, string) {
		answer, err := http.Post(models+"mine/recordings"+query, "application/json",
			strings.NewReader(`{"recordings":[`+recordings+`]}`))
		require.NoError(t, err)
		defer answer.Body.Close()
		var a struct {
			Error       string
			Predictions []earlyLine
		}
		require.NoError(t, json.NewDecoder(answer.Body).Decode(&a))
		return answer.StatusCode, a.Predictions, a.Error
	}
	var first *float64
	refused := 0
	var times, forces []string
	for i, row := range rows {
		if i >= 5 && i < 7 {
			continue
		}
		time, force, _ := strings.Cut(row, ",")
		times, forces = append(times, time), append(forces, "["+force+"]")
		one := fmt.Sprintf(`{"times":[%s],"values":[%s]}`, strings.Join(times, ","), strings.Join(forces, ","))
		code, all, wrong := ask("?early", one+`,{"values":[]},{"values":[[null],[null]]}`)
		require.Equal(t, http.StatusOK, code, "after %d rows: %s", len(times), wrong)
		assert.NotContains(t, strings.Join(all[0].Warnings, "; "), "read up to")
		if first == nil {
			first = all[0].Early.Decided
		}
		for _, none := range all[1:] {
			assert.Empty(t, none.Class)
			assert.Nil(t, none.Early.Decided)
			messagetest.EachNames(t, none.Warnings, "so far")
			assert.NotContains(t, none.Warnings[0], "remove", "there may be values later")
		}
		if code, _, _ := ask("", one); code != http.StatusOK {
			refused++
		}
	}
	assert.Positive(t, refused, "without early some are refused; else nothing was tested")
	require.NotNil(t, first)
	assert.Equal(t, decided, *first)

	body := new(bytes.Buffer)
	require.NoError(t, binary.Write(body, binary.LittleEndian, values))
	header := fmt.Sprintf(`{"inputs":[{"name":"series","datatype":"FP64","shape":[2,1,40],"parameters":{"binary_data_size":%d}}],`+
		`"outputs":[{"name":"decided"},{"name":"seen"},{"name":"label"}]}`, body.Len())
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, models+"mine/infer",
		strings.NewReader(header+body.String()))
	require.NoError(t, err)
	request.Header.Set("Inference-Header-Content-Length", strconv.Itoa(len(header)))
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	var a earlyAnswer
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&a))
	require.Equal(t, http.StatusOK, answer.StatusCode, a.Error)
	assert.Equal(t, []any{decided, decided}, a.Outputs[0].Data)
	assert.InDeltaSlice(t, []any{decided / 4, decided / 4}, a.Outputs[1].Data, 1e-9)
	assert.Equal(t, []any{"rises", "rises"}, a.Outputs[2].Data)
}
