package features

import (
	"math"

	"github.com/clusterpool/ccp/datasets/recording"
	"gonum.org/v1/gonum/dsp/fourier"
)

// Recording is a standardised recording, column by column, with the buffers that maps need to read it. Scaling.Read
// fills it, again and again, so that a goroutine that reads many recordings allocates memory for the longest only.
type Recording struct {
	Timepoints  int
	Columns     [][]float32 // `[columns][timepoints]`
	differences [][]float32 // of successive time points, `[columns][timepoints-1]`

	flat       []float32                  // the memory of Columns and differences
	sum        []float32                  // a sum of columns
	responses  [kernelsPerGroup][]float32 // of kernels, or what shapelets know of their windows
	transforms map[int]*fourier.FFT       // by their lengths
	keys       []uint64                   // see ascending
	spareKeys  []uint64                   // which ascending sorts into
	stretched  *Recording                 // this recording stretched, for maps of stretched recordings
}

// fft returns the Fourier transform of n values.
func (r *Recording) fft(n int) *fourier.FFT {
	if r.transforms == nil {
		r.transforms = map[int]*fourier.FFT{}
	}
	if r.transforms[n] == nil {
		r.transforms[n] = fourier.NewFFT(n)
	}
	return r.transforms[n]
}

// resize makes columns of zeros for all time points, and as many differences but one.
func (r *Recording) resize(columns int) {
	t := r.Timepoints
	r.flat = sized(r.flat, 2*columns*t)
	r.Columns, r.differences = r.Columns[:0], r.differences[:0]
	for c := range columns {
		column, differences := r.flat[2*c*t:(2*c+1)*t], r.flat[(2*c+1)*t:(2*c+2)*t-1]
		r.Columns = append(r.Columns, column)
		r.differences = append(r.differences, differences)
	}
}

// setDifferences sets the differences of a column from its values.
func (r *Recording) setDifferences(column int) {
	x := r.Columns[column]
	for p := range r.differences[column] {
		r.differences[column][p] = x[p+1] - x[p]
	}
}

// stretch makes r the other recording, stretched to so many time points.
func (r *Recording) stretch(other *Recording, timepoints int) {
	r.Timepoints = timepoints
	r.resize(len(other.Columns))
	for c, column := range other.Columns {
		recording.Resample(r.Columns[c], column, 1)
		r.setDifferences(c)
	}
}

// ascending returns the positions of values, the least value first, in the lower halves of numbers that hold until
// the next call. It sorts by the bytes of the upper halves: half of the comparisons of another sort would be
// mispredicted.
func (r *Recording) ascending(x []float32) []uint64 {
	r.keys, r.spareKeys = sized(r.keys, len(x)), sized(r.spareKeys, len(x))
	for i, v := range x {
		bits := math.Float32bits(v)
		// The order of these bits, read as an unsigned number, is that of the values: negative ones are turned around.
		order := bits ^ (uint32(int32(bits)>>31) | 1<<31)
		r.keys[i] = uint64(order)<<32 | uint64(i)
	}
	for shift := 32; shift < 64; shift += 8 {
		var next [257]int // where the next number with this byte goes
		for _, key := range r.keys {
			next[int(byte(key>>shift))+1]++
		}
		for b := range 256 {
			next[b+1] += next[b]
		}
		for _, key := range r.keys {
			r.spareKeys[next[byte(key>>shift)]] = key
			next[byte(key>>shift)]++
		}
		r.keys, r.spareKeys = r.spareKeys, r.keys
	}
	return r.keys
}
