package benchmarks

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What real recordings of NTU RGB+D are like: 30 frames a second, a few seconds long, a fifth of the actions with two people.
const (
	fewestFrames = 35
	mostFrames   = 135
	joints       = 25
)

var recordings = flag.Int("recordings", 200, "files that BenchmarkRecordings reads, of 290 KB on average")

// BenchmarkRecordings reads recordings of NTU RGB+D of real size, and takes them from the cache. The files have just been
// written and lie in memory if there is room: what is timed is parsing, not the disk. `-cpu 1,2` times one core, then two:
//
//	go test -run '^$' -bench Recordings -cpu 1,2 -benchtime 3x ./benchmarks -recordings 2000
func BenchmarkRecordings(b *testing.B) {
	dir := b.TempDir()
	size := int64(0)
	for i := range *recordings {
		size += writeRecording(b, dir, i)
	}
	for _, work := range []string{"read", "cached"} {
		b.Run(work, func(b *testing.B) {
			cache := b.TempDir()
			b.Setenv("XDG_CACHE_HOME", cache)
			b.Setenv("HOME", cache) // where a system has no XDG_CACHE_HOME
			load := func() error {
				data, err := datasets.Load(b.Context(), "ntu", datasets.Options{DataDir: dir, Protocol: "cross-view"})
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
				figures, err := Time(0, 1, load)
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
	for i := range 60 {
		assert.Greater(t, writeRecording(t, dir, i), int64(50_000))
	}
	data, err := datasets.Load(t.Context(), "ntu", datasets.Options{DataDir: dir, Protocol: "cross-view"})
	require.NoError(t, err)
	assert.Equal(t, 60, data.Signals.Len())
}

// writeRecording writes the i-th recording to a folder and returns its size in bytes: every camera, performer and action in
// turn, and a new setup when they are through.
func writeRecording(t testing.TB, dir string, i int) int64 {
	t.Helper()
	name := fmt.Sprintf("S%03dC%03dP%03dR%03dA%03d.skeleton", 1+i/14400%17, 1+i%3, 1+i/180%40, 1+i/7200%2, 1+i/3%60)
	text := recording(rand.New(rand.NewPCG(uint64(i), 1)))
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
	return int64(len(text))
}

// recording is the text of a recording with one body, or two.
func recording(rng *rand.Rand) []byte {
	frames, bodies := fewestFrames+rng.IntN(mostFrames-fewestFrames), 1
	if rng.IntN(5) == 0 {
		bodies = 2
	}
	text := fmt.Appendf(nil, "%d\r\n", frames)
	for frame := range frames {
		text = fmt.Appendf(text, "%d\r\n", bodies)
		for body := range bodies {
			text = fmt.Appendf(text, "7205759403793%04d 0 1 1 1 1 0 %.7g %.7g 2\r\n%d\r\n", body, rng.NormFloat64(), rng.NormFloat64(), joints)
			for joint := range joints {
				sway := 0.3 * math.Sin(float64(frame+10*joint)/15)
				for _, v := range []float64{float64(body) + sway + 0.1*float64(joint%5), 0.9 - 0.07*float64(joint), 3 + sway,
					277, 191, 1036, 519, -0.2, 0.05, 0.97, -0.12} {
					text = strconv.AppendFloat(text, v+0.01*rng.NormFloat64(), 'g', 7, 64)
					text = append(text, ' ')
				}
				text = append(text, "2\r\n"...)
			}
		}
	}
	return text
}
