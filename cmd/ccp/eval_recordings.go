package main

import (
	"github.com/clusterpool/ccp/datasets"
	"gonum.org/v1/gonum/floats"
)

// recordingsJSON says how right whole recordings are told by the mean over their windows, of those whose windows here
// have one class.
type recordingsJSON struct {
	Recordings int     `json:"recordings"`
	Right      int     `json:"right"`
	Accuracy   float64 `json:"accuracy"`
}

// wholeRecordings sums up the windows of each recording, by its number.
type wholeRecordings struct {
	data *datasets.Dataset
	of   map[int]*wholeRecording
}

// wholeRecording is what is known of a recording.
type wholeRecording struct {
	class   int
	several bool      // its windows have more than one class
	sums    []float64 // of the probabilities of its windows
}

// add adds a sample of a class.
func (w *wholeRecordings) add(sample, class int, probabilities []float64) {
	if w.data.Windows == nil {
		return
	}
	number := w.data.Stretches[w.data.Windows[sample].Stretch].Recording
	one := w.of[number]
	if one == nil {
		one = &wholeRecording{class: class, sums: make([]float64, len(probabilities))}
		w.of[number] = one
	}
	one.several = one.several || one.class != class
	floats.Add(one.sums, probabilities)
}

// result returns how right they are; nil if no recording has one class.
func (w *wholeRecordings) result() *recordingsJSON {
	var r recordingsJSON
	for _, one := range w.of {
		if one.several {
			continue
		}
		r.Recordings++
		if floats.MaxIdx(one.sums) == one.class {
			r.Right++
		}
	}
	if r.Recordings == 0 {
		return nil
	}
	r.Accuracy = float64(r.Right) / float64(r.Recordings)
	return &r
}
