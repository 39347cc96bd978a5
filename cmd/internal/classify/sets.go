package classify

import (
	"math"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/conformal"
)

// Sets gives sets of classes and p-values beside predictions, see conformal.Predictor. The zero value gives none.
type Sets struct {
	By       *conformal.Predictor
	Coverage float64 // between 0 and 1; 0: no sets are asked for
}

// Asked reports whether sets are asked for.
func (s Sets) Asked() bool { return s.Coverage > 0 }

// Of returns the p-values of the classes for a prediction, the largest of them, and the classes of its set. The largest
// is NaN if no class has one.
func (s Sets) Of(p models.Prediction) (pValues []float64, largest float64, set []int) {
	pValues, largest = s.By.PValues(p.Probabilities), math.NaN()
	for _, p := range pValues {
		if !(p <= largest) && !math.IsNaN(p) { // the first is not below NaN
			largest = p
		}
	}
	return pValues, largest, s.By.Set(pValues, s.Coverage)
}

// describe adds to what is said of a sample its set of classes and the p-values of the classes that it names.
func (s Sets) describe(a *Prediction, p models.Prediction, classes []string, named []int) {
	pValues, largest, set := s.Of(p)
	a.Set, a.PValues = []string{}, map[string]*float64{}
	for _, class := range set {
		a.Set = append(a.Set, classes[class])
	}
	for _, class := range named {
		a.PValues[classes[class]] = nil
		if !math.IsNaN(pValues[class]) {
			a.PValues[classes[class]] = &pValues[class]
		}
	}
	if !math.IsNaN(largest) {
		a.PValue = &largest
	}
}

// cells returns the cells of a table's row: the classes of the set, and the largest p-value.
func (s Sets) cells(p models.Prediction, classes []string) []string {
	_, largest, set := s.Of(p)
	names := make([]string, len(set))
	for i, class := range set {
		names[i] = classes[class]
	}
	text := ""
	if !math.IsNaN(largest) {
		text = strconv.FormatFloat(largest, 'g', 4, 64)
	}
	return []string{strings.Join(names, "|"), text}
}
