package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/jsonread"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var nan = math.NaN()

// form is of two sensors with an x and a y, at three time points.
func form() *Form { return &Form{Sensors: []string{"hip", "head"}, Channels: 2, Frames: 3} }

func TestSignal(t *testing.T) {
	signal := func(f *Form, r Recording) ([]float32, []string) {
		series, notes, err := f.Series(r)
		require.NoError(t, err)
		dst := make([]float32, f.Frames*f.Width())
		Resample(dst, series, f.Width())
		return dst, notes
	}
	// Padding at the end is cut off, a gap is filled by its time, and an end keeps the nearest value.
	r := Recording{Sensors: []string{"hip", "head"}, Channels: 2, Times: []float64{1, 2, 5, 9},
		Values: []float64{0, 10, 1, nan, nan, 20, 2, 7, 8, 50, 5, 7, nan, nan, nan, nan}}
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
	messagetest.EachNames(t, notes, "sensor foot … left out", "sensors … another order … names")

	f := form()
	f.Origin = "head"
	got, _ = signal(f, Recording{Values: []float64{3, 4, 1, 2}})
	assert.Equal(t, []float32{2, 2, 0, 0}, got[:4])

	f = form()
	f.Zeros = true
	got, notes = signal(f, Recording{Sensors: []string{"head"}, Values: []float64{1, 2}})
	assert.Equal(t, []float32{0, 0, 1, 2}, got[:4])
	messagetest.EachNames(t, notes, "no sensor hip … zero")
}

func TestUnusable(t *testing.T) {
	for _, c := range []struct {
		r    Recording
		want string
	}{
		{Recording{}, "it has no values"},
		{Recording{Values: []float64{1, 2, 3}},
			"3 values … multiple of 2 x 2"},
		{Recording{Values: []float64{1, 2}, Channels: 1}, "1 channels … training data 2"},
		{Recording{Values: []float64{1, 2}, Sensors: []string{"Hip"}},
			`no sensor "hip" … Hip?`},
		{Recording{Values: make([]float64, 6), Sensors: []string{"hip", "head", "hip"}},
			`two sensors … "hip"`},
		{Recording{Values: []float64{1, 2, 3, math.Inf(1)}},
			`"head" … channel 1 … time point 0 … +Inf … float32`},
		{Recording{Values: []float64{1, 2, 3, 4, 1, 2, 1e39, 4}}, `"head" … channel 0 … time point 1 … 1e+39`},
		{Recording{Values: []float64{1, 2, nan, 4}},
			`"head" … channel 0 … no value`},
		{Recording{Values: []float64{nan, nan, nan, nan}}, "no sensor … value"},
		{Recording{Values: make([]float64, 8), Times: []float64{1}}, "1 times … 2 time points"},
		{Recording{Values: make([]float64, 8), Times: []float64{1, 1}},
			"time point 1 … time 1 … ascend"},
		{Recording{Values: make([]float64, 8), Times: []float64{1, nan}}, "time point 1 … time NaN"},
		// its rate is infinite
		{Recording{Values: make([]float64, 8), Times: []float64{0, 1e-310}}, "time point 1 … 1e-310"},
		{Recording{Values: make([]float64, 8), Times: []float64{-1e308, 1e308}}, "time point 0 … -1e+308"},
	} {
		_, _, err := form().Series(c.r)
		messagetest.Names(t, err, c.want)
	}
}

// A recording of the form's own sensors is prepared in the memory that it has: a data set has many.
func TestPrepare(t *testing.T) {
	f, values := form(), make([]float64, 12)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		r := Recording{Values: values}
		_, err := f.Prepare(&r)
		require.NoError(t, err)
		require.Equal(t, 3, r.Timepoints())
	}))
}

func TestJSON(t *testing.T) {
	var r Recording
	require.NoError(t,
		json.Unmarshal([]byte(`{"name":"a","sensors":["x","y"],"values":[[1,null],[3,4]],"times":[0,2]}`), &r))
	assert.Equal(t, []string{"x", "y"}, r.Sensors)
	assert.Equal(t, []float64{1, 3, 4}, []float64{r.Values[0], r.Values[2], r.Values[3]})
	assert.True(t, math.IsNaN(r.Values[1]))
	for text, want := range map[string]string{
		`{"sensor":["x"]}`:           `no "sensor" … sensors … channels … values … times`,
		`{"values":[[1,2],[1]]}`:     "time point 1 … 1 values … 2 … null",
		`{"values":[["1"]]}`:         "text … byte 12 … number",
		`{"values":[[]]}`:            "",
		`{"values":[[1,2],[3,4]]}`:   "",
		`{"values":[[1,2,3,1e400]]}`: "1e400 … byte 23 … float64",
	} {
		err := json.Unmarshal([]byte(text), &r)
		if want == "" {
			require.NoError(t, err)
			continue
		}
		messagetest.Names(t, err, want, text)
	}
	require.NoError(t, json.Unmarshal([]byte(`{"values":[[1,2],[3,4]]}`), &r))
	_, _, err := form().Series(r)
	messagetest.Names(t, err, "time points have 2 … 2 x 2")
}

// Rows become a recording, which JSON writes as it reads it.
func TestNew(t *testing.T) {
	r, err := New([]string{"hip", "head"}, [][]float64{{1, 2, 3, 4}, {nan, 6, 7, 8}})
	require.NoError(t, err)
	assert.Equal(t, 4, r.Width)
	r.Name, r.Times = "walk", []float64{0, 0.5}
	text, err := json.Marshal([]Recording{r})
	require.NoError(t, err)
	assert.Equal(t, `[{"name":"walk","sensors":["hip","head"],"values":[[1,2,3,4],[null,6,7,8]],"times":[0,0.5]}]`, string(text))
	var read []Recording
	require.NoError(t, json.Unmarshal(text, &read))
	want, _, err := form().Series(r)
	require.NoError(t, err)
	got, _, err := form().Series(read[0])
	require.NoError(t, err)
	assert.Equal(t, want, got)
	got, _, err = form().Series(Recording{Series: want})
	require.NoError(t, err)
	assert.Equal(t, want, got)

	_, err = New(nil, [][]float64{{1, 2}, {3}})
	messagetest.Names(t, err, "time point 1 … 1 values … has 2 … NaN")
	_, err = json.Marshal(Recording{Values: []float64{1, 2}})
	require.ErrorContains(t, err, "no rows to write")
	r, err = New(nil, nil)
	require.NoError(t, err)
	_, _, err = form().Series(r)
	assert.EqualError(t, err, "it has no values")
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
		_, err := readRecording(jsonread.New([]byte(text)), func(n int) error { taken += n; return nil })
		require.NoError(t, err)
		assert.GreaterOrEqual(t, taken, least, text[:20])
		assert.Less(t, taken, 300*len(text)/3, text[:20])
		full, asked := errors.New("full"), 0
		_, err = readRecording(jsonread.New([]byte(text)), func(n int) error {
			asked += n
			if asked > 1<<16 {
				return full
			}
			return nil
		})
		require.ErrorIs(t, err, full)
		assert.Less(t, asked, 1<<17, "nothing is read after that")
	}
}

// A form that does not fit together is refused before it is used.
func TestCheck(t *testing.T) {
	assert.NoError(t, form().Check())
	for _, change := range []func(*Form){
		func(f *Form) { f.Frames = -1 },
		func(f *Form) { f.Channels = 0 },
		func(f *Form) { f.Sensors = nil },
		func(f *Form) { f.Rate = nan },
		func(f *Form) { f.Origin = "toe" },
		func(f *Form) { f.Fill = &Fill{Mean: make([]float64, 3)} },
		func(f *Form) { f.Fill = &Fill{Mean: make([]float64, 4), Neighbours: [][]int{{0}, {}}} },
		func(f *Form) {
			f.Fill = &Fill{Mean: make([]float64, 4), Neighbours: [][]int{{2}, {}}, Slope: [][]float64{{1, 1}, {}}}
		},
	} {
		f := form()
		change(f)
		messagetest.Names(t, f.Check(), "not fit together")
	}
}

// Series of other sensors are refused. How a training scales and resamples them does not matter.
// A recording may name its channels, which are put in the training data's order, or refused.
func TestChannelsByTheirNames(t *testing.T) {
	named := form()
	named.Reading = json.RawMessage(`{"take":["hip.x","hip.y","head.x","head.y"]}`)
	assert.Equal(t, []string{"x", "y"}, named.Axes())
	series := func(f *Form, text string) ([]float32, error) {
		var r Recording
		require.NoError(t, json.Unmarshal([]byte(text), &r))
		again, err := json.Marshal(r)
		require.NoError(t, err)
		assert.JSONEq(t, text, string(again))
		got, _, err := f.Series(r)
		return got, err
	}
	for _, text := range []string{
		`{"values":[[1,2,3,4],[5,6,7,8]]}`,
		`{"channels":["x","y"],"values":[[1,2,3,4],[5,6,7,8]]}`,
		`{"channels":["y","x"],"values":[[2,1,4,3],[6,5,8,7]]}`,
		`{"channels":["y","x"],"sensors":["head","hip"],"values":[[4,3,2,1],[8,7,6,5]]}`,
	} {
		got, err := series(named, text)
		require.NoError(t, err)
		assert.Equal(t, []float32{1, 2, 3, 4, 5, 6, 7, 8}, got, text)
	}
	for text, want := range map[string]string{
		`{"channels":["x","z"],"values":[[1,2,3,4]]}`:     "channels x, z … x, y",
		`{"channels":["x"],"values":[[1,2,3,4]]}`:         "channels x; … x, y",
		`{"channels":["x","y","y"],"values":[[1,2,3,4]]}`: "channels x, y, y … training data: x, y",
	} {
		_, err := series(named, text)
		messagetest.Names(t, err, want, text)
	}
	_, err := series(form(), `{"channels":["x","y"],"values":[[1,2,3,4]]}`)
	messagetest.Names(t, err, "training data … no names")
	for _, take := range []string{`["hip.x","hip.y","head.y","head.x"]`, `["hip","hip.y","head","head.y"]`, `["a"]`, `[]`} {
		other := form()
		other.Reading = json.RawMessage(`{"take":` + take + `}`)
		assert.Nil(t, other.Axes(), take)
	}
}

func TestFits(t *testing.T) {
	other, alone := form(), true
	other.Scale, other.Frames, other.Rate = &alone, 7, 3
	assert.NoError(t, form().Fits(other))
	assert.NoError(t, (*Form)(nil).Fits(nil))
	messagetest.Names(t, (*Form)(nil).Fits(form()), "2 channels … hip, head")
	messagetest.Names(t, form().Fits(nil), "data … no recordings")
	other.Sensors = []string{"head", "hip"}
	messagetest.Names(t, form().Fits(other), "name and import")
}

// With a rate, recordings are resampled by their times, whatever their length; without one they keep their time points.
func TestEven(t *testing.T) {
	f := &Form{Sensors: []string{"a"}, Channels: 1, Rate: 2}
	even := func(times, values []float64) []float32 {
		series, _, err := f.Series(Recording{Times: times, Values: values})
		require.NoError(t, err)
		return series
	}
	assert.Equal(t, []float32{0, 1, 2, 3, 4}, even([]float64{5, 6, 7}, []float64{0, 2, 4}), "one a second becomes two")
	assert.Equal(t, []float32{0, 1, 2}, even([]float64{0, 0.5, 1}, []float64{0, 1, 2}))
	assert.Equal(t, []float32{0, 1, 2, 3, 4}, even([]float64{0, 0.5, 2}, []float64{0, 1, 4}), "uneven times")
	assert.Len(t, even([]float64{0, 1, 1e6}, []float64{0, 1, 4}), 12, "a pause is no series")
	pause := []float64{0, 0.5, 1, 1.5, 2, 600, 600.5, 601}
	for _, f.Rate = range []float64{2, 0} {
		_, _, err := f.Series(Recording{Name: "r", Times: pause, Values: make([]float64, 8)})
		messagetest.Names(t, err, "measured … time 2 to 600 … 1196 times … windows")
	}
	f.Rate = 2
	assert.Equal(t, []float32{7}, even([]float64{3}, []float64{7}))
	assert.Equal(t, []float32{1, -1, 1, -1, 1}, even([]float64{0, 0.5, 0.6, 1, 1.5, 2}, []float64{1, -1, 0, 1, -1, 1}),
		"a time point beside the others smooths nothing")
	fast, values := make([]float64, 41), make([]float64, 41)
	for i := range fast {
		fast[i], values[i] = float64(i)/20+float64(i%2)/100, float64(1-2*(i%2))
	}
	for _, v := range even(fast, values)[1:4] {
		assert.InDelta(t, 0, v, 0.3, "what is faster than the rate is averaged, at uneven times, too")
	}
	f.Sensors = []string{"a", "b"}                        // with a clock of its own
	for _, shift := range []float64{0.001, -0.25, -0.6} { // a clock that begins, and ends, before or behind the other
		times, values, length := []float64{shift}, []float64{nan, 3}, 5
		for i := range 5 {
			times, values = append(times, float64(i)/2), append(values, float64(1-2*(i%2)), nan)
		}
		times, values = append(times, 2-shift), append(values, nan, 3)
		if shift > 0 { // in the order of time
			times[0], times[1], times[5], times[6] = 0, shift, 2-shift, 2
			values[0], values[1], values[2], values[3] = 1, nan, nan, 3
			values[10], values[11], values[12], values[13] = nan, 3, 1, nan
		} else if shift < -0.5 {
			length = 7
		}
		both := even(times, values)
		require.Len(t, both, 2*length)
		for i := range 5 {
			assert.InDelta(t, 1-2*(i%2), both[2*(i+(length-5)/2)], 1e-6, "shift %g, time point %d", shift, i)
		}
	}
	f.Sensors = f.Sensors[:1]
	f.Rate = 0
	assert.Equal(t, []float32{0, 2, 4}, even([]float64{0, 0.5, 2}, []float64{0, 1, 4}))
	assert.Zero(t, rateOf([]float64{1}))
	assert.Equal(t, 4.0, rateOf([]float64{0, 0.25, 0.5, 9}))
}

// Times in another unit than the training's are told of, and refused where they can be nothing else.
func TestAnotherUnit(t *testing.T) {
	f := &Form{Sensors: []string{"a", "b"}, Channels: 1, Rate: 10}
	series := func(step float64, timepoints int) ([]float32, []string, error) {
		r := Recording{Name: "r"}
		for i := range timepoints {
			r.Times, r.Values = append(r.Times, float64(i)*step), append(r.Values, 1, 2)
		}
		return f.Series(r)
	}
	for _, like := range []float64{0.025, 0.1, 0.4} {
		_, notes, err := series(like, 20)
		require.NoError(t, err)
		assert.Empty(t, notes)
	}
	for _, far := range []float64{0.001, 0.01, 1, 4} { // a faster device is no mistake
		_, notes, err := series(far, 80)
		require.NoError(t, err)
		messagetest.EachNames(t, notes, fmt.Sprintf("time points … %g … training's 0.1 … unit", far))
	}
	for _, other := range []float64{0.02, 0.5} { // another rate is no other unit
		_, notes, err := series(other, 80)
		require.NoError(t, err)
		messagetest.EachNames(t, notes, fmt.Sprintf("time points … %g a second … training's … 10 … resampled", 1/other))
		assert.NotContains(t, notes[0], "unit")
	}
	note, isUnit := f.OtherRate(10.9)
	assert.Empty(t, note)
	assert.False(t, isUnit)
	note, _ = f.OtherRate(8.9)
	assert.NotEmpty(t, note)
	_, isUnit = f.OtherRate(1)
	assert.True(t, isUnit)
	for _, c := range []struct {
		step       float64
		timepoints int
	}{{100, 10}, {6, 2}, {1e-4, 30}} {
		_, _, err := series(c.step, c.timepoints)
		messagetest.Names(t, err, fmt.Sprintf("r: … time points … %g … training's 0.1 … give … unit", c.step))
	}

	// Two sensors with times of their own may be read close together.
	r := Recording{}
	for i := range 20 {
		r.Times = append(r.Times, float64(i)/5, float64(i)/5+1e-6)
		r.Values = append(r.Values, 1, math.NaN(), math.NaN(), 2)
	}
	_, notes, err := f.Series(r)
	require.NoError(t, err)
	assert.Empty(t, notes)
	_, _, err = f.Series(Recording{Values: []float64{1}, Times: []float64{0, 1}})
	messagetest.Names(t, err, "1 values … multiple of 2 x 1")
}

func TestLength(t *testing.T) {
	f := form()
	assert.Empty(t, f.Length(7), "the training's lengths are not known")
	f.Shortest, f.Longest = 100, 200
	for _, like := range []int{91, 100, 150, 220} {
		assert.Empty(t, f.Length(like))
	}
	messagetest.Names(t, f.Length(90), "90 time points … from 100 to 200")
	f.Shortest = 200
	messagetest.Names(t, f.Length(221), "221 time points … have 200")
}

// A fast oscillation must not look like a slow one in fewer frames, and a slow one stays.
func TestResample(t *testing.T) {
	series := make([]float32, 2*1000)
	for i := range 1000 {
		series[2*i] = float32(math.Sin(0.99 * math.Pi * float64(i)))
		series[2*i+1] = float32(math.Sin(0.01 * math.Pi * float64(i)))
	}
	dst := make([]float32, 2*100)
	Resample(dst, series, 2)
	for i := 1; i < 99; i++ {
		assert.InDelta(t, 0, dst[2*i], 0.02)
		assert.InDelta(t, math.Sin(0.01*math.Pi*float64(i)*999/99), dst[2*i+1], 0.02)
	}
	same := make([]float32, len(series))
	Resample(same, series, 2)
	assert.Equal(t, series, same)
	one := make([]float32, 1)
	Resample(one, []float32{1, 2, 3}, 1)
	assert.Equal(t, []float32{2}, one)
	more := make([]float32, 5)
	Resample(more, []float32{0, 2, 4}, 1)
	assert.Equal(t, []float32{0, 1, 2, 3, 4}, more)
}

func FuzzJSON(f *testing.F) {
	f.Add(`{"sensors":["hip","head"],"values":[[1,null,2,3]],"times":[1]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var r Recording
		if json.Unmarshal([]byte(text), &r) != nil {
			return
		}
		if series, _, err := form().Series(r); err == nil {
			for _, v := range series {
				require.False(t, math.IsNaN(float64(v)) || math.IsInf(float64(v), 0))
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	text := []byte(`{"values":[[` + strings.Repeat("0.125,", 1<<18) + `0]]}`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, err := readRecording(jsonread.New(text), func(int) error { return nil })
		require.NoError(b, err)
	}
}

func TestNodeNames(t *testing.T) {
	assert.Equal(t, []string{"head@0", "left hand@0", "head@1", "left hand@1"},
		NodeNames([]string{"head", "left hand"}, 2))
}

// A recording without times is told to have the training's rate, once also if it is cut into windows. One time point
// has no rate.
func TestRecordingsWithoutTimes(t *testing.T) {
	f := &Form{Sensors: []string{"a"}, Channels: 1, Rate: 0.05, Second: 1000}
	const note = "no times … 50 time points … second"
	r := Recording{Values: []float64{1, 2, 3, 4}}
	_, notes, err := f.Series(r)
	require.NoError(t, err)
	messagetest.EachNames(t, notes, note)
	for _, window := range []Span{{Length: 2, Timepoints: true}, {Length: 0.04}} {
		ordered, windows, notes, err := f.Windows(r, Cut{Window: window}, 10)
		require.NoError(t, err)
		messagetest.EachNames(t, notes, note)
		require.Len(t, windows, 2)
		_, notes, err = f.Series(ordered.Part(windows[0]))
		require.NoError(t, err)
		assert.Empty(t, notes)
	}
	_, notes, err = f.Series(Recording{Values: []float64{1}})
	require.NoError(t, err)
	assert.Empty(t, notes)
	_, notes, err = f.Series(Recording{Values: []float64{1, 2, 3}, Times: []float64{0, 20, 40}})
	require.NoError(t, err)
	assert.Empty(t, notes)
	f.Rate = 0
	_, notes, err = f.Series(r)
	require.NoError(t, err)
	assert.Empty(t, notes, "the training's recordings had no times either")
}
