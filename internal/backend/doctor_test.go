package backend

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

func TestDoctorWithoutXLA(t *testing.T) {
	dir := emptyPluginDir(t)
	r := Doctor(Options{})
	require.Len(t, r.Trials, 1)
	assert.Equal(t, "go", r.Trials[0].Name)
	assert.Empty(t, r.Trials[0].Error)
	assert.Equal(t, "go", r.Chosen)
	assert.Equal(t, []string{dir}, r.Searched)
	assert.Equal(t, runtime.NumCPU(), r.Machine.Cores)
	assert.NotEmpty(t, r.Advice)
}

// The report's JSON has all of the report, whatever the machine: a processor with instructions for bfloat16, one with
// AVX2 only, one of ARM, and a system that has no /proc.
func TestReportOfEachMachineSurvivesJSON(t *testing.T) {
	emptyPluginDir(t)
	r := Doctor(Options{})
	for name, root := range machines {
		r.Machine = machineOf(root)
		text, err := json.Marshal(r)
		require.NoError(t, err)
		var back Report
		require.NoError(t, json.Unmarshal(text, &back))
		assert.Equal(t, r, back, name)
		assert.NotContains(t, string(text), "null", name)
	}
}

func TestDoctorNamesABrokenPlugin(t *testing.T) {
	library := tinyLibrary(t)
	dir := emptyPluginDir(t)
	broken := writeFile(t, dir, "pjrt_c_api_cpu_plugin.so", library[:100])
	r := Doctor(Options{Name: "xla:cpu"})
	require.Len(t, r.Trials, 3, "pure Go, the file, the request")
	assert.Contains(t, r.Trials[1].Error, broken)
	assert.Equal(t, "xla:cpu", r.Trials[2].Config)
	assert.NotEmpty(t, r.Trials[2].Error)
	assert.Empty(t, r.Chosen)
	messagetest.OneNames(t, r.Advice, broken+" … work … delete")
	_, err := json.Marshal(r)
	require.NoError(t, err)
}

func TestDoctorIgnoresCUDAWithoutAGPU(t *testing.T) {
	dir := emptyPluginDir(t)
	writeFile(t, dir, "pjrt_c_api_cuda_plugin.so", nil)
	r := Doctor(Options{Name: "go"})
	want := 1
	if r.GPU {
		want = 2
	}
	assert.Len(t, r.Trials, want)
	assert.Equal(t, "go", r.Chosen)
}

// Where XLA works on the GPU, nobody needs it on the CPU.
func TestAdviceOnAGPU(t *testing.T) {
	if errNoXLA != nil {
		t.Skip(errNoXLA)
	}
	emptyPluginDir(t)
	gpu := Trial{Info: Info{Name: "xla:cuda"}, Config: "xla:/lib/pjrt_c_api_cuda_plugin.so"}
	assert.NotContains(t, strings.Join(advise(Report{Trials: []Trial{gpu}, GPU: true}), "\n"), "is not installed")
	gpu.Error = "no device"
	assert.Contains(t, strings.Join(advise(Report{Trials: []Trial{gpu}, GPU: true}), "\n"), "is not installed")
}

func TestField(t *testing.T) {
	root := fstest.MapFS{"cpuinfo": &fstest.MapFile{Data: []byte("processor\t: 0\nmodel name\t: A: fast one\nmodel " +
		"name\t: other\n")}}
	assert.Equal(t, "A: fast one", field(root, "cpuinfo", "model name"))
	assert.Empty(t, field(root, "cpuinfo", "flags"))
	assert.Empty(t, field(root, "absent", "flags"))
}
