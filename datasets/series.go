package datasets

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/loop"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// The time of a training grows with its nodes. So mostFrames bounds the usual number of frames, and fewNodes bounds
// frames times sensors. Up to usualFrames there may be manyNodes, and leastFrames are left in any case.
const (
	leastFrames, usualFrames, mostFrames = 32, 128, 256
	fewNodes, manyNodes                  = 2048, 4096
)

// framed reads series as signals of as many frames as the form says.
type framed struct {
	series [][]float32
	form   *recording.Form
}

func (f *framed) Len() int { return len(f.series) }

func (f *framed) Read(i int, dst []float32) { recording.Resample(dst, f.series[i], f.form.Width()) }

// overFrames makes signals of the series: it chooses frames, scale and links where nothing does, and makes the graph of
// space and time.
func (d *Dataset) overFrames() (err error) {
	form := *d.Recorded
	form.Holes = form.Holes.OfSensors(len(form.Sensors))
	if err := form.Check(); err != nil {
		return err
	}
	d.Channels = cmp.Or(d.Channels, form.Channels)
	if d.Channels != form.Channels {
		return fmt.Errorf("field Channels is %d, but Recorded has %d sensors of %d; leave Channels out, and set "+
			"Recorded.Sensors to a name for each sensor and Recorded.Channels to the columns of each",
			d.Channels, len(form.Sensors), form.Channels)
	}
	for i, series := range d.Series {
		if len(series) == 0 || len(series)%form.Width() != 0 {
			return fmt.Errorf("series[%d] has %d values; want time points x sensors x channels, a multiple of %d x %d",
				i, len(series), len(form.Sensors), form.Channels)
		}
	}
	d.Form, d.Signals = &form, &framed{d.Series, &form}
	learnFrom := d.Train
	if len(learnFrom) == 0 {
		learnFrom = loop.Indices(len(d.Series))
	}
	d.Nodes, d.Grid = len(form.Sensors), nil
	d.chooseFrames(learnFrom)
	if form.Scale == nil {
		mean, deviation := d.columnStats(learnFrom)
		differ := disparity(&form, mean, deviation)
		bySensor := differ != "" && d.Parts == nil && form.Origin == ""
		form.Scale = &bySensor
		if differ != "" {
			how := "all sensors are normalised alike, as positions in space"
			if bySensor {
				how = "each sensor is normalised by itself"
			}
			appendf(&d.Notes, "%s: %s", how, differ)
		}
	}
	linkedHere := d.Affinity == nil
	if linkedHere {
		d.Affinity, err = d.link(learnFrom)
		if err != nil {
			return err
		}
	}
	if d.Affinity.N() == len(form.Sensors) { // else it is of space and time already
		d.Affinity, err = overTime(d.Affinity, form.Frames)
		if err != nil {
			return err
		}
	}
	if _, all := d.linked(); linkedHere && !all && !d.unlinked() {
		d.learned = d.Affinity
	}
	return d.frame()
}

// chooseFrames sets the number of frames and the lengths of the samples to learn from, where Recorded does not.
func (d *Dataset) chooseFrames(learnFrom []int) {
	form := d.Form
	if form.Longest > 0 {
		d.warnLengths()
	} else {
		lengths := make([]int, len(learnFrom))
		for at, i := range learnFrom {
			lengths[at] = len(d.Series[i]) / form.Width()
		}
		slices.Sort(lengths)
		form.Shortest, form.Longest = lengths[0], lengths[len(lengths)-1]
		sensors := len(form.Sensors)
		most := max(leastFrames, min(usualFrames, manyNodes/sensors), min(mostFrames, fewNodes/sensors))
		form.Frames = cmp.Or(form.Frames, min(lengths[len(lengths)/2], most))
	}
	if form.Longest > 1 {
		appendf(&d.Notes, "the network reads %d %s, the transforms %s", form.Frames, plural(form.Frames, "frame"), d.span())
	}
}

// warnLengths warns of samples that are much longer or shorter than those of the training, whose lengths the form has.
func (d *Dataset) warnLengths() {
	count, first := 0, ""
	for i, series := range d.Series {
		odd := d.Form.Length(len(series) / d.Form.Width())
		if odd == "" {
			continue
		}
		count++
		if count == 1 {
			first = fmt.Sprintf("sample %s: %s", d.SampleName(i), odd)
		}
	}
	if count > 0 {
		appendf(&d.Warnings, "%d of %d samples are not as long as the training's: %s", count, len(d.Series), first)
	}
}

// frame sets all that follows from the graph of space and time.
func (d *Dataset) frame() error {
	sensors, frames := len(d.Form.Sensors), d.Form.Frames
	if n := d.Affinity.N(); n != sensors*frames {
		return fmt.Errorf("the graph has %d nodes, the recordings %d frames of %d sensors", n, frames, sensors)
	}
	d.Nodes = sensors * frames
	d.NodeNames = d.Form.Sensors
	if frames == 1 && d.Coordinates != nil { // a map, not a grid of frames
		return nil
	}
	d.Grid, d.NodeNames = []int{frames, sensors}, recording.NodeNames(d.Form.Sensors, frames)
	if d.Form.Axis != nil && sensors == 1 && frames > 1 {
		d.NodeNames = d.Form.Axis.Names(d.Form.Sensors[0], frames)
	}
	if d.Coordinates != nil {
		d.Coordinates = slices.Repeat(d.Coordinates, frames)
	}
	return nil
}

// overTime returns the graph of sensors in frames. Node frame*sensors + sensor is a sensor in a frame. The graph of the
// sensors is in every frame, and each sensor is joined to itself in the next frame with the mean weight of the sensors'
// edges. Edges of one weight all weigh 1, whatever their unit: their mean would be rounded differently in each. A
// single sensor is joined to the two frames before and after: neighbourhoods would be too small.
func overTime(sensors *affinity.Matrix, frames int) (*affinity.Matrix, error) {
	n, list := sensors.N(), sensors.EdgeList()
	mean, reach := 1.0, 1
	if len(list) > 0 {
		alike := !slices.ContainsFunc(list, func(e affinity.Edge) bool { return e.Weight != list[0].Weight })
		mean = 0
		for at := range list {
			if alike {
				list[at].Weight = 1
			}
			mean += list[at].Weight / float64(len(list))
		}
	}
	if n == 1 {
		reach = 2
	}
	var edges []affinity.Edge
	for frame := range frames {
		for _, edge := range list {
			edges = append(edges, affinity.Edge{I: frame*n + edge.I, J: frame*n + edge.J, Weight: edge.Weight})
		}
		for next := frame + 1; next <= min(frame+reach, frames-1); next++ {
			for sensor := range n {
				edges = append(edges, affinity.Edge{I: frame*n + sensor, J: next*n + sensor, Weight: mean})
			}
		}
	}
	return affinity.New(n*frames, edges)
}

// unlike is the ratio above which sensors are taken to measure different things.
const unlike = 5

// disparity says which sensors differ most in a channel, if some would be lost where all are normalised alike. It skips
// constant sensors. mean and deviation are `[sensors, channels]`.
func disparity(form *recording.Form, mean, deviation []float32) (differ string) {
	worst := float64(unlike)
	for channel := range form.Channels {
		var columns []int
		var means, squares []float64
		for column := channel; column < len(deviation); column += form.Channels {
			if m, s := float64(mean[column]), float64(deviation[column]); s > 1e-6*math.Abs(m) { // else rounding
				columns, means, squares = append(columns, column), append(means, m), append(squares, s*s)
			}
		}
		if len(columns) == 0 {
			continue
		}
		name := func(at int) string { return recording.Column(form.Sensors, form.Channels, columns[at]) }
		least, most := floats.MinIdx(squares), floats.MaxIdx(squares)
		ratio := math.Sqrt(squares[most] / squares[least])
		text := fmt.Sprintf("%s varies %.3g times as much as %s", name(most), ratio, name(least))
		if ratio <= unlike { // as much, but perhaps elsewhere
			ratio = math.Sqrt((stat.Mean(squares, nil) + stat.PopVariance(means, nil)) / squares[least])
			text = fmt.Sprintf("all sensors together vary %.3g times as much as %s", ratio, name(least))
		}
		if ratio > worst {
			worst, differ = ratio, text
		}
	}
	return differ
}

// span says how many time points all samples have, those of the test too.
func (d *Dataset) span() string {
	least, most := math.MaxInt, 0
	for _, series := range d.Series {
		least, most = min(least, len(series)/d.Form.Width()), max(most, len(series)/d.Form.Width())
	}
	if least != most {
		return fmt.Sprintf("all of the %d to %d time points", least, most)
	}
	return fmt.Sprintf("all %d time points", least)
}
