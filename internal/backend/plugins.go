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
	"github.com/gomlx/go-xla/pjrt"
)

// pluginFile is a file that by its name is a PJRT plugin.
type pluginFile struct {
	Name string // as go-xla names it: "cpu", "cuda", "cpu_v0.114.0", …
	Path string
}

// is reports whether the plugin answers to name, exactly or as a version of it ("cpu_v0.114.0" is a "cpu").
func (p pluginFile) is(name string) bool {
	return p.Name == name || strings.HasPrefix(p.Name, name+"_v")
}

// pluginNames are go-xla's two patterns of plugin file names; the first group is the plugin's name.
var pluginNames = []*regexp.Regexp{
	regexp.MustCompile(`^pjrt_c_api_(.+)_plugin\.(?:so|dylib|dll)$`),
	regexp.MustCompile(`^pjrt[-_]plugin[-_](.+)\.(?:so|dylib|dll)$`),
}

// installDir is where plugins are installed: the first directory of PJRT_PLUGIN_LIBRARY_PATH when it is set, since
// nothing else would be searched then; else go-xla's own directory under the user's home.
func installDir() (string, error) {
	if dirs := pathList(os.Getenv(pjrt.PJRTPluginPathsEnv)); len(dirs) > 0 {
		return filepath.Abs(dirs[0])
	}
	lib, err := installer.DefaultHomeLibPath()
	if err != nil {
		return "", fmt.Errorf("no place for an XLA plugin: %w; set HOME or %s", err, pjrt.PJRTPluginPathsEnv)
	}
	return filepath.Join(lib, "go-xla"), nil
}

// searchDirs lists, in go-xla's order, the directories where plugins are looked for. The system's own library
// directories (ld.so.conf) are left out: a plugin there is named by its path in GOMLX_BACKEND.
func searchDirs() []string {
	if dirs := pathList(os.Getenv(pjrt.PJRTPluginPathsEnv)); len(dirs) > 0 {
		return dirs
	}
	var dirs []string
	if lib, err := installer.DefaultHomeLibPath(); err == nil {
		dirs = append(dirs, filepath.Join(lib, "go-xla"), filepath.Join(lib, "go-xla", "nvidia"),
			filepath.Join(lib, "gomlx", "pjrt"))
	}
	dirs = append(dirs, "/usr/local/lib/go-xla", "/usr/local/lib/go-xla/nvidia", "/usr/local/lib/gomlx/pjrt")
	for _, dir := range pathList(os.Getenv("LD_LIBRARY_PATH")) {
		if filepath.IsAbs(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// pathList splits a list of directories and drops its empty entries.
func pathList(list string) []string {
	return slices.DeleteFunc(filepath.SplitList(list), func(dir string) bool { return dir == "" })
}

// findPlugins lists the plugin files in the search directories, the preferred one of each name first.
//
// go-xla has pjrt.AvailablePlugins for this, but it opens every file and dies on one that cannot be loaded.
func findPlugins() []pluginFile {
	var found []pluginFile
	for _, dir := range searchDirs() {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // Most of the directories do not exist.
		}
		for _, entry := range entries {
			path, err := filepath.Abs(filepath.Join(dir, entry.Name()))
			if name := nameOfPath(path); err == nil && name != entry.Name() {
				found = append(found, pluginFile{Name: name, Path: path})
			}
		}
	}
	return found
}

// nameOfPath is the plugin name that a file's name holds, else the file's name itself.
func nameOfPath(path string) string {
	base := filepath.Base(path)
	for _, pattern := range pluginNames {
		if match := pattern.FindStringSubmatch(base); match != nil {
			return match[1]
		}
	}
	return base
}

// checkIntact reports what is wrong with a plugin file before it is loaded: the loader maps a truncated library
// without complaint and the process then dies with SIGBUS. Only ELF files can be checked; others pass.
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
	if want, known := elfMachines[runtime.GOARCH]; known && library.Machine != want {
		return fmt.Errorf("%s is built for %v, this machine is %v", path, library.Machine, want)
	}
	for _, segment := range library.Progs {
		if end := segment.Off + segment.Filesz; segment.Type == elf.PT_LOAD && end > uint64(info.Size()) {
			return fmt.Errorf("%s is truncated: %d bytes, its segments need %d", path, info.Size(), end)
		}
	}
	return nil
}

// elfMachines maps GOARCH to the machine of an ELF header.
var elfMachines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}
