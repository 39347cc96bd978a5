package transforms

import (
	"context"
	"math"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/onnx"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/dsp/fourier"
)

// featureMap computes the features of a recording.
type featureMap interface {
	width() int
	// features writes the features of the recording in w.
	features(w *work, out []float32)
	// export adds nodes that compute what features does, `[batch, width]`, from series `[batch, columns, timepoints]` of any length, as
	// work has them.
	export(g *onnx.Graph, x string) string
}

// drawer is a map with random parts, or parts that depend on the training samples.
type drawer interface {
	draw(ctx context.Context, u units, samples []Sample, seed uint64) error
	// arrays returns what the map has drawn by the paths in a checkpoint, in slices of their final length.
	arrays() map[string][]float32
}

// fft returns the transform of n values.
func (w *work) fft(n int) *fourier.FFT {
	if w.ffts == nil {
		w.ffts = map[int]*fourier.FFT{}
	}
	if w.ffts[n] == nil {
		w.ffts[n] = fourier.NewFFT(n)
	}
	return w.ffts[n]
}

// work holds a recording, column by column, and buffers. Each goroutine has its own.
type work struct {
	timepoints     int
	columns, steps [][]float32 // `[columns][timepoints]`, and the differences `[columns][timepoints-1]`
	flat, sum, out []float32
	known          map[string][]float32 // the features that the forest reads, by transforms
	responses      [rivals][]float32    // of HYDRA's kernels, or of one of MiniRocket's
	ffts           map[int]*fourier.FFT
	keys, spare    []uint64
	stretched      *work // the recording stretched, for the map stretched
}

// units are the mean of each column, and one over its standard deviation or zero for a constant one. turned is the number of
// frames, if a sample is `[sensors, frames, channels]`.
type units struct {
	mean, scale      []float32
	channels, turned int
	stretch          int // time points that recordings are stretched to, if above zero
}

// place returns where a sample has the value of a column at a time point.
func (u units) place(timepoint, column int) int {
	if u.turned > 0 {
		return (column/u.channels*u.turned+timepoint)*u.channels + column%u.channels
	}
	return timepoint*len(u.mean) + column
}

// column returns the column of a value of a sample.
func (u units) column(at int) int {
	if u.turned > 0 {
		return at/(u.channels*u.turned)*u.channels + at%u.channels
	}
	return at % len(u.mean)
}

// read standardises the columns of a recording, `[timepoints, columns]`. A value that is not finite becomes the mean.
func (u units) read(w *work, values []float32) {
	w.timepoints, w.known = max(1, len(values)/len(u.mean)), map[string][]float32{}
	w.take(len(u.mean))
	for c, x := range w.columns {
		for p := range x {
			if at := u.place(p, c); at < len(values) && finite(values[at]) {
				x[p] = (values[at] - u.mean[c]) * u.scale[c]
			}
		}
		w.differ(c)
	}
	if u.stretch > 0 {
		of := *w
		w.flat, w.columns, w.steps = nil, nil, nil
		w.stretch(&of, u.stretch)
	}
}

// take makes columns of zeros for all time points, and their differences.
func (w *work) take(columns int) {
	t := w.timepoints
	w.flat = sized(w.flat, 2*columns*t)
	w.columns, w.steps = w.columns[:0], w.steps[:0]
	for c := range columns {
		w.columns, w.steps = append(w.columns, w.flat[2*c*t:(2*c+1)*t]), append(w.steps, w.flat[(2*c+1)*t:(2*c+2)*t-1])
	}
}

// differ sets the differences of a column.
func (w *work) differ(c int) {
	for p := range w.steps[c] {
		w.steps[c][p] = w.columns[c][p+1] - w.columns[c][p]
	}
}

func finite(x float32) bool { return x-x == 0 }

// measure measures the columns over all time points of the samples, without what is not finite.
func (u units) measure(samples []Sample) {
	columns := len(u.mean)
	n, mean, squares := make([]float64, columns), make([]float64, columns), make([]float64, columns)
	for pass := range 2 {
		for _, s := range samples {
			for i, x := range s.Values {
				switch c := u.column(i); {
				case !finite(x):
				case pass == 0:
					n[c]++
					mean[c] += (float64(x) - mean[c]) / n[c]
				default:
					squares[c] += (float64(x) - mean[c]) * (float64(x) - mean[c]) / n[c]
				}
			}
		}
	}
	for c := range columns {
		u.mean[c] = float32(mean[c])
		if deviation := math.Sqrt(squares[c]); deviation > max(1e-7*math.Abs(mean[c]), 1/math.MaxFloat32) {
			u.scale[c] = float32(1 / deviation)
		}
	}
}

// shiftAdd adds weight · x[p + shift] to each sum[p]. Beyond its ends x is zero.
func shiftAdd(sum []float32, weight float32, x []float32, shift int) {
	from, to := max(0, -shift), min(len(sum), len(x)-shift)
	if to > from {
		blas32.Axpy(weight, vector(x[from+shift:to+shift]), vector(sum[from:to]))
	}
}

func vector(x []float32) blas32.Vector { return blas32.Vector{N: len(x), Data: x, Inc: 1} }

// ascending returns the places of values, the least value first, in the lower halves of numbers. It sorts by the bytes of the upper
// halves, since half of all comparisons would be mispredicted.
func (w *work) ascending(x []float32) []uint64 {
	w.keys, w.spare = sized(w.keys, len(x)), sized(w.spare, len(x))
	for i, v := range x {
		bits := math.Float32bits(v)
		w.keys[i] = uint64(bits^(uint32(int32(bits)>>31)|1<<31))<<32 | uint64(i)
	}
	for shift := 32; shift < 64; shift += 8 {
		var to [257]int
		for _, key := range w.keys {
			to[int(byte(key>>shift))+1]++
		}
		for b := range 256 {
			to[b+1] += to[b]
		}
		for _, key := range w.keys {
			w.spare[to[byte(key>>shift)]] = key
			to[byte(key>>shift)]++
		}
		w.keys, w.spare = w.spare, w.keys
	}
	return w.keys
}

// sized returns a slice of n zeros, in the old one's memory if that suffices.
func sized[T float32 | uint64](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	old = old[:n]
	clear(old)
	return old
}

// inParallel calls f with 0..n-1 on all processors, each with buffers of its own. It stops with the context's error.
func inParallel(ctx context.Context, n int, f func(w *work, i int)) error {
	loop.Workers(n, func() func(i int) {
		w := new(work)
		return func(i int) {
			if ctx.Err() == nil {
				f(w, i)
			}
		}
	})
	return ctx.Err()
}
