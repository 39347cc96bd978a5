// Package scale turns raw values into the inputs of a network.
package scale

// Normalize writes (raw - mean) / std to dst. raw holds signals `[..., channels]`, row-major; mean and std have a
// value for each channel. dst is at least as long as raw, and may be raw itself.
func Normalize(dst, raw, mean, std []float32) {
	channel := 0
	for j, value := range raw {
		dst[j] = (value - mean[channel]) / std[channel]
		if channel++; channel == len(mean) {
			channel = 0
		}
	}
}
