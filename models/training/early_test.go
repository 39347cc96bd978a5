package training_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/along"
	"github.com/clusterpool/ccp/models/early"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// risen are recordings of two sensors over 40 time points in noise. From time point 12 on, that of the class is higher.
var risen = lot{samples: 60, tests: 60, columns: 2, timepoints: 40, label: even,
	change: func(values []float32, labels []int32) {
		for i, label := range labels {
			for at := 12; at < 40; at++ {
				values[(i*2+int(label))*40+at] += 3 // [samples, sensors, timepoints]
			}
		}
	}}

// trainedEarly trains transforms with early decisions on a file.
func trainedEarly(t *testing.T, path string, more training.Patch) (training.Result, training.Options) {
	t.Helper()
	asked := training.Patch{"data": path, "model": "transforms", "transforms": "values", "early": "loss"}
	for name, value := range more {
		asked[name] = value
	}
	o := training.Options{Dir: filepath.Join(t.TempDir(), "run")}
	result, err := training.Train(t.Context(), backendtest.Go(t), asked, o)
	require.NoError(t, err)
	return result, o
}

// The class is told soon after it shows, and not before. What comes later has no part in it, and a recording that ends
// before the decision is classified, too.
func TestEarlyDecisions(t *testing.T) {
	path := risen.write(t, 1)
	result, o := trainedEarly(t, path, nil)
	require.NotNil(t, result.Early)
	test := result.Early.Test
	require.NotNil(t, test)
	assert.Equal(t, 60, test.Samples)
	assert.GreaterOrEqual(t, test.Accuracy, test.AtEnd-0.05)
	assert.Greater(t, test.Seen, 12./40)
	assert.Less(t, test.Seen, 0.7)
	kept, err := training.ReadResult(o.Dir)
	require.NoError(t, err)
	assert.Equal(t, result.Early, kept.Early)

	c, err := models.Load(o.Dir, models.LoadOptions{Backend: backendtest.Go(t)})
	require.NoError(t, err)
	config, err := training.ReadConfig(o.Dir)
	require.NoError(t, err)
	d, err := config.LoadData(t.Context(), backendtest.Go(t), o)
	require.NoError(t, err)
	e, err := training.EvaluateEarly(t.Context(), c, d, d.Test)
	require.NoError(t, err)
	assert.Equal(t, *test, e.Figures, "the checkpoint decides as the training did")
	counted, right := 0, 0
	for _, look := range e.Looks {
		counted, right = counted+look.Samples, right+look.Right
	}
	assert.Equal(t, 60, counted)
	assert.True(t, e.Looks[len(e.Looks)-1].End)
	for _, point := range result.Early.Rule.Curve {
		assert.Equal(t, math.Round(60*point.Accuracy)/60, point.Accuracy, "a share of 60")
	}
	assert.InDelta(t, e.Accuracy, float64(right)/60, 1e-12)
	require.Len(t, e.PerClass, 2)
	assert.Equal(t, 60, e.PerClass[0].Samples+e.PerClass[1].Samples)

	width := c.Form.Width()
	for _, i := range d.Test[:10] {
		series := slices.Clone(d.Series[i])
		p := decided(t, c, series)
		require.True(t, p.Early.Decided)
		for at := p.Early.Timepoints * width; at < len(series); at++ {
			series[at] = -series[at]
		}
		assert.Equal(t, p, decided(t, c, series), "nothing looks ahead")
		cut := decided(t, c, series[:20*width])
		assert.Equal(t, int(d.Labels[i]), cut.Class)
		assert.LessOrEqual(t, cut.Early.Timepoints, 20)
		assert.Equal(t, p.Class, decided(t, c, d.Series[i][:p.Early.Timepoints*width]).Class)
		assert.True(t, decided(t, c, d.Series[i][:p.Early.Timepoints*width]).Early.Decided, "at the very decision")
		ended := decided(t, c, series[:6*width])
		assert.False(t, ended.Early.Decided)
		assert.Equal(t, 6, ended.Early.Timepoints)
		assert.Equal(t, 1., ended.Early.Seen)
	}
	checkSoFar(t, c, d.Series[d.Test[0]])
	assert.Zero(t, e.NoClass)
	short := *d
	short.Series = slices.Clone(d.Series)
	short.Series[d.Test[0]] = d.Series[d.Test[0]][:3*width]
	e, err = training.EvaluateEarly(t.Context(), c, &short, d.Test[:1])
	require.NoError(t, err)
	assert.Equal(t, 1, e.NoClass)
	assert.Equal(t, early.Figures{Samples: 1, AtEnd: e.AtEnd, Seen: 1}, e.Figures, "it counts as wrong")
	whole, err := c.ClassifyEarly(t.Context(), [][]float32{d.Series[d.Test[0]], {1, 2, 3}}, nil)
	require.ErrorContains(t, err, "unusable signal 1")
	assert.Equal(t, decided(t, c, d.Series[d.Test[0]]), whole[0], "the others are predicted")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.ClassifyEarly(ended, [][]float32{d.Series[d.Test[0]]}, nil)
	require.ErrorIs(t, err, context.Canceled)
}

// checkSoFar fails unless a recording that goes on has the class of the last look so far, or none and the shares of the
// classes before the first one, and a warning of its length until its class is decided.
func checkSoFar(t *testing.T, c *models.Classifier, series []float32) {
	t.Helper()
	width, looks := c.Form.Width(), c.Early.Looks
	cut := func(timepoints int) models.Prediction { return decided(t, c, series[:timepoints*width]) }
	require.Greater(t, looks[0], 4)
	for _, timepoints := range []int{1, 3, looks[0] - 1} {
		p := cut(timepoints)
		assert.False(t, p.Early.Decided)
		assert.Equal(t, c.Early.Shares, p.Probabilities, timepoints)
		assert.Equal(t, along.Unknown, p.Class)
		assert.Empty(t, p.Name)
		assert.Zero(t, p.Probability)
		require.Len(t, p.Warnings, 1)
		messagetest.Names(t, errors.New(p.Warnings[0]), fmt.Sprintf("%s … goes on … time point %d … shares",
			text.Count(timepoints, "time point"), looks[0]))
	}
	first := cut(looks[0])
	assert.NotEqual(t, c.Early.Shares, first.Probabilities)
	assert.Equal(t, first.Probabilities[first.Class], first.Probability)
	require.NotEmpty(t, first.Warnings)
	messagetest.Names(t, errors.New(first.Warnings[0]), "40 … goes on")
	require.Greater(t, looks[1], looks[0]+1)
	assert.Equal(t, first.Probabilities, cut(looks[1]-1).Probabilities, "the next look has not come")
	assert.Empty(t, cut(40).Warnings)
	assert.Empty(t, cut(cut(40).Early.Timepoints).Warnings, "decided: the length no longer matters")
	long := append(slices.Clone(series), series...)
	assert.Empty(t, decided(t, c, long).Warnings, "decided long before its end")
}

// A sensor that has one value throughout what was seen is told, unless it may have one for as long in the training. So
// is no sensor that varied before, and a dead one in one recording of twenty leaves the warning as it is.
func TestDeadSensorsAreToldEarly(t *testing.T) {
	late := risen // the first sensor is 7 until time point 17, and in one recording throughout
	late.change = func(values []float32, labels []int32) {
		risen.change(values, labels)
		for i := range labels {
			for at := range 17 {
				values[i*2*40+at] = 7
			}
		}
		for at := range 40 {
			values[(3*2+1)*40+at] = 7
		}
	}
	result, o := trainedEarly(t, late.write(t, 8), nil)
	assert.Equal(t, []int{18, 2}, result.Early.Rule.Varies)
	c, err := models.Load(o.Dir, models.LoadOptions{Backend: backendtest.Go(t)})
	require.NoError(t, err)
	live := make([]float32, 2*40)
	for at := range live {
		live[at] = float32(at%3) / 2
		if at%2 == 0 && at < 34 {
			live[at] = 7
		}
	}
	with := func(column, timepoints int) models.Prediction {
		series := slices.Clone(live[:2*timepoints])
		for at := column; at < len(series); at += 2 {
			series[at] = 0.5
		}
		return decided(t, c, series)
	}
	last := func(p models.Prediction) error { return errors.New(p.Warnings[len(p.Warnings)-1]) }
	require.Equal(t, []int{14, 16, 18}, c.Early.Looks[:3])
	for _, p := range []models.Prediction{with(0, 14), with(0, 17)} {
		assert.Len(t, p.Warnings, 1, "it goes on, and nothing else")
	}
	messagetest.Names(t, last(with(1, 15)), `"sensor 1" is 0.5 … 14 time points … training … varies … time point 2 … dead`)
	messagetest.Names(t, last(with(0, 19)), `"sensor 0" is 0.5 … 18 time points … time point 18 … dead`)
	both := decided(t, c, slices.Repeat([]float32{0.5}, 2*19))
	messagetest.Names(t, last(both), `"sensor 0" is 0.5 … and 1 other … dead`)
	assert.NotContains(t, strings.Join(decided(t, c, live).Warnings, ";"), "dead")
}

// Where cut recordings tell nothing, all is decided at the end, by a classifier that says so of what is cut.
func TestNothingIsEarly(t *testing.T) {
	never := risen
	never.change = func(values []float32, labels []int32) { // all alike until the last time point
		for row := range len(values) / 40 {
			clear(values[row*40:][:39])
			values[row*40+39] += 6 * float32(labels[row/2])
		}
	}
	result, o := trainedEarly(t, never.write(t, 5), nil)
	require.NotNil(t, result.Early)
	require.Equal(t, []int{}, result.Early.Rule.Looks, "a list in JSON")
	assert.Equal(t, 1., result.Early.Test.Seen)
	c, err := models.Load(o.Dir, models.LoadOptions{Backend: backendtest.Go(t)})
	require.NoError(t, err)
	p := decided(t, c, make([]float32, 2*20))
	assert.Equal(t, c.Early.Shares, p.Probabilities)
	assert.Equal(t, along.Unknown, p.Class)
	messagetest.Names(t, errors.New(p.Warnings[0]), "20 time points … goes on … before it ends … shares")
	assert.False(t, decided(t, c, make([]float32, 2*40)).Early.Decided)
	long := decided(t, c, make([]float32, 2*80))
	messagetest.Names(t, errors.New(long.Warnings[0]), "80 time points … may be wrong")
}

// decided predicts one series.
func decided(t *testing.T, c *models.Classifier, series []float32) models.Prediction {
	t.Helper()
	all, err := c.ClassifyEarly(t.Context(), [][]float32{series}, nil)
	require.NoError(t, err)
	require.Len(t, all, 1)
	return all[0]
}

// The largest harmonic mean takes no longer to decide, and has a mean no less, on the samples that chose.
func TestEarlyByMean(t *testing.T) {
	path := risen.write(t, 2)
	byLoss, _ := trainedEarly(t, path, nil)
	byMean, _ := trainedEarly(t, path, training.Patch{"early": "mean"})
	assert.Equal(t, byLoss.Early.Rule.Best, byMean.Early.Rule.Chosen)
	assert.LessOrEqual(t, byMean.Early.Rule.Chosen.Seen, byLoss.Early.Rule.Chosen.Seen)
}

// The begin of a recording that was scaled over its length tells of its end: what is decided early then is warned of,
// also if one sensor of two was scaled, and that of others is told in full.
func TestEarlyNotices(t *testing.T) {
	scaled := func(only int, scale func(row []float32)) lot {
		l := risen
		l.change = func(values []float32, labels []int32) {
			risen.change(values, labels)
			for row := range len(values) / 40 {
				if row%2 == only || only < 0 {
					scale(values[row*40:][:40])
				}
			}
		}
		return l
	}
	standard := func(row []float32) {
		sum, square := 0., 0.
		for _, v := range row {
			sum, square = sum+float64(v), square+float64(v)*float64(v)
		}
		mean := sum / 40
		for at, v := range row {
			row[at] = float32((float64(v) - mean) / math.Sqrt(square/40-mean*mean))
		}
	}
	between := func(row []float32) {
		least, most := slices.Min(row), slices.Max(row)
		for at, v := range row {
			row[at] = (v - least) / (most - least)
		}
	}
	switched := func(row []float32) { // between 0 and 1, too, but not by a scaling
		for at, v := range row {
			row[at] = 0
			if v > 1 {
				row[at] = 1
			}
		}
	}
	for _, c := range []struct {
		lot
		says string // "": no warning
	}{
		{scaled(-1, standard), `"sensor 0" … mean 0 … deviation 1 … every recording … 1 other … scaled`},
		{scaled(1, standard), `"sensor 1" … mean 0 … deviation 1 … every recording … scaled`},
		{scaled(1, between), `"sensor 1" … minimum 0 … maximum 1 … every recording … scaled`},
		{scaled(1, func(row []float32) {
			between(row)
			for at := range row {
				row[at] = 2*row[at] - 1
			}
		}), `"sensor 1" … minimum -1 … maximum 1 … every recording … scaled`},
		{scaled(1, switched), ""},
		{risen, ""},
	} {
		var notices strings.Builder
		asked := training.Patch{"data": c.write(t, 6), "model": "transforms", "transforms": "values", "early": "loss"}
		told := training.Observer{Notice: func(n training.Notice) { notices.WriteString(n.String() + "\n") }}
		result, err := training.Train(t.Context(), backendtest.Go(t), asked,
			training.Options{Dir: filepath.Join(t.TempDir(), "run"), Observer: told})
		require.NoError(t, err)
		f := result.Early.Rule.Chosen
		messagetest.Names(t, errors.New(notices.String()), fmt.Sprintf("early … %.1f%% … %d held-out … %.0f%% … mean … "+
			"%.3f … largest", 100*f.Accuracy, f.Samples, 100*f.Seen, f.Mean))
		assert.Equal(t, c.says != "", strings.Contains(notices.String(), "as if scaled"), c.says)
		if c.says != "" {
			messagetest.Names(t, errors.New(notices.String()), c.says)
		}
	}
}

// A class that only one group has cannot be told while that is held out: that groups are the reason is said. Where most
// samples are so, single ones are held out, and that is said, too.
func TestEarlyOfClassesInOneGroup(t *testing.T) {
	classes := []int{0, 1, 0, 1, 2}
	told := func(group func(i int) int) error {
		l, next := risen, -1
		l.label = func(*rand.Rand, int) int {
			next++
			return classes[next%5]
		}
		l.change = func(values []float32, labels []int32) {
			for i, label := range labels {
				for at := 12; at < 40; at++ {
					values[i*2*40+at] += 4 * float32(label-1)
				}
			}
		}
		l.group = group
		var notices strings.Builder
		asked := training.Patch{"data": l.write(t, 9), "model": "transforms", "transforms": "values", "early": "loss"}
		observer := training.Observer{Notice: func(n training.Notice) { notices.WriteString(n.String() + "\n") }}
		_, err := training.Train(t.Context(), backendtest.Go(t), asked,
			training.Options{Dir: filepath.Join(t.TempDir(), "run"), Observer: observer})
		require.NoError(t, err)
		return errors.New(notices.String())
	}
	free := told(nil)
	messagetest.Names(t, free, "decided early … held-out recordings are right")
	assert.NotContains(t, free.Error(), "group")
	own := func(i int) int { return 100 + classes[i%5] }
	messagetest.Names(t, told(func(i int) int {
		if classes[i%5] == 2 {
			return own(i)
		}
		return i / 10
	}), `late … groups … class "2" … one group`)
	messagetest.Names(t, told(own), "decided early … held out … groups … less … right")
}

// A classifier that was saved anew decides as before, and one of a training without it does not.
func TestEarlyIsSaved(t *testing.T) {
	_, o := trainedEarly(t, risen.write(t, 3), nil)
	c, err := models.Load(o.Dir, models.LoadOptions{Backend: backendtest.Go(t)})
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "saved")
	require.NoError(t, c.Save(dir))
	again, err := models.Load(dir, models.LoadOptions{Backend: backendtest.Go(t)})
	require.NoError(t, err)
	series := make([]float32, 2*40)
	assert.Equal(t, decided(t, c, series), decided(t, again, series))
	c.Early = nil
	_, err = c.ClassifyEarly(t.Context(), [][]float32{series}, nil)
	require.ErrorIs(t, err, early.ErrUntrained)
}

// What early decisions cannot be learned from is told before anything is trained.
func TestEarlyNeeds(t *testing.T) {
	short, few := risen, risen
	short.timepoints, short.change = 6, nil
	few.samples = 8
	lone, single := risen, risen
	lone.group = func(i int) int { return i % 2 }
	single.group = func(i int) int { return i / 60 } // all of the training
	for _, c := range []struct {
		of   lot
		more training.Patch
		says string
	}{
		{short, nil, "early … 6 time points … 3 looks"},
		{few, nil, "early … 8 training samples of 68 … at least 10 … split=none"},
		{risen, training.Patch{"data": "digits"}, "early … digits … no recordings"},
		{lone, nil, "early … 2 groups … leave the groups out"},
		{single, nil, "early … 1 group … leave the groups out"}, // nor are single samples held out in its place
		{risen, training.Patch{"early": "never"}, "early … never … none, loss, mean"},
		{risen, training.Patch{"early": "mean", "early_loss": 1}, "early_loss … 1 … early=mean"},
		{risen, training.Patch{"early": "none", "early_loss": 1}, "early_loss … 1 … early=loss"},
		{risen, training.Patch{"early_loss": -1}, "early_loss … -1"},
		{risen, training.Patch{"early_loss": 101}, "early_loss … 101 … [0, 100]"},
	} {
		asked := training.Patch{"data": c.of.write(t, 4), "model": "transforms", "early": "loss"}
		for name, value := range c.more {
			asked[name] = value
		}
		_, err := training.Train(t.Context(), backendtest.Go(t), asked,
			training.Options{Dir: filepath.Join(t.TempDir(), "run")})
		messagetest.Names(t, err, c.says)
		require.ErrorIs(t, err, training.ErrSettings)
	}
}
