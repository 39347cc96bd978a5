package backend

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"github.com/stretchr/testify/require"
)

// tinyLibrary is an ELF file for this machine with one segment that spans it: intact, but not a loadable plugin.
func tinyLibrary(t testing.TB) []byte {
	t.Helper()
	if errNoXLA != nil {
		t.Skip(errNoXLA)
	}
	machine, known := elfMachines[runtime.GOARCH]
	if !known || runtime.GOOS != "linux" {
		t.Skipf("no ELF checks on %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	const headers = 64 + 56
	header := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT),
		Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 1,
	}
	copy(header.Ident[:], elf.ELFMAG)
	header.Ident[elf.EI_CLASS] = byte(elf.ELFCLASS64)
	header.Ident[elf.EI_DATA] = byte(elf.ELFDATA2LSB)
	header.Ident[elf.EI_VERSION] = byte(elf.EV_CURRENT)
	segment := elf.Prog64{Type: uint32(elf.PT_LOAD), Filesz: headers + 8, Memsz: headers + 8, Align: 4096}
	var file bytes.Buffer
	require.NoError(t, binary.Write(&file, binary.LittleEndian, header))
	require.NoError(t, binary.Write(&file, binary.LittleEndian, segment))
	file.WriteString("segment!")
	return file.Bytes()
}

// emptyPluginDir makes a fresh directory the only one where plugins are looked for and installed.
func emptyPluginDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv(pluginDirsEnv, dir)
	t.Setenv(compute.ConfigEnvVar, "")
	return dir
}

// writeFile writes a file into dir and returns its path.
func writeFile(t testing.TB, dir, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, content, 0o644))
	return path
}

// makeWheel zips a plugin into a wheel and describes it.
func makeWheel(t testing.TB, plugin []byte) (wheel, []byte) {
	t.Helper()
	var archive bytes.Buffer
	zipped := zip.NewWriter(&archive)
	for name, content := range map[string][]byte{"toy/__init__.py": nil, "toy/plugin.so": plugin} {
		member, err := zipped.Create(name)
		require.NoError(t, err)
		_, err = member.Write(content)
		require.NoError(t, err)
	}
	require.NoError(t, zipped.Close())
	sum := sha256.Sum256(archive.Bytes())
	return wheel{sum: "sha256:" + hex.EncodeToString(sum[:]), member: "toy/plugin.so"}, archive.Bytes()
}

// syncLog is a log that several goroutines may write to and read.
type syncLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *syncLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *syncLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
