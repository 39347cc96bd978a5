package study

import (
	"fmt"

	"github.com/clusterpool/ccp/models/training"
)

// Pooled is what a row has of the held-out samples of all folds together. A fold of one class, as of a person who has
// one, has a recall and no accuracy over classes: a mean over such folds tells little, and its deviation nothing.
type Pooled struct {
	Samples  int     `json:"samples"`           // held out, once for each seed
	Accuracy float64 `json:"accuracy"`          // over all of them
	Balanced float64 `json:"balanced_accuracy"` // the mean recall of the classes, over all of them
	Folds    int     `json:"folds"`
	OneClass int     `json:"folds_of_one_class"`

	right, of []int // by class
}

// add adds the test samples of a fold. It reports whether the result says how each class was predicted.
func (p *Pooled) add(r training.Result) bool {
	if r.TestClasses == nil {
		return false
	}
	p.Folds++
	classes := 0
	for class, c := range r.TestClasses {
		if class == len(p.of) {
			p.right, p.of = append(p.right, 0), append(p.of, 0)
		}
		p.right[class] += c.Right
		p.of[class] += c.Samples
		if c.Samples > 0 {
			classes++
		}
	}
	if classes == 1 {
		p.OneClass++
	}
	return true
}

// settle makes the ratios, once all folds are there.
func (p *Pooled) settle() {
	right, classes := 0, 0
	for class, of := range p.of {
		p.Samples += of
		right += p.right[class]
		if of > 0 {
			classes++
			p.Balanced += float64(p.right[class]) / float64(of)
		}
	}
	p.Accuracy = float64(right) / float64(max(1, p.Samples))
	p.Balanced /= float64(max(1, classes))
}

// OnlyPooled reports that all rows have pooled accuracies, since each has folds of one class.
func (s Summary) OnlyPooled() bool {
	for _, set := range s.tables() {
		for _, line := range set.Lines {
			if line.Runs > 0 && (line.Pooled == nil || line.Pooled.OneClass == 0) {
				return false
			}
		}
	}
	return true
}

// Pooled says what rows have of the held-out samples of all folds together, and which folds have one class.
func (s Summary) Pooled() (lines []string) {
	for _, set := range s.tables() {
		for _, line := range set.Lines {
			p := line.Pooled
			if p == nil || s.Sets != nil && p.OneClass == 0 {
				continue
			}
			text := fmt.Sprintf("%s%s: of all %d held-out samples together %.1f%% right, the mean over classes %.1f%%",
				line.Name, s.on([]string{set.Title}), p.Samples, 100*p.Accuracy, 100*p.Balanced)
			if p.OneClass > 0 {
				text += fmt.Sprintf("; %d of %d folds have one class, and then differ by their class, so that no deviation is "+
					"given", p.OneClass, p.Folds)
			}
			lines = append(lines, text)
		}
	}
	return lines
}
