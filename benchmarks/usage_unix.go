//go:build unix

package benchmarks

import "syscall"

// usage returns this process's processor time, and its peak of memory in 2²⁰ bytes.
func usage() (cpuMS, peakMB float64) {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // it cannot fail for this process
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6, float64(u.Maxrss) / 1024
}
