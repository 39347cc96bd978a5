package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/benchmarks"
	_ "github.com/clusterpool/ccp/benchmarks/paper/data"
	"github.com/clusterpool/ccp/datasets"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var recordings = flag.Int("recordings", 200, "files that BenchmarkRecordings reads, of 290 KB on average")

// BenchmarkRecordings reads recordings of NTU RGB+D of real size, and takes them from the cache. The files have just
// been written and lie in memory if there is room: what is timed is parsing, not the disk. `-cpu 1,2` times one core,
// then two:
//
//	go test -run '^$' -bench Recordings -cpu 1,2 -benchtime 3x ./benchmarks/paper/recordings -recordings 2000
func BenchmarkRecordings(b *testing.B) {
	dir := b.TempDir()
	size, err := write(dir, *recordings, 1)
	require.NoError(b, err)
	for _, work := range []string{"read", "cached"} {
		b.Run(work, func(b *testing.B) {
			cache := b.TempDir()
			b.Setenv("XDG_CACHE_HOME", cache)
			b.Setenv("HOME", cache) // where a system has no XDG_CACHE_HOME
			load := func() error {
				data, err := datasets.Load(b.Context(), "ntu",
					datasets.Options{DataDir: dir, Own: map[string]any{"protocol": "cross-view"}})
				if err == nil && data.Signals.Len() != *recordings {
					err = fmt.Errorf("%d of %d recordings were read", data.Signals.Len(), *recordings)
				}
				return err
			}
			if work == "cached" {
				require.NoError(b, load())
			}
			b.SetBytes(size)
			cpu, memory := 0.0, 0.0
			for b.Loop() {
				if work == "read" {
					b.StopTimer()
					require.NoError(b, os.RemoveAll(filepath.Join(cache, "ccp")))
					b.StartTimer()
				}
				figures, err := benchmarks.Time(0, 1, load)
				require.NoError(b, err)
				cpu, memory = cpu+figures.CPUMS, figures.PeakRSSMB
			}
			b.ReportMetric(float64(*recordings*b.N)/b.Elapsed().Seconds(), "files/s")
			b.ReportMetric(cpu/1e3/b.Elapsed().Seconds(), "cores-used")
			b.ReportMetric(memory, "peak-MB")
		})
	}
}

// The recordings that the benchmark makes are read as they were made.
func TestRecordings(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	size, err := write(dir, 60, 1)
	require.NoError(t, err)
	assert.Greater(t, size, int64(60*50_000))
	data, err := datasets.Load(t.Context(), "ntu",
		datasets.Options{DataDir: dir, Own: map[string]any{"protocol": "cross-view"}})
	require.NoError(t, err)
	assert.Equal(t, 60, data.Signals.Len())
}

// A set of the true size has the numbers of the published splits: 40,091 and 16,487 recordings by performers, 37,646
// and 18,932 by cameras, without those listed as missing.
func TestRecordingsOfTrueSize(t *testing.T) {
	names, kinds := map[string]bool{}, map[[2]bool]int{}
	for i := range ntuRecordings {
		name, kind := recordingName(i)
		names[name] = true
		kinds[kind]++
	}
	assert.Len(t, names, 56_880)
	for kind, missing := range ntuMissing {
		kinds[kind] -= missing
	}
	assert.Equal(t, 40_091, kinds[[2]bool{true, true}]+kinds[[2]bool{false, true}])
	assert.Equal(t, 16_487, kinds[[2]bool{true, false}]+kinds[[2]bool{false, false}])
	assert.Equal(t, 37_646, kinds[[2]bool{false, true}]+kinds[[2]bool{false, false}])
	assert.Equal(t, 18_932, kinds[[2]bool{true, true}]+kinds[[2]bool{true, false}])
}
