package backend

import (
	"bufio"
	"bytes"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// leastDriver is the oldest of NVIDIA's drivers that runs CUDA 13, which go-xla installs.
const leastDriver = 580

// GPUs are the NVIDIA cards of a machine, as its kernel tells, whether or not they can be used.
type GPUs struct {
	Cards  int      `json:"cards"`  // on the PCI bus
	Models []string `json:"models"` // that the driver has
	Driver string   `json:"driver"` // its version, such as 580.65.06; empty if none is loaded
}

// findGPUs looks into /proc and /sys below root. Elsewhere than on Linux there is nothing to be found.
func findGPUs(root fs.FS) GPUs {
	g := GPUs{Models: []string{}}
	vendors, _ := fs.Glob(root, "sys/bus/pci/devices/*/vendor") // of a fixed pattern: cannot fail
	for _, vendor := range vendors {
		class := path.Join(path.Dir(vendor), "class")
		if readLine(root, vendor) == "0x10de" && strings.HasPrefix(readLine(root, class), "0x03") {
			g.Cards++
		}
	}
	cards, _ := fs.Glob(root, "proc/driver/nvidia/gpus/*/information")
	for _, card := range cards {
		raw, err := fs.ReadFile(root, card)
		for lines := bufio.NewScanner(bytes.NewReader(raw)); err == nil && lines.Scan(); {
			if name, value, _ := strings.Cut(lines.Text(), ":"); name == "Model" {
				g.Models = append(g.Models, strings.TrimSpace(value))
			}
		}
	}
	for _, word := range strings.Fields(readLine(root, "proc/driver/nvidia/version")) {
		if major, _, dotted := strings.Cut(word, "."); dotted && isNumber(major) { // NVRM version: … Kernel Module  580.65.06  Release …
			g.Driver = word
			break
		}
	}
	g.Cards = max(g.Cards, len(g.Models)) // a container may show the driver and not the bus
	return g
}

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// readLine is the first line of a file; empty if there is none.
func readLine(root fs.FS, name string) string {
	raw, _ := fs.ReadFile(root, name) // what cannot be read tells nothing
	line, _, _ := strings.Cut(string(raw), "\n")
	return strings.TrimSpace(line)
}

// String is such as "NVIDIA H100 80GB HBM3, driver 580.65.06", or "none".
func (g GPUs) String() string {
	switch {
	case g.Cards == 0:
		return "none"
	case g.Driver == "":
		return strconv.Itoa(g.Cards) + " of NVIDIA, no driver"
	}
	names := strings.Join(g.Models, ", ")
	if names == "" {
		names = "NVIDIA"
	}
	return names + ", driver " + g.Driver
}

// advice says what keeps XLA from the GPU; empty where nothing that can be seen here does.
func (g GPUs) advice() string {
	major, _, _ := strings.Cut(g.Driver, ".")
	version, _ := strconv.Atoi(major) // digits, see findGPUs
	switch {
	case g.Cards == 0:
		return ""
	case g.Driver == "":
		return "there is an NVIDIA GPU, but its driver is not loaded: install NVIDIA's driver " + strconv.Itoa(leastDriver) + " or newer, which CUDA 13 needs; in a container, pass the GPU through (docker run --gpus all)"
	case version < leastDriver:
		return "NVIDIA's driver is " + g.Driver + ", but CUDA 13 needs " + strconv.Itoa(leastDriver) + " or newer: update it, or train on the CPU (--backend xla:cpu)"
	}
	return ""
}
