//go:build unix

package benchmarks

import (
	"runtime"
	"syscall"
)

// usage returns this process's processor time, and its peak of memory in 2²⁰ bytes.
func usage() (cpuMS, peakMB float64) {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // it cannot fail for this process
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6, float64(u.Maxrss) / maxrssPerMB(runtime.GOOS)
}

// maxrssPerMB returns the units of Rusage.Maxrss in 2²⁰ bytes: bytes on Apple's systems, 2¹⁰ bytes elsewhere.
func maxrssPerMB(system string) float64 {
	if system == "darwin" || system == "ios" {
		return 1 << 20
	}
	return 1 << 10
}
