package kernels

import (
	"slices"

	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/gomlx/gomlx/ml/model"
)

// Constants are those of models.Kernels.
type Constants struct {
	Dilations []struct {
		Nodes      []int32
		Kernel     []float32
		Thresholds []float32
		Weights    [][]float32
	}
	Signal   bool
	W, B     []float32
	Weight   float32
	Accuracy float64
}

// Constants reads the constants of fitted kernels. Errors name the variable.
func (v *View) Constants(scope *model.Scope, features, classes int) (c Constants, err error) {
	sensors := max(1, v.Sensors)
	c.Signal = v.values(features) > 0
	thresholds := v.thresholds(features)
	c.Dilations = slices.Grow(c.Dilations, len(thresholds))[:len(thresholds)]
	for i, q := range thresholds {
		inside := scope.In("dilation_%d", i+1)
		signs, err := variables.Read[float32](inside, "signs", v.Channels, count)
		if err != nil {
			return c, err
		}
		d := &c.Dilations[i]
		d.Weights, d.Kernel = v.weights(i), make([]float32, slots*v.Channels*count)
		if d.Thresholds, err = variables.Read[float32](inside, "thresholds", q, count); err != nil {
			return c, err
		}
		for _, position := range v.dilations[i] {
			for sensor := range sensors {
				d.Nodes = append(d.Nodes, v.node(position, int32(sensor)))
			}
		}
		weights := SlotWeights()
		for slot := range slots {
			for j, sign := range signs {
				d.Kernel[slot*len(signs)+j] = sign * weights[slot*count+j%count]
			}
		}
	}
	c.W, c.B, err = ops.ReadDense(scope.In("classes"), v.shareCount(features)+v.values(features), classes)
	return c, err
}

// Accuracy returns the share of held-out training samples that the kernels of a network classify rightly. It is
// not known if there are none in the store.
func Accuracy(store *model.Store) (share float64, known bool) {
	for _, path := range []string{"/model/" + HeldOut, "/model/" + Beside + model.ScopeSeparator + HeldOut} {
		if v := store.GetVariable(path); v != nil {
			value, _ := v.MustValue().Value().(float32) // Fit made it
			return float64(value), true
		}
	}
	return 0, false
}

// node returns the node of a sensor at a position. Beyond the positions it is the number of nodes.
func (v *View) node(position, sensor int32) int32 {
	sensors := int32(max(1, v.Sensors))
	switch {
	case position == int32(v.Positions):
		return position * sensors
	case v.sensorWise:
		return sensor*int32(v.Positions) + position
	}
	return position*sensors + sensor
}

// Spans cuts a series into at most n spans of frames for each sensor, and lists the nodes of each. Other graphs have a
// span for each node.
func (v *View) Spans(n int) (spans [][]int32) {
	length := 1
	if v.Sensors > 0 {
		length = (v.Positions + n - 1) / n
	}
	for sensor := range int32(max(1, v.Sensors)) {
		for from := 0; from < v.Positions; from += length {
			var span []int32
			for p := from; p < min(from+length, v.Positions); p++ {
				span = append(span, v.node(int32(p), sensor))
			}
			spans = append(spans, span)
		}
	}
	return spans
}
