package serve

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/datasets/recording"
)

// readSeries makes signals of the input "series", `[batch, sensors, timepoints]` or `[batch, sensors, timepoints,
// channels]`: recordings as an .npz file has them, of the training's sensors in their order. NaN, which only a binary
// tensor holds, is a gap, or follows the end of a shorter recording. The input "times", FP64 in binary, may follow with
// the time of each time point, `[timepoints]` or `[batch, timepoints]`. Errors name the recording, the sensor and the
// time point.
func (d *inferRequest) readSeries(inputs []*input, tail []byte, form *recording.Form, most int,
	take func(int) error) error {
	if form == nil {
		return bad("%w", recording.ErrNoForm)
	}
	in := inputs[0]
	nested := slices.Clone(in.shape)
	if len(in.shape) == 3 && form.Channels == 1 {
		in.shape = append(in.shape, 1)
	}
	const longest = math.MaxInt32
	if len(in.shape) != 4 || in.shape[0] < 1 || in.shape[1] != len(form.Sensors) || in.shape[2] < 1 ||
		in.shape[2] > longest || in.shape[3] != form.Channels {
		return bad("input %q has shape %v; the model takes [batch, %d, timepoints, %d] with a batch of at least 1", in.name,
			nested, len(form.Sensors), form.Channels)
	}
	timepoints, own := in.shape[2], tail
	if len(inputs) > 1 {
		if in.size == nil || *in.size < 0 || *in.size > len(tail) {
			return bad("input %q has no parameter binary_data_size, or one beyond the %d bytes that follow the JSON; beside %q "+
				"it must be binary", in.name, len(tail), timesTensor)
		}
		own, tail = tail[:*in.size], tail[*in.size:]
	}
	values, err := in.elements(form.Width()*timepoints, nested, own, most, take)
	if err != nil {
		return err
	}
	var times []float64
	if len(inputs) > 1 {
		times, err = inputs[1].times(tail, in.shape[0], timepoints, take)
		if err != nil {
			return err
		}
	}
	// as float64, and then as the series that they become
	if err := take(d.perValue(recording.Recording{})*len(values) + perRecording*in.shape[0]); err != nil {
		return err
	}
	all := make([]recording.Recording, in.shape[0])
	for i := range all {
		all[i].Values = turned(values[i*form.Width()*timepoints:], timepoints, form)
		if times != nil {
			at := i % (len(times) / timepoints) // all may share their times
			all[i].Times = untilNaN(times[at*timepoints : (at+1)*timepoints])
			all[i].Values = all[i].Values[:len(all[i].Times)*form.Width()]
		}
	}
	return d.take(form, all)
}

// perRecording is about what a recording takes beside its values, in bytes.
const perRecording = 512

// turned returns the values of a recording `[sensors, timepoints, channels]` as `[timepoints, sensors, channels]`.
func turned(values []float32, timepoints int, form *recording.Form) []float64 {
	width, channels := form.Width(), form.Channels
	out := make([]float64, width*timepoints)
	for sensor := range form.Sensors {
		for at := range timepoints {
			for channel := range channels {
				out[at*width+sensor*channels+channel] = float64(values[(sensor*timepoints+at)*channels+channel])
			}
		}
	}
	return out
}

// untilNaN returns a copy of times without those that are NaN at the end, where nothing was measured.
func untilNaN(times []float64) []float64 {
	end := len(times)
	for end > 0 && math.IsNaN(times[end-1]) {
		end--
	}
	return slices.Clone(times[:end])
}

// times returns the values of the input "times".
func (in *input) times(tail []byte, batch, timepoints int, take func(int) error) ([]float64, error) {
	if !slices.Equal(in.shape, []int{timepoints}) && !slices.Equal(in.shape, []int{batch, timepoints}) {
		return nil, bad("input %q has shape %v; the series take [%d] or [%d, %[3]d]", in.name, in.shape, timepoints, batch)
	}
	count := timepoints
	if len(in.shape) == 2 {
		count *= batch
	}
	if in.datatype != "FP64" || in.size == nil || *in.size != 8*count || len(tail) != 8*count {
		return nil, bad("input %q must be binary FP64, of %d bytes, which is its binary_data_size; %d bytes are left",
			in.name, 8*count, len(tail))
	}
	if err := take(8 * count); err != nil {
		return nil, err
	}
	times := make([]float64, count)
	for i := range times {
		times[i] = math.Float64frombits(binary.LittleEndian.Uint64(tail[8*i:]))
	}
	return times, nil
}

// take makes the series of recordings: whole, or so far if early decisions are asked for.
func (d *inferRequest) take(form *recording.Form, all []recording.Recording) (err error) {
	read := classify.Whole
	if d.early {
		read = classify.SoFar
	}
	d.Samples, err = read(form, all, nil)
	return err
}
