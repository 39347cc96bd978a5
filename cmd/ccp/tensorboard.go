package main

import (
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// boardVersion is the first event of a file.
const boardVersion = "brain.Event:2"

// appendScalar appends a value of TensorFlow's message Summary.
func appendScalar(summary []byte, tag string, value float64) []byte {
	scalar := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), tag)
	scalar = protowire.AppendFixed32(protowire.AppendTag(scalar, 2, protowire.Fixed32Type), math.Float32bits(float32(value)))
	return protowire.AppendBytes(protowire.AppendTag(summary, 1, protowire.BytesType), scalar)
}

// event writes TensorFlow's message Event as a record: its length, its bytes, and checksums of both.
func (m *metrics) event(fields []byte) {
	if m.board == nil {
		return
	}
	if !m.begun {
		m.begun = true
		m.event(protowire.AppendString(protowire.AppendTag(nil, 3, protowire.BytesType), boardVersion))
	}
	now := math.Float64bits(float64(time.Now().UnixMilli()) / 1000)
	fields = append(protowire.AppendFixed64(protowire.AppendTag(nil, 1, protowire.Fixed64Type), now), fields...)
	masked := func(b []byte) uint32 {
		sum := crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
		return (sum>>15 | sum<<17) + 0xa282ead8
	}
	record := binary.LittleEndian.AppendUint64(nil, uint64(len(fields)))
	record = append(binary.LittleEndian.AppendUint32(record, masked(record)), fields...)
	_, err := m.board.Write(binary.LittleEndian.AppendUint32(record, masked(fields)))
	m.err = cmp.Or(m.err, err)
}
