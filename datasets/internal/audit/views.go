package audit

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
)

// view describes each sample by a few numbers in which samples can be near to one another: `[samples, size]`.
type view struct {
	name   string
	values []float32
	size   int
	// distances are the squared ones of all samples, `[samples, samples]`. Many questions are asked of them.
	distances []float32
}

// Sizes of views. More numbers would hardly change which samples are near.
const (
	viewTimes   = 32 // means over stretches of the time points, or of the nodes of signals
	viewSensors = 16
	viewBins    = 32  // of the spectrum
	leastTimes  = 16  // time points that have a spectrum
	rhythmTimes = 512 // time points of which the rhythm is taken
)

// views returns the samples by their values and, of recordings in time, by their shape (the values less
// their mean), their spectrum, their rhythm and the level of the sensors. Every number is standardised over the
// samples.
func (s *Samples) views() []view {
	sensors := spread(s.Width, viewSensors)
	shortest := math.MaxInt
	for i := range s.Len() {
		shortest = min(shortest, len(s.Values(i))/s.Width)
	}
	if shortest < leastTimes {
		// Signals have many nodes at one time point: all of them describe a sample, or their means in turn.
		return []view{s.view("values", min(s.Width, viewTimes*viewSensors), 1, func(values, row []float32) {
			stretchMeans(row, values[:s.Width], 1)
		})}
	}
	return []view{
		s.view("values", len(sensors)*min(viewTimes, shortest), 1, func(values, row []float32) {
			times := len(row) / len(sensors)
			for at, sensor := range sensors {
				stretchMeans(row[at*times:(at+1)*times], values[sensor:], s.Width)
			}
		}),
		s.view("shape", len(sensors)*min(viewTimes, shortest), 1, func(values, row []float32) {
			times := len(row) / len(sensors)
			for at, sensor := range sensors {
				stretchMeans(row[at*times:(at+1)*times], values[sensor:], s.Width)
				centre(row[at*times : (at+1)*times])
			}
		}),
		s.view("spectrum", len(sensors)*viewBins, 1, func(values, row []float32) {
			for at, sensor := range sensors {
				spectrum(row[at*viewBins:(at+1)*viewBins], values[sensor:], s.Width)
			}
		}),
		s.rhythm(sensors, shortest),
		s.view("level", 2*len(sensors), 1, func(values, row []float32) {
			for at, sensor := range sensors {
				row[2*at], row[2*at+1] = level(values[sensor:], s.Width)
			}
		}),
	}
}

// rhythm views the autocorrelation of each sensor, at lags from 0 to half the shortest sample: that of a wave is the
// same whatever its phase. The logarithms of a spectrum are as many numbers again that noise alone makes.
func (s *Samples) rhythm(sensors []int, shortest int) view {
	lags := lagsOf(min(shortest, rhythmTimes) / 2)
	return s.view("rhythm", len(sensors)*len(lags), len(lags), func(values, row []float32) {
		for at, sensor := range sensors {
			autocorrelation(row[at*len(lags):(at+1)*len(lags)], values[sensor:], s.Width, lags)
		}
	})
}

// lagsOf lists lags from 0 to less than most: each, and from a number on such as grow by a factor.
func lagsOf(most int) (lags []int) {
	const factor = 1.15
	for lag := 0.0; int(lag) < most; lag = max(lag+1, lag*factor) {
		lags = append(lags, int(lag))
	}
	return lags
}

// autocorrelation writes the mean products of a sensor's values with those that come some lags later, each less their
// mean.
func autocorrelation(dst, values []float32, stride int, lags []int) {
	sensor := make([]float32, 0, min((len(values)+stride-1)/stride, rhythmTimes))
	for at := 0; at < len(values) && len(sensor) < rhythmTimes; at += stride {
		sensor = append(sensor, values[at])
	}
	centre(sensor)
	for at, lag := range lags {
		sum := float32(0)
		for time, value := range sensor[lag:] {
			sum += value * sensor[time]
		}
		dst[at] = sum / float32(len(sensor))
	}
}

// spread lists at most so many of n places, evenly spread.
func spread(n, most int) (places []int) {
	for at := range min(n, most) {
		places = append(places, at*n/min(n, most))
	}
	return places
}

// view fills the rows of a view and standardises its columns, so many of which keep their sizes beside one another.
func (s *Samples) view(name string, size, together int, fill func(values, row []float32)) view {
	v := view{name: name, values: make([]float32, s.Len()*size), size: size}
	for i := range s.Len() {
		fill(s.Values(i), v.row(i))
	}
	n := float64(s.Len())
	for first := 0; first < size; first += together {
		squares := 0.0
		for column := first; column < first+together; column++ {
			mean := 0.0
			for i := range s.Len() {
				mean += float64(v.row(i)[column]) / n
			}
			for i := range s.Len() {
				difference := float64(v.row(i)[column]) - mean
				v.row(i)[column] = float32(difference)
				squares += difference * difference / n
			}
		}
		deviation := float32(math.Sqrt(squares / float64(together)))
		for i := range s.Len() {
			for column := first; column < first+together; column++ {
				if deviation > 0 {
					v.row(i)[column] /= deviation
				}
			}
		}
	}
	v.measure(s.Len())
	return v
}

func (v *view) row(i int) []float32 { return v.values[i*v.size : (i+1)*v.size] }

// measure fills the distances of all n samples.
func (v *view) measure(n int) {
	v.distances = make([]float32, n*n)
	for i := range n {
		for j := range i {
			d := squaredDistance(v.row(i), v.row(j))
			v.distances[i*n+j], v.distances[j*n+i] = d, d
		}
	}
}

// squaredDistance returns that of two points. It adds up four sums at a time, since a processor waits for the end of an
// addition before it adds to the same sum again.
func squaredDistance(a, b []float32) float32 {
	var first, second, third, fourth float32
	for ; len(a) >= 4 && len(b) >= 4; a, b = a[4:], b[4:] {
		d, e, f, g := a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3]
		first, second, third, fourth = first+d*d, second+e*e, third+f*f, fourth+g*g
	}
	for at := range min(len(a), len(b)) {
		d := a[at] - b[at]
		first += d * d
	}
	return first + second + third + fourth
}

// distance returns the squared distance of two samples.
func (v *view) distance(i, j int) float32 { return v.distancesOf(i)[j] }

// distancesOf returns the squared distances of a sample to all.
func (v *view) distancesOf(i int) []float32 {
	n := len(v.values) / v.size
	return v.distances[i*n : (i+1)*n]
}

// stretchMeans writes the means of a sensor's values over as many stretches of its time as dst is long. The values of
// the sensor are stride apart.
func stretchMeans(dst, values []float32, stride int) {
	length := (len(values) + stride - 1) / stride
	for at := range dst {
		from, to := at*length/len(dst), max(at*length/len(dst)+1, (at+1)*length/len(dst))
		sum := float32(0)
		for time := from; time < to; time++ {
			sum += values[time*stride]
		}
		dst[at] = sum / float32(to-from)
	}
}

// centre takes the mean off values.
func centre(values []float32) {
	mean := float32(0)
	for _, value := range values {
		mean += value / float32(len(values))
	}
	for at := range values {
		values[at] -= mean
	}
}

// spectrum writes the logarithm of a sensor's amplitudes in as many bands of frequency as dst is long, each as wide as
// the others.
func spectrum(dst, values []float32, stride int) {
	length := (len(values) + stride - 1) / stride
	sensor := make([]float64, min(length, someTimePoints))
	for time := range sensor {
		sensor[time] = float64(values[time*stride])
	}
	bins := fourier.NewFFT(len(sensor)).Coefficients(nil, sensor)[1:]
	for at := range dst {
		from, to := at*len(bins)/len(dst), max(at*len(bins)/len(dst)+1, (at+1)*len(bins)/len(dst))
		power := 0.0
		for _, bin := range bins[from:to] {
			power += (real(bin)*real(bin) + imag(bin)*imag(bin)) / float64(to-from)
		}
		const least = 1e-12 // so that a constant sensor has a logarithm
		dst[at] = float32(math.Log(power + least))
	}
}

// level returns the mean of a sensor's values and the logarithm of their deviation.
func level(values []float32, stride int) (mean, deviation float32) {
	count, sum, squares := 0.0, 0.0, 0.0
	for at := 0; at < len(values); at += stride {
		count, sum = count+1, sum+float64(values[at])
	}
	for at := 0; at < len(values); at += stride {
		difference := float64(values[at]) - sum/count
		squares += difference * difference
	}
	const least = 1e-9
	return float32(sum / count), float32(math.Log(math.Sqrt(squares/count) + least))
}
