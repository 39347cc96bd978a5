// Package audit looks for reasons to doubt a test accuracy in the samples that it is made of: samples that are the same
// twice, classes that can be told by how recordings were made, and samples in families that a split parts.
//
// All its tests compare what is seen with what chance gives, and none of them knows the classifier. They are made to
// stay silent on samples that are independent, whatever these look like.
package audit

import "github.com/clusterpool/ccp/internal/loop"

// Samples are what an audit looks at, in the order of their file.
type Samples struct {
	// Labels are their classes, from 0 to Classes-1.
	Labels  []int32
	Classes int
	// Values returns the values of sample i, `[time points, width]`, without gaps. Signals on a graph have one time point.
	Values func(i int) []float32
	Width  int
	// Made says how each of them was made.
	Made []Making
	// Places are their places in the file, where others stand between them; nil: 0, 1, 2, …
	Places []int
	// Names are their names, such as those of their files; nil if they have none.
	Names []string
	// ClassNames are those of the classes; nil if they have none.
	ClassNames []string
}

// Len returns the number of samples.
func (s *Samples) Len() int { return len(s.Labels) }

// place returns the place of sample i in the file.
func (s *Samples) place(i int) int {
	if s.Places == nil {
		return i
	}
	return s.Places[i]
}

// places returns the places of all samples.
func (s *Samples) places() []int {
	places := make([]int, s.Len())
	for i := range places {
		places[i] = s.place(i)
	}
	return places
}

// byClass lists the samples of each class in their order.
func (s *Samples) byClass() [][]int {
	members := make([][]int, s.Classes)
	for i, class := range s.Labels {
		members[class] = append(members[class], i)
	}
	return members
}

// inStretches reports whether each class stands in one stretch of the file.
func (s *Samples) inStretches() bool {
	changes := 0
	for i, class := range s.Labels[1:] {
		if class != s.Labels[i] {
			changes++
		}
	}
	return changes < s.Classes
}

// blockSize is the number of samples, one after another in the file, that Chosen takes together. Families are seldom
// larger.
const blockSize = 50

// Chosen lists at most so many of n samples, in their order: all, or else blocks of neighbours spread evenly over them.
// Neighbours stay together, since samples that belong together often stand together.
func Chosen(n, most int) []int {
	if n <= most {
		return loop.Indices(n)
	}
	var chosen []int
	blocks := most / blockSize
	for block := range blocks {
		first := block * (n - blockSize) / max(1, blocks-1)
		for i := first; i < first+blockSize; i++ {
			if len(chosen) == 0 || i > chosen[len(chosen)-1] {
				chosen = append(chosen, i)
			}
		}
	}
	return chosen
}

func abs(x int) int { return max(x, -x) }
