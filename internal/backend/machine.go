package backend

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/gomlx/go-xla/installer"
)

// Machine describes the computer behind a report or a benchmark.
type Machine struct {
	Platform string `json:"platform"`               // GOOS/GOARCH.
	CPU      string `json:"cpu,omitempty"`          // Model; empty if unknown.
	Cores    int    `json:"cores"`                  // Logical cores that this process may use.
	Memory   int64  `json:"memory_bytes,omitempty"` // 0 if unknown.
	// BFloat16 are the processor's instructions that multiply bfloat16; none if there are none, or they are unknown.
	BFloat16 []string `json:"bfloat16"`
}

// bfloat16Flags are the names that Linux gives to such instructions on x86-64 and ARM.
var bfloat16Flags = []string{"amx_bf16", "avx512_bf16", "bf16"}

// ThisMachine asks the operating system. CPU model and memory are known on Linux only.
func ThisMachine() Machine { return machineOf(os.DirFS("/")) }

// machineOf returns what a root folder tells of its machine; platform and cores are this one's.
func machineOf(root fs.FS) Machine {
	m := Machine{Platform: platform, Cores: runtime.NumCPU(), CPU: field(root, "proc/cpuinfo", "model name"),
		BFloat16: bfloat16Of(root)}
	kibibytes, _, _ := strings.Cut(field(root, "proc/meminfo", "MemTotal"), " ")
	if size, err := strconv.ParseInt(kibibytes, 10, 64); err == nil {
		m.Memory = size << 10
	}
	return m
}

// MultipliesBFloat16 reports whether Open takes XLA on a processor that multiplies bfloat16, unless XLA fails: its
// plugin is installed, there is no NVIDIA GPU, and GOMLX_BACKEND names no backend.
func MultipliesBFloat16() bool {
	if errNoXLA != nil || (Options{}).request() != "" || installer.HasNvidiaGPU() {
		return false
	}
	_, err := findIntact("cpu")
	return err == nil && len(ThisMachine().BFloat16) > 0
}

// bfloat16Of returns which of bfloat16Flags the processor has.
func bfloat16Of(root fs.FS) []string {
	flags := strings.Fields(field(root, "proc/cpuinfo", "flags") + " " + field(root, "proc/cpuinfo", "Features"))
	return slices.DeleteFunc(slices.Clone(bfloat16Flags), func(flag string) bool { return !slices.Contains(flags, flag) })
}

// String returns one line: CPU, cores, memory, platform.
func (m Machine) String() string {
	text := fmt.Sprintf("%s, %d cores", cmp.Or(m.CPU, "unknown CPU"), m.Cores)
	if m.Cores == 1 {
		text = strings.TrimSuffix(text, "s")
	}
	if m.Memory > 0 {
		text += fmt.Sprintf(", %.1f GiB", float64(m.Memory)/(1<<30))
	}
	return text + ", " + m.Platform
}

// field returns the first value of a field in a file of "field : value" lines, or "".
func field(root fs.FS, path, field string) string {
	raw, _ := fs.ReadFile(root, path) // what cannot be read tells nothing
	for line := range strings.Lines(string(raw)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == field {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// Versions returns the versions of ccp, of Go and of GoMLX's modules in this program, by short name.
func Versions() map[string]string {
	of := map[string]string{"ccp": "unknown", "go": runtime.Version()}
	if build, ok := debug.ReadBuildInfo(); ok {
		of["ccp"] = cmp.Or(build.Main.Version, of["ccp"])
		for _, module := range build.Deps {
			if name, ok := strings.CutPrefix(module.Path, "github.com/gomlx/"); ok {
				of[name] = module.Version
			}
		}
	}
	return of
}

// leastDriver is the oldest of NVIDIA's drivers that runs CUDA 13, which go-xla installs.
const leastDriver = 580

// driverVersion is the first such number in "NVIDIA UNIX x86_64 Kernel Module  580.65.06  Release Build".
var driverVersion = regexp.MustCompile(`\b\d+\.[\d.]*\d\b`)

// GPUs are the NVIDIA cards of a machine according to its kernel, usable or not.
type GPUs struct {
	Cards  int      `json:"cards"`  // on the PCI bus
	Models []string `json:"models"` // that the driver knows
	Driver string   `json:"driver"` // its version, such as 580.65.06; empty if none is loaded
}

// findGPUs looks into /proc and /sys below root, which hold something on Linux only.
func findGPUs(root fs.FS) GPUs {
	g := GPUs{Models: []string{}}
	vendors, _ := fs.Glob(root, "sys/bus/pci/devices/*/vendor") // of a fixed pattern: cannot fail
	for _, name := range vendors {
		vendor, _ := fs.ReadFile(root, name)
		class, _ := fs.ReadFile(root, path.Join(path.Dir(name), "class"))
		if string(vendor) == "0x10de\n" && strings.HasPrefix(string(class), "0x03") {
			g.Cards++
		}
	}
	cards, _ := fs.Glob(root, "proc/driver/nvidia/gpus/*/information")
	for _, card := range cards {
		if model := field(root, card, "Model"); model != "" {
			g.Models = append(g.Models, model)
		}
	}
	g.Driver = driverVersion.FindString(field(root, "proc/driver/nvidia/version", "NVRM version"))
	g.Cards = max(g.Cards, len(g.Models)) // a container may show the driver and not the bus
	return g
}

// String returns a line such as "NVIDIA H100 80GB HBM3, driver 580.65.06", or "none".
func (g GPUs) String() string {
	switch {
	case g.Cards == 0:
		return "none"
	case g.Driver == "":
		return strconv.Itoa(g.Cards) + " of NVIDIA, no driver"
	}
	return cmp.Or(strings.Join(g.Models, ", "), "NVIDIA") + ", driver " + g.Driver
}

// advice returns what keeps XLA from the GPU; empty if no obstacle is visible here.
func (g GPUs) advice() string {
	major, _, _ := strings.Cut(g.Driver, ".")
	version, _ := strconv.Atoi(major) // digits, see findGPUs
	switch {
	case g.Cards == 0:
		return ""
	case g.Driver == "":
		return fmt.Sprintf("there is an NVIDIA GPU, but its driver is not loaded: install NVIDIA's driver %d or newer, "+
			"which CUDA 13 needs; in a container, pass the GPU through (docker run --gpus all)", leastDriver)
	case version < leastDriver:
		return fmt.Sprintf("NVIDIA's driver is %s, but CUDA 13 needs %d or newer: update it, or train on the CPU "+
			"(backend xla:cpu)", g.Driver, leastDriver)
	}
	return ""
}
