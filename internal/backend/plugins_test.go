package backend

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

func TestNameOfPath(t *testing.T) {
	for path, want := range map[string]string{
		"/lib/pjrt_c_api_cpu_plugin.so":                   "cpu",
		"/lib/pjrt_c_api_cpu_v0.114.0_plugin.so":          "cpu_v0.114.0",
		"/lib/pjrt-plugin-cuda.so":                        "cuda",
		"/lib/pjrt_plugin_metal.dylib":                    "metal",
		"/lib/.ccp-install-part-pjrt_c_api_cpu_plugin.so": ".ccp-install-part-pjrt_c_api_cpu_plugin.so",
		"/lib/pjrt_c_api_cpu_plugin.so.lock":              "pjrt_c_api_cpu_plugin.so.lock",
		"plugin.so":                                       "plugin.so",
	} {
		assert.Equal(t, want, plugin(path).name(), path)
	}
}

func TestPluginAnswersToItsKindAndVersion(t *testing.T) {
	assert.True(t, plugin("cpu").is("cpu"))
	assert.True(t, plugin("cpu_v0.114.0").is("cpu"))
	assert.True(t, plugin("cpu_v0.114.0").is("cpu_v0.114.0"))
	assert.False(t, plugin("cuda").is("cpu"))
	assert.False(t, plugin("cpux").is("cpu"))
}

func TestFindPluginsKeepsTheOrderOfDirectories(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	t.Setenv(pluginDirsEnv, "/nowhere:"+second+"::"+first)
	writeFile(t, first, "pjrt_c_api_cpu_plugin.so", nil)
	writeFile(t, second, "pjrt_c_api_cpu_v0.1.0_plugin.so", nil)
	writeFile(t, second, "README", nil)
	assert.Equal(t, []plugin{
		plugin(filepath.Join(second, "pjrt_c_api_cpu_v0.1.0_plugin.so")),
		plugin(filepath.Join(first, "pjrt_c_api_cpu_plugin.so")),
	}, findPlugins())
	dir, err := installDir()
	require.NoError(t, err)
	assert.Equal(t, "/nowhere", dir, "the first directory of the list")
}

func TestDirectoriesFollowHome(t *testing.T) {
	t.Setenv(pluginDirsEnv, "")
	t.Setenv("HOME", "/some/home")
	t.Setenv("LD_LIBRARY_PATH", "relative:/libs")
	dir, err := installDir()
	require.NoError(t, err)
	assert.Contains(t, dir, "/some/home")
	assert.Equal(t, dir, searchDirs()[0], "what is installed is found first")
	assert.Contains(t, searchDirs(), "/libs")
	assert.NotContains(t, searchDirs(), "relative")

	t.Setenv("HOME", "")
	_, err = installDir()
	messagetest.Names(t, err, "HOME … PJRT_PLUGIN_LIBRARY_PATH")
}

func TestCheckIntact(t *testing.T) {
	library := tinyLibrary(t)
	other := append([]byte(nil), library...)
	other[18], other[19] = 8, 0 // MIPS.
	dir := t.TempDir()
	for _, c := range []struct {
		name    string
		content []byte
		want    string // Empty where the file is intact.
	}{
		{"whole", library, ""},
		{"one byte short", library[:len(library)-1], "truncated … 127 bytes … 128"},
		{"header cut", library[:70], "damaged"},
		{"empty", nil, "damaged"},
		{"text", []byte("<html>not found</html>"), "damaged"},
		{"other machine", other, "built for EM_MIPS"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := writeFile(t, dir, "plugin.so", c.content)
			err := checkIntact(path)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			messagetest.Names(t, err, c.want)
			require.ErrorContains(t, err, path)
		})
	}
	require.ErrorContains(t, checkIntact(dir), "not a regular file")
	require.ErrorIs(t, checkIntact(filepath.Join(dir, "absent")), os.ErrNotExist)
}

func FuzzCheckIntact(f *testing.F) {
	library := tinyLibrary(f)
	f.Add(library)
	f.Add(library[:64])
	f.Add([]byte("\x7fELF"))
	path := filepath.Join(f.TempDir(), "plugin.so")
	f.Fuzz(func(t *testing.T, content []byte) {
		require.NoError(t, os.WriteFile(path, content, 0o644))
		if checkIntact(path) == nil {
			require.GreaterOrEqual(t, len(content), 64, "an intact library has at least its header")
		}
	})
}
