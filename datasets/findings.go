package datasets

import (
	"errors"
	"fmt"
)

// shownFindings is how many elements of one array are told to be wrong in the same way, one by one.
const shownFindings = 3

// several gathers what is wrong with the elements of an array.
type several struct {
	array string
	errs  []error // of the first few
	count int
}

// add counts an element; its error is made only where it is shown.
func (s *several) add(describe func() error) {
	if s.count++; s.count <= shownFindings {
		s.errs = append(s.errs, describe())
	}
}

// err joins what was found, nil if nothing was.
func (s *several) err() error {
	errs := s.errs
	if more := s.count - len(errs); more > 0 {
		errs = append(errs, fmt.Errorf("%s: %d more elements are wrong in the same way", s.array, more))
	}
	return errors.Join(errs...)
}

// separate takes joined errors apart, in order.
func separate(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var out []error
	for _, one := range joined.Unwrap() {
		out = append(out, separate(one)...)
	}
	return out
}
