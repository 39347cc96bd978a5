// Command skeleton times how fast recordings of NTU RGB+D are read. It makes files of real size, reads them on all cores, on
// one, and takes them from the cache, and prints a line of JSON for each:
//
//	go run ./benchmarks/skeleton --files 2000
//
// The files have just been written and lie in memory if there is room: what is timed is parsing, not the disk.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/clusterpool/ccp/datasets"
)

// line is what is printed.
type line struct {
	Work      string  `json:"work"` // "read", or "cached"
	Files     int     `json:"files"`
	MB        float64 `json:"mb"` // of text, 10⁶ bytes
	Cores     int     `json:"cores"`
	Seconds   float64 `json:"seconds"` // of wall clock, the whole of datasets.Load
	MBPerS    float64 `json:"mb_per_s"`
	FilesPerS float64 `json:"files_per_s"`
	CoresUsed float64 `json:"cores_used"` // processor time over wall clock
	PeakRSSMB float64 `json:"peak_rss_mb"`
}

func main() {
	files := flag.Int("files", 2000, "recordings to make")
	keep := flag.String("dir", "", "folder for the files, kept and used again (default: a temporary one)")
	flag.Parse()
	if err := run(*files, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "skeleton:", err)
		os.Exit(1)
	}
}

func run(files int, dir string) error {
	if dir == "" {
		work, err := os.MkdirTemp("", "ntu-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(work)
		dir = work
	}
	size, err := generate(dir, files)
	if err != nil {
		return err
	}
	cache, err := os.MkdirTemp("", "cache-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(cache)
	// Both of the variables by which a system may find the cache.
	for _, name := range []string{"XDG_CACHE_HOME", "HOME"} {
		if err := os.Setenv(name, cache); err != nil {
			return err
		}
	}
	all := runtime.GOMAXPROCS(0)
	for _, step := range []struct {
		work  string
		cores int
		fresh bool
	}{{"read", all, true}, {"read", 1, true}, {"cached", all, false}} {
		if step.fresh {
			if err := os.RemoveAll(filepath.Join(cache, "ccp")); err != nil {
				return err
			}
		}
		runtime.GOMAXPROCS(step.cores)
		if err := load(dir, line{Work: step.work, Files: files, MB: float64(size) / 1e6, Cores: step.cores}); err != nil {
			return err
		}
	}
	return nil
}

// load times a load and prints its line.
func load(dir string, l line) error {
	runtime.GC()
	started, processor := time.Now(), processorTime()
	data, err := datasets.Load("ntu", datasets.Options{DataDir: dir})
	if err != nil {
		return err
	}
	l.Seconds = time.Since(started).Seconds()
	l.CoresUsed = (processorTime() - processor).Seconds() / l.Seconds
	l.MBPerS, l.FilesPerS = l.MB/l.Seconds, float64(data.Signals.Len())/l.Seconds
	l.PeakRSSMB = peakRSS()
	encoded, err := json.Marshal(l)
	if err == nil {
		_, err = fmt.Println(string(encoded))
	}
	return err
}

// processorTime is the time that all cores have spent on this process.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// peakRSS is the most memory that this process has had, in 10⁶ bytes.
func peakRSS() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return float64(usage.Maxrss) * 1024 / 1e6
}
