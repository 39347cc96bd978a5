package skeleton

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"hash/maphash"
	"io"
	"math"
	"os"

	"github.com/clusterpool/ccp/internal/files"
)

// Signals are prepared recordings. A value is stored as a number of steps, in 16 bits, which is half the size of
// float32. The largest value of a sample is 32,767 steps. A step is far below the noise of a sensor, and zero stays
// zero.
type Signals struct {
	// records holds for each sample its step, a float32, and its values, int16, little-endian.
	records []byte
	size    int // values of a sample
}

// steps is the number of steps from zero to the largest value of a sample.
const steps = math.MaxInt16

// NewSignals makes n samples of `size` values, all zero.
func NewSignals(n, size int) *Signals {
	return &Signals{records: make([]byte, n*recordBytes(size)), size: size}
}

// recordBytes returns the length of a record.
func recordBytes(size int) int { return 4 + 2*size }

// Len returns the number of samples.
func (s *Signals) Len() int { return len(s.records) / recordBytes(s.size) }

// Read writes sample i to dst. It is safe for concurrent use.
func (s *Signals) Read(i int, dst []float32) {
	record := s.record(i)
	step := math.Float32frombits(binary.LittleEndian.Uint32(record))
	values := record[4:]
	for j := range dst[:s.size] {
		dst[j] = step * float32(int16(binary.LittleEndian.Uint16(values[2*j:])))
	}
}

// Set keeps the values, which must be finite, as sample i. It is safe for concurrent use on different samples.
func (s *Signals) Set(i int, values []float32) {
	var largest float32
	for _, v := range values[:s.size] {
		largest = max(largest, v, -v)
	}
	step := largest / steps
	record := s.record(i)
	binary.LittleEndian.PutUint32(record, math.Float32bits(step))
	for j, v := range values[:s.size] {
		var n float64
		if step > 0 {
			n = math.Round(float64(v) / float64(step))
		}
		binary.LittleEndian.PutUint16(record[4+2*j:], uint16(int16(min(max(n, -steps), steps))))
	}
}

func (s *Signals) record(i int) []byte {
	size := recordBytes(s.size)
	return s.records[i*size : (i+1)*size]
}

// Checksum returns a CRC-32C over all samples.
func (s *Signals) Checksum() uint32 { return crc32.Checksum(s.records, castagnoli) }

// Copies counts the samples among some that equal a sample of others in every value.
func (s *Signals) Copies(some, others []int) int {
	seed := maphash.MakeSeed()
	known := make(map[uint64]bool, len(others))
	for _, i := range others {
		known[maphash.Bytes(seed, s.record(i))] = true
	}
	count := 0
	for _, i := range some {
		if known[maphash.Bytes(seed, s.record(i))] {
			count++
		}
	}
	return count
}

// castagnoli is the polynomial that processors have an instruction for.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ReadCache reads n samples of `size` values that WriteCache wrote under the same key. It is an error if the file is
// damaged or of another key.
func ReadCache(path string, key Key, n, size int) (*Signals, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	header, records, _ := bytes.Cut(content, []byte("\n"))
	s := &Signals{records: records, size: size}
	if len(records) != n*recordBytes(size) || !bytes.Equal(header, s.header(key)) {
		return nil, fmt.Errorf("%s: damaged, or made from other recordings or in another way", path)
	}
	return s, nil
}

// WriteCache writes the signals to a file: a line of text, then the records. The file appears whole or not at all.
func (s *Signals) WriteCache(path string, key Key) error {
	return files.Write(path, func(w io.Writer) error {
		_, err := w.Write(append(s.header(key), '\n'))
		if err == nil {
			_, err = w.Write(s.records)
		}
		return err
	})
}

// header returns the line of text: the key, the number of samples, their size and their checksum.
func (s *Signals) header(key Key) []byte {
	return fmt.Appendf(nil, "ccp skeletons 2 %x %d %d %08x", key, s.Len(), s.size, s.Checksum())
}
