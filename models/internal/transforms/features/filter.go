package features

// filter writes Σ_k weights[k] · x[p + k·step] to each out[p]. x has all values that this reads: zeros stand for what
// lies beyond the ends of a series.
func filter(out, x, weights []float32, step int) {
	done := filterEights(out, x, weights, step)
	for p := done; p < len(out); p++ {
		sum := float32(0)
		for k, weight := range weights {
			sum += weight * x[p+k*step]
		}
		out[p] = sum
	}
}

// countAbove returns how many values are above each threshold. It compares with four thresholds at a time and without
// branches, which is faster than a search among sorted values.
func countAbove(values []float32, thresholds [4]float32) [4]int32 {
	if counts, done := countAboveVectors(values, thresholds); done {
		return counts
	}
	t0, t1, t2, t3 := thresholds[0], thresholds[1], thresholds[2], thresholds[3] // in registers
	n0, n1, n2, n3 := 0, 0, 0, 0
	for _, r := range values {
		n0 += asInt(r > t0)
		n1 += asInt(r > t1)
		n2 += asInt(r > t2)
		n3 += asInt(r > t3)
	}
	return [4]int32{int32(n0), int32(n1), int32(n2), int32(n3)}
}
