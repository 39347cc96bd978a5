package backend

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/gomlx/go-xla/installer"
)

// plugin is the path of a plugin's file.
type plugin string

// pluginName matches go-xla's two kinds of plugin file names; its groups hold the plugin's name.
var pluginName = regexp.MustCompile(`^pjrt(?:_c_api_(.+)_plugin|[-_]plugin[-_](.+))\.(?:so|dylib|dll)$`)

// name is what go-xla calls the plugin, "cpu", "cuda", "cpu_v0.114.0", …, else the file's name itself.
func (p plugin) name() string { return pluginName.ReplaceAllString(filepath.Base(string(p)), "$1$2") }

// is reports whether the plugin answers to name, exactly or as a version of it ("cpu_v0.114.0" is a "cpu").
func (p plugin) is(name string) bool {
	return p.name() == name || strings.HasPrefix(p.name(), name+"_v")
}

// installDir returns the directory in which plugins are installed: the first one that is searched.
func installDir() (string, error) {
	if _, err := installer.DefaultHomeLibPath(); err != nil && len(pathList(pluginDirsEnv)) == 0 {
		return "", fmt.Errorf("no place for an XLA plugin: %w; set HOME or %s", err, pluginDirsEnv)
	}
	return filepath.Abs(searchDirs()[0])
}

// searchDirs returns the directories of plugins in go-xla's order. It leaves out the system's own library directories
// (ld.so.conf): GOMLX_BACKEND can name a plugin there by its path.
func searchDirs() []string {
	if dirs := pathList(pluginDirsEnv); len(dirs) > 0 {
		return dirs
	}
	var dirs []string
	if lib, err := installer.DefaultHomeLibPath(); err == nil {
		dirs = append(dirs, filepath.Join(lib, "go-xla"), filepath.Join(lib, "go-xla", "nvidia"),
			filepath.Join(lib, "gomlx", "pjrt"))
	}
	dirs = append(dirs, "/usr/local/lib/go-xla", "/usr/local/lib/go-xla/nvidia", "/usr/local/lib/gomlx/pjrt")
	relative := func(dir string) bool { return !filepath.IsAbs(dir) }
	return append(dirs, slices.DeleteFunc(pathList("LD_LIBRARY_PATH"), relative)...)
}

// pathList returns the directories in an environment variable, without empty entries.
func pathList(variable string) []string {
	return slices.DeleteFunc(filepath.SplitList(os.Getenv(variable)), func(dir string) bool { return dir == "" })
}

// findPlugins returns the plugin files in the search directories. Files of an earlier directory come first.
//
// go-xla's pjrt.AvailablePlugins cannot be used: it opens every file, and ends the process if one is damaged.
func findPlugins() (found []plugin) {
	for _, dir := range searchDirs() {
		entries, _ := os.ReadDir(dir) // most of the directories do not exist
		for _, entry := range entries {
			path, err := filepath.Abs(filepath.Join(dir, entry.Name()))
			if p := plugin(path); err == nil && p.name() != entry.Name() {
				found = append(found, p)
			}
		}
	}
	return found
}

// findIntact returns the first installed plugin of a kind that is not damaged. The error says what there is instead.
func findIntact(kind string) (plugin, error) {
	var names []string
	var damages []error
	for _, p := range findPlugins() {
		names = append(names, p.name())
		if !p.is(kind) {
			continue
		}
		damage := checkIntact(string(p))
		if damage == nil {
			return p, nil
		}
		damages = append(damages, damage)
	}
	switch {
	case len(damages) > 0:
		return "", oneLine(damages...)
	case len(names) > 0:
		return "", fmt.Errorf("no XLA plugin %q, only %s installed", kind, strings.Join(names, ", "))
	}
	return "", fmt.Errorf("no XLA plugin %q, none is installed", kind)
}

// checkIntact returns an error if a plugin file is damaged or built for another processor. The loader would accept a
// truncated library, and the process would then die of SIGBUS. Only ELF files can be checked; others pass.
func checkIntact(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	if runtime.GOOS != "linux" {
		return nil
	}
	library, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("%s is damaged or not a shared library: %w", path, err)
	}
	defer func() { _ = library.Close() }()
	if want, known := elfMachines[runtime.GOARCH]; known && (library.Machine != want || library.Class != elf.ELFCLASS64) {
		return fmt.Errorf("%s is built for %v of %v, this machine is %v of 64 bits", path, library.Machine,
			library.Class, want)
	}
	for _, segment := range library.Progs {
		if end := segment.Off + segment.Filesz; segment.Type == elf.PT_LOAD && end > uint64(info.Size()) {
			return fmt.Errorf("%s is truncated: %d bytes, its segments need %d", path, info.Size(), end)
		}
	}
	return nil
}

var elfMachines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}
