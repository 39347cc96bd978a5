package study

import "github.com/clusterpool/ccp/models/training"

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
