package main

import (
	"cmp"
	"fmt"
	"io"
	"os"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
)

// metrics writes a training's scores as pairs NAME=VALUE, which programs that search settings read: a line for each epoch,
// and a line for the result. The lines of a run that goes on begin with the epochs before. The zero value writes nothing.
type metrics struct {
	out  io.Writer
	file *os.File
	err  error // the first of writing
}

// openMetrics opens the file that --metrics names, "-" for stdout, and replaces it.
func openMetrics(path string, stdout io.Writer) (*metrics, error) {
	switch path {
	case "":
		return &metrics{}, nil
	case "-":
		return &metrics{out: stdout}, nil
	}
	if err := (target{path: path, overwrite: true}).free(); err != nil {
		return nil, fmt.Errorf("--metrics %w", err)
	}
	file, err := os.Create(path)
	return &metrics{out: file, file: file}, err
}

// close returns the first error of writing.
func (m *metrics) close() error {
	if m.file != nil {
		m.err = cmp.Or(m.err, m.file.Close())
	}
	return m.err
}

// observe adds the lines of the run in dir to what an observer does.
func (m *metrics) observe(o training.Observer, dir string) training.Observer {
	if m.out == nil {
		return o
	}
	begin, epoch := o.Begin, o.Epoch
	o.Begin = func(c training.Config, d *datasets.Dataset, spec models.Spec, from, steps int) {
		begin(c, d, spec, from, steps)
		if len(d.Validation) == 0 {
			o.Notice("warning: no samples are held out, so that --metrics has no validation_accuracy; give --validation 0.2")
		}
		if from > 0 {
			m.past(dir)
		}
	}
	o.Epoch = func(e training.Epoch) {
		epoch(e)
		m.line(e.Epoch, e.Train, e.Validation, nil)
	}
	return o
}

// past writes the lines of the epochs that the run in dir has done before.
func (m *metrics) past(dir string) {
	history, err := training.ReadHistory(dir)
	for _, e := range history {
		m.line(e.Epoch, e.Train, e.Validation, nil)
	}
	m.err = cmp.Or(m.err, err)
}

// line writes the scores that there are.
func (m *metrics) line(epoch int, train training.Score, validation, test *training.Score) {
	if m.out == nil {
		return
	}
	line := fmt.Sprintf("epoch=%d", epoch)
	for _, s := range []struct {
		of string
		*training.Score
	}{{"train", &train}, {"validation", validation}, {"test", test}} {
		if s.Score != nil {
			line += fmt.Sprintf(" %s_loss=%.6g %s_accuracy=%.6g", s.of, s.Loss, s.of, s.Accuracy)
		}
	}
	_, err := fmt.Fprintln(m.out, line)
	m.err = cmp.Or(m.err, err)
}
