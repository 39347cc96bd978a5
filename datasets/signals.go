package datasets

// Floats are samples held as float32, `[samples, nodes, channels]` row-major.
type Floats struct {
	Values []float32
	// Size is the number of values of a sample: nodes x channels.
	Size int
}

// Len is the number of samples.
func (f *Floats) Len() int {
	if f.Size == 0 {
		return 0
	}
	return len(f.Values) / f.Size
}

// Read copies sample i to dst.
func (f *Floats) Read(i int, dst []float32) {
	copy(dst, f.Values[i*f.Size:(i+1)*f.Size])
}

// Bytes are samples held as bytes in fixed-size records, as image files store them. A raw value is byte / Scale.
type Bytes struct {
	// Records holds the records one after another.
	Records []byte
	// Record is the size of a record in bytes, Skip the bytes at its head that are not pixels (a label).
	Record, Skip int
	// Nodes and Channels are the shape of a sample.
	Nodes, Channels int
	// Planar says that a record is `[channels, nodes]` (one plane a channel) and not `[nodes, channels]`.
	Planar bool
	// Scale divides a byte: 255 for pixels in [0, 1], 1 for the bytes themselves.
	Scale float32
}

// Len is the number of samples.
func (b *Bytes) Len() int {
	if b.Record == 0 {
		return 0
	}
	return len(b.Records) / b.Record
}

// pixels are those of sample i, in the record's order.
func (b *Bytes) pixels(i int) []byte {
	start := i*b.Record + b.Skip
	return b.Records[start : start+b.Nodes*b.Channels]
}

// Read widens sample i to dst, `[nodes, channels]`.
func (b *Bytes) Read(i int, dst []float32) {
	pixels := b.pixels(i)
	if !b.Planar {
		for j, pixel := range pixels {
			dst[j] = float32(pixel) / b.Scale
		}
		return
	}
	for channel := range b.Channels {
		plane := pixels[channel*b.Nodes : (channel+1)*b.Nodes]
		for node, pixel := range plane {
			dst[node*b.Channels+channel] = float32(pixel) / b.Scale
		}
	}
}
