package training

import (
	"fmt"
	"math"
	"strings"

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
	// AUROC is the area under the receiver operating characteristic of each class against the rest: the probability
	// that a sample of the class has a greater one than another sample; a tie counts half. It is the mean over the
	// classes that some samples have and some have not, and nil without such a class.
	AUROC *float64 `json:"auroc"`
	// AveragePrecision is Σ (R_n − R_{n−1})·P_n over the thresholds, where R is recall and P precision, of each class
	// against the rest. It is the mean over the same classes.
	AveragePrecision *float64 `json:"average_precision"`
	// Brier is the mean over the samples of Σ_k (p_k − y_k)², where y is 1 for the sample's class and else 0 (Brier
	// 1950).
	Brier float64 `json:"brier"`
}

// InWords lists the metrics of the classifier, such as "balanced accuracy 93.10%, Brier score 0.1042". All that a
// metric needs is in this file: its field, its value and its words.
func (r Ranking) InWords() string {
	words := []string{inPercent("balanced accuracy", r.BalancedAccuracy)}
	if r.AUROC != nil {
		words = append(words, inPercent("AUROC", *r.AUROC), inPercent("average precision", *r.AveragePrecision))
	}
	return strings.Join(append(words, fmt.Sprintf("Brier score %.4f", r.Brier)), ", ")
}

func inPercent(metric string, share float64) string {
	return fmt.Sprintf("%s %.2f%%", metric, 100*share)
}

// mostRanked is how many probabilities of samples for classes are kept to rank samples by them.
const mostRanked = 50_000_000

// judged holds what is needed of the probabilities of samples with these labels.
type judged struct {
	labels []int32
	ranked []int       // the classes against which the rest is ranked
	scores [][]float64 // the probabilities of each of these, `[ranked][samples]`
	brier  float64
	added  int
}

// judgedFor prepares for samples with these labels. If brief, no class is ranked.
func judgedFor(labels []int32, classes int, brief bool) *judged {
	j, counts := &judged{labels: labels}, make([]int, classes)
	for _, label := range labels {
		counts[label]++
	}
	for k, n := range counts {
		if !brief && 0 < n && n < len(labels) {
			j.ranked = append(j.ranked, k)
		}
	}
	j.ranked = loop.Spread(j.ranked, max(1, mostRanked/len(labels)))
	for range j.ranked {
		j.scores = append(j.scores, make([]float64, len(labels)))
	}
	return j
}

// add takes the probabilities of the next sample.
func (j *judged) add(probabilities []float64) {
	for at, k := range j.ranked {
		j.scores[at][j.added] = probabilities[k]
	}
	for k, x := range probabilities {
		if k == int(j.labels[j.added]) {
			x--
		}
		j.brier += x * x / float64(len(j.labels))
	}
	j.added++
}

// ranking returns the metrics of all samples. perClass has the samples and the recall of each class.
func (j *judged) ranking(perClass []ClassScore) Ranking {
	r, present := Ranking{Brier: j.brier}, 0.0
	for _, c := range perClass {
		if c.Samples > 0 {
			present++
			r.BalancedAccuracy += c.Recall
			r.MajorityBaseline = max(r.MajorityBaseline, float64(c.Samples)/float64(len(j.labels)))
		}
	}
	r.BalancedAccuracy /= max(1, present)
	if len(j.ranked) == 0 {
		return r
	}
	areas, precisions := make([]float64, len(j.ranked)), make([]float64, len(j.ranked))
	loop.Parallel(len(j.ranked), func(at int) { areas[at], precisions[at] = j.against(at) })
	area, precision := 0.0, 0.0
	for at := range areas {
		area, precision = area+areas[at], precision+precisions[at]
	}
	area, precision = area/float64(len(areas)), precision/float64(len(areas))
	r.AUROC, r.AveragePrecision = &area, &precision
	return r
}

// against returns the area under the ROC and the average precision of a class of those that are ranked, against the
// rest.
func (j *judged) against(at int) (area, precision float64) {
	scores, of := j.scores[at], make([]bool, len(j.labels))
	positive := 0.0
	for i, label := range j.labels {
		of[i] = int(label) == j.ranked[at]
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
