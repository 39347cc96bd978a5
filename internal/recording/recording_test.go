package recording

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/jsonread"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var nan = math.NaN()

// form is of two sensors with an x and a y, at three moments.
func form() *Form { return &Form{Sensors: []string{"hip", "head"}, Channels: 2, Frames: 3} }

func TestSignal(t *testing.T) {
	signal := func(f *Form, r Recording) ([]float32, []string) {
		dst := make([]float32, f.Frames*len(f.Sensors)*f.Channels)
		notes, err := f.Signal(r, dst)
		require.NoError(t, err)
		return dst, notes
	}
	// Padding at the ends is cut off, a gap is filled by its time, and an end keeps the nearest value.
	r := Recording{Sensors: []string{"hip", "head"}, Channels: 2, Times: []float64{0, 1, 2, 5, 9},
		Values: []float64{nan, nan, nan, nan, 0, 10, 1, nan, nan, 20, 2, 7, 8, 50, 5, 7, nan, nan, nan, nan}}
	before := append([]float64(nil), r.Values...)
	got, notes := signal(form(), r)
	assert.Equal(t, []float32{0, 10, 1, 7, 4, 30, 3, 7, 8, 50, 5, 7}, got)
	assert.Empty(t, notes)
	for i, v := range before { // the caller's slice stays as it was
		assert.Equal(t, math.IsNaN(v), math.IsNaN(r.Values[i]))
	}

	// By their names: another order, and one too many.
	other := Recording{Sensors: []string{"head", "foot", "hip"}, Values: []float64{1, 2, 90, 91, 3, 4}}
	got, notes = signal(form(), other)
	assert.Equal(t, []float32{3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2}, got)
	assert.Equal(t, []string{`sensor foot was not in the training data; left out`,
		"its sensors are in another order than the training data's; they are taken by their names"}, notes)

	// The origin and the scale are those of the import.
	f := form()
	f.Origin, f.Mean, f.Deviation = "head", []float64{1, 1, 0, 0}, []float64{2, 0, 1, 1}
	got, _ = signal(f, Recording{Values: []float64{3, 4, 1, 2}})
	assert.Equal(t, []float32{0.5, 1, 0, 0}, got[:4])

	f = form()
	f.Zeros = true
	got, notes = signal(f, Recording{Sensors: []string{"head"}, Values: []float64{1, 2}})
	assert.Equal(t, []float32{0, 0, 1, 2}, got[:4])
	assert.Equal(t, []string{`it has no sensor hip; the import said that missing sensors are zero`}, notes)
}

func TestUnusable(t *testing.T) {
	for _, c := range []struct {
		r    Recording
		want string
	}{
		{Recording{}, "it has no values"},
		{Recording{Values: []float64{1, 2, 3}}, "it has 3 values; want moments x sensors x channels, a multiple of 2 x 2"},
		{Recording{Values: []float64{1, 2}, Channels: 1}, "its sensors have 1 channels, those of the training data 2"},
		{Recording{Values: []float64{1, 2}, Sensors: []string{"Hip"}},
			`it has no sensor "hip"; did you mean Hip? There are Hip`},
		{Recording{Values: make([]float64, 6), Sensors: []string{"hip", "head", "hip"}},
			`it has two sensors named "hip"; name them apart`},
		{Recording{Values: []float64{1, 2, 3, math.Inf(1)}},
			`sensor "head" channel 1 at moment 0 is +Inf, which float32 does not hold`},
		{Recording{Values: []float64{1, 2, 3, 4, 1, 2, 1e39, 4}}, `sensor "head" channel 0 at moment 1 is 1e+39`},
		{Recording{Values: []float64{1, 2, nan, 4}},
			`sensor "head" channel 0 has no value in this sample; remove the sample or the sensor`},
		{Recording{Values: []float64{nan, nan, nan, nan}}, "no sensor has a value"},
		{Recording{Values: make([]float64, 8), Times: []float64{1}}, "it has 1 times for 2 moments"},
		{Recording{Values: make([]float64, 8), Times: []float64{1, 1}},
			"moment 1 has the time 1; times must be numbers that ascend"},
		{Recording{Values: make([]float64, 8), Times: []float64{1, nan}}, "moment 1 has the time NaN"},
		{Recording{Values: make([]float64, 8), Times: []float64{-1e308, 1e308}}, "moment 0 has the time -1e+308"},
	} {
		_, err := form().Signal(c.r, make([]float32, 12))
		assert.ErrorContains(t, err, c.want)
	}
}

func TestJSON(t *testing.T) {
	var r Recording
	require.NoError(t,
		json.Unmarshal([]byte(`{"name":"a","sensors":["x","y"],"values":[[1,null],[3,4]],"times":[0,2]}`), &r))
	assert.Equal(t, []string{"x", "y"}, r.Sensors)
	assert.Equal(t, []float64{1, 3, 4}, []float64{r.Values[0], r.Values[2], r.Values[3]})
	assert.True(t, math.IsNaN(r.Values[1]))
	for text, want := range map[string]string{
		`{"sensor":["x"]}`:           `a recording has no "sensor"; it has name, sensors, values and times`,
		`{"values":[[1,2],[1]]}`:     "moment 1 has 1 values, moment 0 has 2; write null for a missing value",
		`{"values":[["1"]]}`:         "a value is a text at byte 12; it must be a number",
		`{"values":[[]]}`:            "",
		`{"values":[[1,2],[3,4]]}`:   "",
		`{"values":[[1,2,3,1e400]]}`: "a value is 1e400 at byte 23, which float64 does not hold",
	} {
		err := json.Unmarshal([]byte(text), &r)
		if want == "" {
			require.NoError(t, err)
			continue
		}
		assert.ErrorContains(t, err, want, text)
	}
	require.NoError(t, json.Unmarshal([]byte(`{"values":[[1,2],[3,4]]}`), &r))
	_, err := form().Signal(r, make([]float32, 12))
	assert.ErrorContains(t, err, "its moments have 2 values; want sensors x channels, 2 x 2")
}

// A recording asks for memory before it takes it, and ends where it gets none.
func TestReadWithinMemory(t *testing.T) {
	for text, least := range map[string]int{
		`{"values":[[` + strings.Repeat("0,", 1<<16) + `0]]}`:             8 << 16,
		`{"values":[` + strings.Repeat("[0],", 1<<16) + `[0]]}`:           8 << 16,
		`{"times":[` + strings.Repeat("0,", 1<<16) + `0]}`:                8 << 16,
		`{"sensors":[` + strings.Repeat(`"",`, 1<<16) + `""]}`:            16 << 16,
		`{"values":[[` + strings.Repeat("1,", 1<<16) + `1]],"values":[]}`: 8 << 16,
	} {
		taken := 0
		_, err := Read(jsonread.New([]byte(text)), func(n int) error { taken += n; return nil })
		require.NoError(t, err)
		assert.GreaterOrEqual(t, taken, least, text[:20])
		assert.Less(t, taken, 300*len(text)/3, text[:20])
		full, asked := errors.New("full"), 0
		_, err = Read(jsonread.New([]byte(text)), func(n int) error {
			if asked += n; asked > 1<<16 {
				return full
			}
			return nil
		})
		require.ErrorIs(t, err, full)
		assert.Less(t, asked, 1<<17, "nothing is read after that")
	}
}

// A form that does not fit the file is refused before it is used.
func TestCheck(t *testing.T) {
	assert.NoError(t, form().Check(6, 2))
	for _, change := range []func(*Form){
		func(f *Form) { f.Frames = 2 },
		func(f *Form) { f.Frames = 1<<62 + 3 },
		func(f *Form) { f.Channels = 1 },
		func(f *Form) { f.Mean = []float64{1} },
		func(f *Form) { f.Mean, f.Deviation = make([]float64, 4), make([]float64, 3) },
		func(f *Form) { f.Origin = "toe" },
		func(f *Form) { f.Fill = &Fill{Mean: make([]float64, 3)} },
		func(f *Form) { f.Fill = &Fill{Mean: make([]float64, 4), Neighbours: [][]int{{0}, {}}} },
		func(f *Form) {
			f.Fill = &Fill{Mean: make([]float64, 4), Neighbours: [][]int{{2}, {}}, Slope: [][]float64{{1, 1}, {}}}
		},
	} {
		f := form()
		change(f)
		assert.ErrorContains(t, f.Check(6, 2),
			"which do not fit signals of 6 nodes and 2 channels; import the recordings again")
	}
}

// Signals of another form are refused, and those that an earlier import scaled by other samples. How a training scales
// them does not matter.
func TestFits(t *testing.T) {
	was := form()
	was.Mean, was.Deviation = []float64{1, 2, 3, 4}, []float64{1, 1, 1, 1}
	assert.NoError(t, was.Fits(was))
	assert.NoError(t, was.Fits(nil))
	assert.NoError(t, (*Form)(nil).Fits(was))
	other := form()
	other.Scale = true
	assert.NoError(t, form().Fits(other))
	assert.ErrorContains(t, was.Fits(other), "scaled the signals or the training data by its own samples")
	other.Mean, other.Deviation = []float64{1, 2, 3, 5}, was.Deviation
	assert.ErrorContains(t, was.Fits(other), "import both again and train anew, or classify the recordings themselves")
	other.Frames++
	assert.ErrorContains(t, was.Fits(other), "import them alike")
}

func FuzzJSON(f *testing.F) {
	f.Add(`{"sensors":["hip","head"],"values":[[1,null,2,3]],"times":[1]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var r Recording
		if json.Unmarshal([]byte(text), &r) != nil {
			return
		}
		dst := make([]float32, 12)
		if _, err := form().Signal(r, dst); err == nil {
			for _, v := range dst {
				require.False(t, math.IsNaN(float64(v)) || math.IsInf(float64(v), 0))
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	text := []byte(`{"values":[[` + strings.Repeat("0.125,", 1<<18) + `0]]}`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, err := Read(jsonread.New(text), func(int) error { return nil })
		require.NoError(b, err)
	}
}
