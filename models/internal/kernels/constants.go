package kernels

import (
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/gomlx/gomlx/ml/model"
)

// Constants are fitted kernels for programs without ccp. Arrays are row-major. x is the normalised signal with a row of
// zeros below. At each dilation,
//
//	response[p, k] = Σ_j Kernel[j, k] · x[Nodes[p]]_j
//	share[pool, q, k] = Σ_p Weights[pool][p, k] · (response[p, k] > Thresholds[q, k])
//
// The logits are features · W + B. The features are the shares and, with Signal, the signal's values behind them.
type Constants struct {
	Dilations []Dilation
	Signal    bool
	W, B      []float32 // `[features, classes]`, `[classes]`
	Weight    float32   // of the probabilities in the mean with the network's, whose weight is 1
}

// Dilation are the constants of a dilation, of P positions and K kernels.
type Dilation struct {
	Nodes      []int32     // `[P, nodes of all slots]` that a response sees; the number of all nodes stands for the zeros
	Kernel     []float32   // `[values of these nodes, K]`
	Thresholds []float32   // `[thresholds, K]`
	Weights    [][]float32 // `[P, K]` for each pool
}

// Constants reads the constants of fitted kernels. Errors name the variable.
func (v *View) Constants(scope *model.Scope, features, classes int) (c Constants, err error) {
	sensors := max(1, v.Sensors)
	c.Signal = v.values(features) > 0
	for i, q := range v.thresholds(features) {
		inside := scope.In("dilation_%d", i+1)
		signs, err := variables.Read[float32](inside, "signs", v.Channels, count)
		if err != nil {
			return c, err
		}
		d := Dilation{Weights: v.weights(i), Kernel: make([]float32, slots*v.Channels*count)}
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
		c.Dilations = append(c.Dilations, d)
	}
	c.W, c.B, err = nn.ReadDense(scope.In("classes"), v.shareCount(features)+v.values(features), classes)
	return c, err
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
