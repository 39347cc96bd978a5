package models

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// naiveBayes is the model's name.
const naiveBayes = "bayes"

// bayesLacks are options that have no part in counting.
var bayesLacks = append([]string{"input_dropout", "dtype", "l2"}, linearLacks...)

// fitBayes counts the weights of multinomial naive Bayes (McCallum and Nigam 1998) as those of the network `linear`:
//
//	logit_k = log π_k + Σ_j x_j · log θ_kj,  θ_kj = (N_kj + α) / Σ_i (N_ki + α),  π_k = (n_k + α) / Σ_i (n_i + α),
//
// with N_kj the sum of the raw values j over the n_k samples of class k. The network sees (x − mean) / std in place of x, which
// its weights undo. The mean over the classes is taken out of each weight: that changes no probability, and sums of large
// counts keep their digits. The error names the first value that is no count.
func fitBayes(s Spec, store *model.Store, samples Samples, mean, std []float32) error {
	alpha := optionsOf(store.RootScope()).BayesAlpha
	values := s.Nodes * s.Channels
	counts, of := make([][]float64, s.Classes), make([]float64, s.Classes)
	for k := range counts {
		counts[k] = make([]float64, values)
	}
	var err error
	n := 0
	samples(func(x []float32, class int32) bool {
		for j, v := range x {
			if !(v >= 0) || math.IsInf(float64(v), 1) {
				err = fmt.Errorf("training sample %d, node %d, channel %d: the raw value is %g; naive Bayes needs counts or other values that are not negative; choose another model for this data",
					n, j/s.Channels, j%s.Channels, v)
				return false
			}
			counts[class][j] += float64(v)
		}
		of[class]++
		n++
		return true
	})
	if err != nil {
		return err
	}
	bias := logShares(of, alpha)
	weights := make([][]float64, s.Classes)
	for k := range weights {
		weights[k] = logShares(counts[k], alpha)
	}
	w, b := make([]float32, values*s.Classes), make([]float32, s.Classes)
	for j := range values {
		middle := 0.0
		for k := range weights {
			middle += weights[k][j] / float64(s.Classes)
		}
		for k := range weights {
			weight := weights[k][j] - middle
			w[j*s.Classes+k] = float32(weight * float64(std[j%s.Channels]))
			bias[k] += weight * float64(mean[j%s.Channels])
		}
	}
	for k := range b {
		b[k] = float32(bias[k])
	}
	scope := store.RootScope().In("model").In("classes")
	scope.VariableWithValue("W", tensors.FromFlatDataAndDimensions(w, values, s.Classes))
	scope.VariableWithValue("b", tensors.FromFlatDataAndDimensions(b, s.Classes))
	return nil
}

// logShares are the logarithms of each count's share of them all, alpha added to each.
func logShares(counts []float64, alpha float64) []float64 {
	sum := 0.0
	for _, c := range counts {
		sum += c + alpha
	}
	shares := make([]float64, len(counts))
	for j, c := range counts {
		shares[j] = math.Log((c + alpha) / sum)
	}
	return shares
}
