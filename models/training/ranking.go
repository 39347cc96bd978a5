package training

import (
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"
)

// Ranking says how well the probabilities that Classify gives tell classes apart, also rare ones.
type Ranking struct {
	// BalancedAccuracy is the mean recall of the classes that have samples.
	BalancedAccuracy float64 `json:"balanced_accuracy"`
	// MajorityBaseline is the accuracy of always predicting the split's most frequent class.
	MajorityBaseline float64 `json:"majority_baseline"`
	// AUROC is the area under the receiver operating characteristic of each class against the rest: the probability that a
	// sample of the class has a greater one than another sample; a tie counts half. It is the mean over the classes that some
	// samples have and some have not, and nil without such a class.
	AUROC *float64 `json:"auroc"`
	// AveragePrecision is Σ (R_n − R_{n−1})·P_n over the thresholds, where R is recall and P precision, of each class against the
	// rest. It is the mean over the same classes.
	AveragePrecision *float64 `json:"average_precision"`
	// Brier is the mean over the samples of Σ_k (p_k − y_k)², where y is 1 for the sample's class and else 0 (Brier 1950).
	Brier float64 `json:"brier"`
}

// judged holds the probabilities of samples, `[samples][classes]`, and their classes.
type judged struct {
	probabilities [][]float64
	labels        []int32
}

func (j *judged) add(probabilities []float64, label int32) {
	j.probabilities, j.labels = append(j.probabilities, slices.Clone(probabilities)), append(j.labels, label)
}

// ranking returns the metrics of all samples. perClass has the samples and the recall of each class.
func (j *judged) ranking(perClass []ClassScore) (r Ranking) {
	n, present, ranked, area, precision := float64(len(j.labels)), 0.0, 0.0, 0.0, 0.0
	areas, precisions := make([]float64, len(perClass)), make([]float64, len(perClass))
	loop.Parallel(len(perClass), func(k int) {
		if 0 < perClass[k].Samples && perClass[k].Samples < len(j.labels) {
			areas[k], precisions[k] = j.against(k)
		}
	})
	for k, c := range perClass {
		if c.Samples == 0 {
			continue
		}
		present++
		r.BalancedAccuracy += c.Recall
		r.MajorityBaseline = max(r.MajorityBaseline, float64(c.Samples)/n)
		if c.Samples < len(j.labels) {
			ranked++
			area, precision = area+areas[k], precision+precisions[k]
		}
	}
	r.BalancedAccuracy /= max(1, present)
	if ranked > 0 {
		area, precision = area/ranked, precision/ranked
		r.AUROC, r.AveragePrecision = &area, &precision
	}
	for i, p := range j.probabilities {
		for k, x := range p {
			if k == int(j.labels[i]) {
				x--
			}
			r.Brier += x * x / n
		}
	}
	return r
}

// against returns the area under the ROC and the average precision of a class against the rest.
func (j *judged) against(class int) (area, precision float64) {
	scores, of := make([]float64, len(j.labels)), make([]bool, len(j.labels))
	positive := 0.0
	for i, p := range j.probabilities {
		scores[i], of[i] = p[class], int(j.labels[i]) == class
		if of[i] {
			positive++
		}
	}
	stat.SortWeightedLabeled(scores, of, nil)
	recall, fall, _ := stat.ROC(nil, scores, of, nil)
	for at := 1; at < len(recall); at++ {
		right, wrong := recall[at]*positive, fall[at]*(float64(len(of))-positive)
		precision += (recall[at] - recall[at-1]) * right / math.Max(1, right+wrong)
	}
	return integrate.Trapezoidal(fall, recall), precision
}
