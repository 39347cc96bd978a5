package skeleton

import (
	"bufio"
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

// Signals are prepared recordings, of one length or of several. A value is stored as a number of steps, in 16 bits,
// which is half the size of float32. The largest value of a sample is 32,767 steps. A step is far below the noise of a
// sensor, and zero stays zero.
type Signals struct {
	// records holds for each sample its step, a float32, and its values, int16, little-endian.
	records [][]byte
}

// steps is the number of steps from zero to the largest value of a sample.
const steps = math.MaxInt16

// stepBytes is the length of a step, and of a record's length in a cache.
const stepBytes = 4

// NewSignals makes n samples without values.
func NewSignals(n int) *Signals { return &Signals{records: make([][]byte, n)} }

// Len returns the number of samples.
func (s *Signals) Len() int { return len(s.records) }

// Size returns the number of values of sample i.
func (s *Signals) Size(i int) int { return (len(s.records[i]) - stepBytes) / 2 }

// Read writes sample i to dst, which has room for its values. It is safe for concurrent use.
func (s *Signals) Read(i int, dst []float32) {
	step := math.Float32frombits(binary.LittleEndian.Uint32(s.records[i]))
	values := s.records[i][stepBytes:]
	for j := range dst[:s.Size(i)] {
		dst[j] = step * float32(int16(binary.LittleEndian.Uint16(values[2*j:])))
	}
}

// Set keeps the values, which must be finite, as sample i. It is safe for concurrent use on different samples.
func (s *Signals) Set(i int, values []float32) {
	var largest float32
	for _, v := range values {
		largest = max(largest, v, -v)
	}
	step := largest / steps
	record := binary.LittleEndian.AppendUint32(make([]byte, 0, stepBytes+2*len(values)), math.Float32bits(step))
	for _, v := range values {
		var n float64
		if step > 0 {
			n = math.Round(float64(v) / float64(step))
		}
		record = binary.LittleEndian.AppendUint16(record, uint16(int16(min(max(n, -steps), steps))))
	}
	s.records[i] = record
}

// Checksum returns a CRC-32C over all samples.
func (s *Signals) Checksum() (sum uint32) {
	for _, record := range s.records {
		sum = crc32.Update(sum, castagnoli, record)
	}
	return sum
}

// Copies counts the samples among some that equal a sample of others in every value.
func (s *Signals) Copies(some, others []int) int {
	seed := maphash.MakeSeed()
	known := make(map[uint64]bool, len(others))
	for _, i := range others {
		known[maphash.Bytes(seed, s.records[i])] = true
	}
	count := 0
	for _, i := range some {
		if known[maphash.Bytes(seed, s.records[i])] {
			count++
		}
	}
	return count
}

// castagnoli is the polynomial that processors have an instruction for.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ReadCache reads n samples that WriteCache wrote under the same key. It is an error if the file is damaged or of
// another key.
func ReadCache(path string, key Key, n int) (*Signals, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	header, rest, _ := bytes.Cut(content, []byte("\n"))
	s := NewSignals(n)
	for i := range s.records {
		if len(rest) < stepBytes {
			break
		}
		length := int(binary.LittleEndian.Uint32(rest))
		rest = rest[stepBytes:]
		if length < stepBytes || length > len(rest) {
			break
		}
		s.records[i], rest = rest[:length:length], rest[length:]
	}
	if len(rest) > 0 || !bytes.Equal(header, s.header(key)) {
		return nil, fmt.Errorf("%s: damaged, or made from other recordings or in another way", path)
	}
	return s, nil
}

// WriteCache writes the signals to a file: a line of text, then each record after its length. The file appears whole or
// not at all.
func (s *Signals) WriteCache(path string, key Key) error {
	return files.Write(path, func(w io.Writer) error {
		buffered := bufio.NewWriter(w) // which keeps the first error
		_, _ = buffered.Write(append(s.header(key), '\n'))
		for _, record := range s.records {
			_, _ = buffered.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(record))))
			_, _ = buffered.Write(record)
		}
		return buffered.Flush()
	})
}

// header returns the line of text: the key, the number of samples, their values and their checksum.
func (s *Signals) header(key Key) []byte {
	values := 0
	for _, record := range s.records {
		values += len(record)
	}
	return fmt.Appendf(nil, "ccp skeletons 3 %x %d %d %08x", key, s.Len(), values, s.Checksum())
}
