// Package recording turns recordings of sensors into signals on a graph of space and time. Node `frame * sensors +
// sensor` is a sensor at a moment. Imports and classifiers both use this package, so both make the same signal of a
// recording.
package recording

// Recording holds what some sensors measured at successive moments.
type Recording struct {
	Name     string    // what errors call the recording, such as its file
	Sensors  []string  // in the order of Values; nil: those of the training data, in their order
	Channels int       // values of a sensor at a moment; 0: as many as in the training data
	Values   []float64 // `[moments, sensors, channels]`, row-major, in the training data's units; NaN is a missing value
	Times    []float64 // of the moments, ascending, in any unit; nil: the moments are evenly spaced
	width    int       // values of a moment, if the JSON said that
}
