package backend

import (
	"bufio"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// Machine describes the computer that a report, or a benchmark, comes from.
type Machine struct {
	Platform string `json:"platform"`               // GOOS/GOARCH.
	CPU      string `json:"cpu,omitempty"`          // Model; empty where the system does not tell.
	Cores    int    `json:"cores"`                  // Logical cores that this process may use.
	Memory   int64  `json:"memory_bytes,omitempty"` // 0 where the system does not tell.
}

// ThisMachine asks the operating system. CPU model and memory are known on Linux only.
func ThisMachine() Machine {
	m := Machine{Platform: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.NumCPU()}
	m.CPU = procField("/proc/cpuinfo", "model name")
	kibibytes, _, _ := strings.Cut(procField("/proc/meminfo", "MemTotal"), " ")
	if size, err := strconv.ParseInt(kibibytes, 10, 64); err == nil {
		m.Memory = size << 10
	}
	return m
}

// procField is the first value of a field in a file of "field : value" lines, or "".
func procField(path, field string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == field {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// versions are those of Go and of the modules that compute, as built into the program.
func versions() map[string]string {
	of := map[string]string{"go": runtime.Version()}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return of
	}
	short := map[string]string{
		"github.com/gomlx/gomlx":   "gomlx",
		"github.com/gomlx/go-xla":  "go-xla",
		"github.com/gomlx/compute": "compute",
	}
	for _, module := range build.Deps {
		if name, ok := short[module.Path]; ok {
			of[name] = module.Version
		}
	}
	return of
}
