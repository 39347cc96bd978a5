package conformal

import "math"

// beyond is the share of draws that lies below, and above, what Chance returns.
const beyond = 0.05

// Chance returns the least and the largest share of so many new samples whose class sets of a coverage hold, in nine of
// ten draws of held-out and new samples from one source. Few samples hold it more or less often than asked by chance:
// the number of those whose class is held has a beta-binomial distribution (Angelopoulos and Bates 2023, appendix C).
// Samples of groups are not drawn one by one: ok is false then, and without samples.
func (c *Predictor) Chance(coverage float64, samples int) (least, largest float64, ok bool) {
	if c.Groups > 0 || samples == 0 {
		return 0, 0, false
	}
	ranks := float64(len(c.Scores) + 1)
	out := math.Floor((1 - coverage + coverageSlack) * ranks) // ranks, among the scores, of samples that no set holds
	if out == 0 {
		return 1, 1, true
	}
	below, first := 0.0, true
	for held := range samples + 1 {
		below += betaBinomial(held, samples, ranks-out, out)
		if first && below > beyond {
			least, first = float64(held)/float64(samples), false
		}
		if below >= 1-beyond {
			return least, float64(held) / float64(samples), true
		}
	}
	return least, 1, true
}

// betaBinomial returns the probability of so many of n draws whose chance has a beta distribution.
func betaBinomial(count, n int, alpha, beta float64) float64 {
	k, m := float64(count), float64(n)
	return math.Exp(logChoose(m, k) + logBeta(k+alpha, m-k+beta) - logBeta(alpha, beta))
}

// logBeta returns the logarithm of the beta function.
func logBeta(a, b float64) float64 { return logGamma(a) + logGamma(b) - logGamma(a+b) }

// logChoose returns the logarithm of a binomial coefficient.
func logChoose(n, k float64) float64 { return logGamma(n+1) - logGamma(k+1) - logGamma(n-k+1) }

// logGamma returns the logarithm of the gamma function, above 0.
func logGamma(x float64) float64 {
	log, _ := math.Lgamma(x)
	return log
}
