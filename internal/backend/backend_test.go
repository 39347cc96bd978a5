package backend

import (
	"errors"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

func TestOpenRequests(t *testing.T) {
	dir := emptyPluginDir(t)
	damaged := writeFile(t, dir, "pjrt_c_api_toy_plugin.so", []byte("no library"))
	for _, c := range []struct {
		request string
		want    []string // Parts of the error; nil for success.
	}{
		{"go", nil},
		{"tensorflow", []string{"tensorflow … no such backend … go, xla, xla:cpu, xla:cuda"}},
		{"go:no_such_option", []string{"go:no_such_option: "}},
		{"xla:/no/such/plugin.so", []string{"/no/such/plugin.so", "no such file"}},
		{"xla:./plugin.so", []string{"no such file"}},
		{"xla:tpu", []string{`no XLA plugin "tpu" … only toy`}},
		{"xla:toy", []string{damaged, "damaged"}},
		{"xla:cpu", []string{`no XLA plugin "cpu"`, "downloads are off"}},
		{"xla", []string{`no XLA plugin "cpu"`, "downloads are off"}},
		{"hlo:cpu", []string{"no such backend"}},
	} {
		for _, source := range []string{"backend=", compute.ConfigEnvVar + "="} {
			t.Run(source+c.request, func(t *testing.T) {
				options := Options{Name: c.request}
				if source != "backend=" {
					t.Setenv(compute.ConfigEnvVar, c.request)
					options.Name = ""
				}
				b, info, err := Open(options)
				if c.want == nil {
					require.NoError(t, err)
					assert.Equal(t, Info{Name: "go", Devices: 1}, info)
					b.Finalize()
					return
				}
				require.Error(t, err)
				assert.Nil(t, b)
				assert.True(t, strings.HasPrefix(err.Error(), source+c.request), err)
				if errNoXLA != nil && strings.HasPrefix(c.request, "xla") {
					assert.ErrorIs(t, err, errNoXLA)
					return
				}
				for _, part := range c.want {
					messagetest.Names(t, err, part)
				}
			})
		}
	}
}

// Nothing is downloaded unless the caller allows it.
func TestOpenInstallsOnlyOnRequest(t *testing.T) {
	emptyPluginDir(t)
	assert.True(t, newOpener(Options{}).offline)
	_, info, err := Open(Options{})
	require.NoError(t, err)
	assert.Equal(t, "go", info.Name)
}

func TestOpenFallsBackToPureGoWithANotice(t *testing.T) {
	library := tinyLibrary(t)
	noInstall := func(*opener, string) error { return errors.New("cable cut") }
	for _, c := range []struct {
		name    string
		offline bool
		plugin  []byte
		want    string
		tries   int // How often an installation is tried for the CPU.
	}{
		{"offline", true, nil, "downloads are off", 0},
		{"no network", false, nil, "cable cut", 1},
		{"damaged plugin, offline", true, library[:100], "damaged", 0},
		{"damaged plugin, no network", false, library[:100], "cable cut", 1},
		{"intact plugin that does not load is not fetched again", false, library, "failed to", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := emptyPluginDir(t)
			if c.plugin != nil {
				writeFile(t, dir, cpuPlugin, c.plugin)
			}
			var log syncLog
			op := newOpener(Options{Install: true, Log: &log})
			op.offline = c.offline // Whatever the environment says.
			tries := 0
			op.install = func(op *opener, kind string) error {
				if kind == "cpu" {
					tries++
				}
				return noInstall(op, kind)
			}
			b, info, err := op.openBest()
			require.NoError(t, err)
			b.Finalize()
			assert.Equal(t, "go", info.Name)
			assert.Equal(t, c.tries, tries)
			lines := strings.Split(strings.TrimSuffix(log.String(), "\n"), "\n")
			last := lines[len(lines)-1]
			messagetest.Names(t, last, "pure Go backend")
			assert.Contains(t, last, c.want)
		})
	}
}

func TestOfflineByEnv(t *testing.T) {
	// GOMLX_NO_AUTO_INSTALL counts whatever its value, so a test can only see the rest where it is not set.
	t.Run(noInstallEnv, func(t *testing.T) {
		t.Setenv(noInstallEnv, "1")
		assert.True(t, offlineByEnv())
	})
	if offlineByEnv() {
		t.Skipf("the environment is offline")
	}
	for value, want := range map[string]bool{"": false, "0": false, "false": false, "1": true, "true": true, "yes": true} {
		t.Setenv(offlineEnv, value)
		assert.Equal(t, want, offlineByEnv(), "%s=%q", offlineEnv, value)
		assert.Equal(t, want, Offline(), "%s=%q", offlineEnv, value)
	}
}
