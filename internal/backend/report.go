package backend

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// String lays the report out for people.
func (r Report) String() string {
	var s strings.Builder
	line := func(name, format string, args ...any) {
		_, _ = fmt.Fprintf(&s, "%-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("machine", "%s", r.Machine)
	var modules []string
	for _, name := range slices.Sorted(maps.Keys(r.Versions)) {
		modules = append(modules, name+" "+strings.TrimPrefix(r.Versions[name], name))
	}
	line("versions", "%s", strings.Join(modules, ", "))
	line("request", "%s", orElse(r.Request, "none (GOMLX_BACKEND is not set)"))
	line("downloads", "%s", map[bool]string{true: "off (offline)", false: "allowed"}[r.Offline])
	line("GPU", "%s", r.GPUs)
	line("searched", "%s", strings.Join(r.Searched, ", "))
	s.WriteString("\n")
	for _, trial := range r.Trials {
		line(trial.verdict(), "%s", trial)
	}
	s.WriteString("\n")
	line("chosen", "%s", orElse(r.Chosen, "none: the backend asked for cannot be opened"))
	for _, advice := range r.Advice {
		line("to do", "%s", advice)
	}
	return s.String()
}

// String is one line: CPU, cores, memory, platform.
func (m Machine) String() string {
	cores := "cores"
	if m.Cores == 1 {
		cores = "core"
	}
	text := fmt.Sprintf("%s, %d %s", orElse(m.CPU, "unknown CPU"), m.Cores, cores)
	if m.Memory > 0 {
		text += fmt.Sprintf(", %.1f GiB", float64(m.Memory)/(1<<30))
	}
	return text + ", " + m.Platform
}

// verdict is "ok" or "FAILED".
func (t Trial) verdict() string {
	if t.Error != "" {
		return "FAILED"
	}
	return "ok"
}

// String is one line: which backend, what it took or what went wrong.
func (t Trial) String() string {
	if t.Error != "" {
		return t.Config + ": " + t.Error
	}
	text := t.Name
	if t.Plugin != "" {
		text += fmt.Sprintf(" (%s, PJRT %s, %d devices)", t.Plugin, t.Version, t.Devices)
	}
	return text + fmt.Sprintf(": 256x256 product right, first run %.1f ms, then %.2f ms, %.1f GFLOP/s",
		1e3*t.First, 1e3*t.Seconds, t.GFLOPS)
}

// orElse is text, or other where text is empty.
func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
