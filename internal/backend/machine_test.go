package backend

import (
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// machines are root folders of different machines.
var machines = map[string]fstest.MapFS{
	"AVX-512": machineFiles("model name\t: EPYC\nflags\t\t: fpu avx2 avx512f avx512_bf16\n",
		"MemTotal:       16314708 kB\n"),
	"AVX2":    machineFiles("model name\t: EPYC\nflags\t\t: fpu avx2\n", "MemTotal:        8157354 kB\n"),
	"ARM":     machineFiles("processor\t: 0\nFeatures\t: fp asimd bf16\n", "MemTotal:        8157354 kB\n"),
	"no proc": {},
}

// machineFiles returns the root folder of a machine with these files in /proc.
func machineFiles(cpuinfo, meminfo string) fstest.MapFS {
	return fstest.MapFS{"proc/cpuinfo": {Data: []byte(cpuinfo)}, "proc/meminfo": {Data: []byte(meminfo)}}
}

func TestMachineOf(t *testing.T) {
	for name, want := range map[string]Machine{
		"AVX-512": {CPU: "EPYC", Memory: 16314708 << 10, BFloat16: []string{"avx512_bf16"}},
		"AVX2":    {CPU: "EPYC", Memory: 8157354 << 10, BFloat16: []string{}},
		"ARM":     {Memory: 8157354 << 10, BFloat16: []string{"bf16"}},
		"no proc": {BFloat16: []string{}},
	} {
		want.Platform, want.Cores = platform, runtime.NumCPU()
		assert.Equal(t, want, machineOf(machines[name]), name)
	}
}

func TestBFloat16Of(t *testing.T) {
	for flags, want := range map[string][]string{
		"processor\t: 0\nflags\t\t: fpu avx512f avx512_bf16 amx_bf16 amx_tile\n": {"amx_bf16", "avx512_bf16"},
		"Features\t: fp asimd sve bf16\n":                                        {"bf16"},
		"flags\t\t: fpu avx512f\n":                                               {},
		"":                                                                       {},
	} {
		assert.Equal(t, want, bfloat16Of(fstest.MapFS{"proc/cpuinfo": &fstest.MapFile{Data: []byte(flags)}}))
	}
}

func TestFindGPUs(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	bus := fstest.MapFS{
		"sys/bus/pci/devices/0000:00:01.0/vendor": file("0x8086\n"),
		"sys/bus/pci/devices/0000:00:01.0/class":  file("0x030000\n"),
		"sys/bus/pci/devices/0000:01:00.0/vendor": file("0x10de\n"),
		"sys/bus/pci/devices/0000:01:00.0/class":  file("0x030200\n"),
		// its sound
		"sys/bus/pci/devices/0000:01:00.1/vendor": file("0x10de\n"),
		"sys/bus/pci/devices/0000:01:00.1/class":  file("0x040300\n"),
	}
	driven := func(version string) fstest.MapFS {
		return fstest.MapFS{
			"proc/driver/nvidia/version": file("NVRM version: NVIDIA UNIX Open Kernel Module " +
				"for x86_64  " + version + "  Release Build\nGCC version: gcc 12.3.0\n"),
			"proc/driver/nvidia/gpus/0000:01:00.0/information": file("Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 18\n"),
		}
	}
	for _, c := range []struct {
		root               fstest.MapFS
		text, advice, name string
	}{
		{fstest.MapFS{}, "none", "", "no card"},
		{bus, "1 of NVIDIA, no driver", "driver is not loaded", "no driver"},
		{driven("535.129.03"), "NVIDIA H100 80GB HBM3, driver 535.129.03", "535.129.03 … CUDA 13 … 580",
			"an old driver"},
		{driven("580.65.06"), "NVIDIA H100 80GB HBM3, driver 580.65.06", "", "all there"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := findGPUs(c.root)
			assert.Equal(t, c.text, g.String())
			if c.advice == "" {
				assert.Empty(t, g.advice())
			} else {
				messagetest.Names(t, g.advice(), c.advice)
			}
		})
	}
}
