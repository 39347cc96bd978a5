package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"google.golang.org/protobuf/encoding/protowire"
)

// metrics writes a training's scores after each epoch and at the end. It writes pairs NAME=VALUE, which programs that
// search settings read, and a file of TensorBoard. If a run goes on, it first writes the epochs before.
type metrics struct {
	pairs, board io.Writer
	files        []*lateFile
	begun        bool  // board has its version
	err          error // the first of writing
}

// lateFile creates or empties its file at the first write, so that a run that is refused before that leaves the file of
// an earlier run as it was.
type lateFile struct {
	path string
	*os.File
}

func (f *lateFile) Write(content []byte) (n int, err error) {
	if f.File == nil {
		f.File, err = os.Create(f.path)
		if err != nil {
			return 0, err
		}
	}
	return f.File.Write(content)
}

// openMetrics opens the file that --metrics names, "-" for stdout, and a file in the folder of --tensorboard. It
// replaces files that it has written. "" is none.
func openMetrics(pairs, board string, stdout io.Writer) (*metrics, error) {
	m := &metrics{}
	open := func(flag, path, begins string) io.Writer {
		err := (target{path: path, overwrite: true}).free()
		if info, none := os.Stat(path); none == nil && info.Mode().IsRegular() && info.Size() > 0 {
			content, unread := os.ReadFile(path)
			if !bytes.Contains(content[:min(len(content), 100)], []byte(begins)) {
				err = cmp.Or(unread, fmt.Errorf("%s exists and was not written by %s; choose another", path, flag))
			}
		}
		if err != nil {
			m.err = cmp.Or(m.err, fmt.Errorf("%s %w", flag, err))
			return nil
		}
		m.files = append(m.files, &lateFile{path: path})
		return m.files[len(m.files)-1]
	}
	m.pairs = stdout
	if pairs == "" {
		m.pairs = nil
	} else if pairs != "-" {
		m.pairs = open("--metrics", pairs, "epoch=")
	}
	if board != "" {
		if err := os.MkdirAll(board, 0o755); err != nil {
			return m, cmp.Or(m.err, fmt.Errorf("--tensorboard %s: %w; choose another folder", board, err))
		}
		m.board = open("--tensorboard", filepath.Join(board, "events.out.tfevents.ccp"), boardVersion)
	}
	return m, m.err
}

// close returns the first error of writing.
func (m *metrics) close() error {
	for _, file := range m.files {
		if file.File != nil {
			m.err = cmp.Or(m.err, file.Close())
		}
	}
	return m.err
}

// observe returns o, which then also writes the scores of each epoch. If the run in dir goes on, those of its earlier
// epochs come first. tell receives a line for people.
func (m *metrics) observe(o training.Observer, dir string, tell func(line string)) training.Observer {
	begin, epoch := o.Begin, o.Epoch
	o.Begin = func(c training.Config, d *datasets.Dataset, spec models.Spec, from, steps int) {
		begin(c, d, spec, from, steps)
		if m.pairs != nil && len(d.Validation) == 0 {
			tell("warning: no samples are held out, so that --metrics has no validation_accuracy; give --validation 0.2")
		}
		if from > 0 {
			endedBefore := func(epoch int) bool { return epoch*steps <= from*c.Epochs } // steps are those of all c.Epochs
			m.past(dir, endedBefore)
		}
	}
	o.Epoch = func(e training.Epoch) {
		epoch(e)
		m.scores(e.Epoch, e.Train, e.Validation, nil)
	}
	return o
}

// past writes the scores of the epochs in the history of dir for which include is true. The history may be that of
// another run, which the one that goes on is on its way to overwrite: then its later epochs do not count.
func (m *metrics) past(dir string, include func(epoch int) bool) {
	history, err := training.ReadHistory(dir)
	for _, e := range history {
		if include(e.Epoch) {
			m.scores(e.Epoch, e.Train, e.Validation, nil)
		}
	}
	m.err = cmp.Or(m.err, err)
}

// scores writes the scores that there are. If test is given, they are the result's. The curves then get the test only,
// as they have the epoch.
func (m *metrics) scores(epoch int, train training.Score, validation, test *training.Score) {
	line := fmt.Sprintf("epoch=%d", epoch)
	var summary []byte
	for _, s := range []struct {
		of string
		*training.Score
	}{{"train", &train}, {"validation", validation}, {"test", test}} {
		if s.Score == nil || *s.Score == (training.Score{}) { // which nothing was held out for
			continue
		}
		line += fmt.Sprintf(" %s_loss=%.6g %s_accuracy=%.6g", s.of, s.Loss, s.of, s.Accuracy)
		if test == nil || s.Score == test {
			summary = appendScalar(appendScalar(summary, "loss/"+s.of, s.Loss), "accuracy/"+s.of, s.Accuracy)
		}
	}
	if m.pairs != nil {
		_, err := fmt.Fprintln(m.pairs, line)
		m.err = cmp.Or(m.err, err)
	}
	step := protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), uint64(epoch))
	m.event(protowire.AppendBytes(protowire.AppendTag(step, 5, protowire.BytesType), summary))
}

// boardVersion is the first event of a file.
const boardVersion = "brain.Event:2"

// appendScalar appends a value of TensorFlow's message Summary.
func appendScalar(summary []byte, tag string, value float64) []byte {
	scalar := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), tag)
	scalar = protowire.AppendFixed32(protowire.AppendTag(scalar, 2, protowire.Fixed32Type),
		math.Float32bits(float32(value)))
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
