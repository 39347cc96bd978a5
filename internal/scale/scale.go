// Package scale turns raw values into the inputs of a network.
package scale

// Normalize writes (raw - mean) / std to dst. raw holds signals `[..., channels]`, row-major; mean and std have a
// value for each channel, or for each channel of each sensor of signals `[frames, sensors, channels]`. dst is at least
// as long as raw, and may be raw itself.
func Normalize(dst, raw, mean, std []float32) {
	at := 0
	for j, value := range raw {
		dst[j] = (value - mean[at]) / std[at]
		if at++; at == len(mean) {
			at = 0
		}
	}
}
