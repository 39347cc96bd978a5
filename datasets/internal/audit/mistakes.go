package audit

import (
	"math"
	"math/rand/v2"
)

// Stretch is a stretch of samples, one after another in the file, that has more mistakes than chance puts there.
type Stretch struct {
	From, To int // samples From to To-1
	Mistakes int
	// Chance is that of such a stretch where as many mistakes are drawn anew.
	Chance float64
}

const (
	stretchDraws  = 999
	stretchChance = 0.002
	leastAccuracy = 0.6 // of a classifier whose mistakes say something
)

// MistakesTogether looks for the stretch of the file in which a classifier's mistakes on held-out samples stand
// together: a scan statistic, with the chance by drawing the places of the mistakes anew. wrong says of each sample,
// in the order of the file, whether its prediction was wrong. It returns false if there is none.
func MistakesTogether(wrong []bool) (found Stretch, ok bool) {
	n := len(wrong)
	if n < fewestOfAll {
		return found, false
	}
	mistakes := make([]float64, n)
	share := 0.0
	for i, is := range wrong {
		if is {
			mistakes[i] = 1
			share += 1 / float64(n)
		}
	}
	if share == 0 || 1-share < leastAccuracy {
		return found, false
	}
	found, most := clearestStretch(mistakes, share)
	rng := rand.New(rand.NewPCG(4, 4))
	as := 1
	for range stretchDraws {
		rng.Shuffle(n, func(a, b int) { mistakes[a], mistakes[b] = mistakes[b], mistakes[a] })
		if _, drawn := clearestStretch(mistakes, share); drawn >= most {
			as++
		}
	}
	found.Chance = float64(as) / (stretchDraws + 1)
	for _, is := range wrong[found.From:found.To] {
		if is {
			found.Mistakes++
		}
	}
	return found, found.Chance <= stretchChance
}

// clearestStretch returns the stretch whose mistakes are the most deviations above their share in all.
func clearestStretch(mistakes []float64, share float64) (best Stretch, most float64) {
	n := len(mistakes)
	for _, length := range []int{6, 8, 12, 16, 24, 32, 48, 64, 96, 128} {
		if length > n/3 {
			break
		}
		deviation := math.Sqrt(float64(length) * share * (1 - share))
		sum := 0.0
		for at, mistake := range mistakes {
			sum += mistake
			if at >= length {
				sum -= mistakes[at-length]
			}
			if at < length-1 {
				continue
			}
			if deviations := (sum - float64(length)*share) / deviation; deviations > most {
				best, most = Stretch{From: at - length + 1, To: at + 1}, deviations
			}
		}
	}
	return best, most
}
