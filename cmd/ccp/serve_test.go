package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestServeUsage(t *testing.T) {
	for line, want := range map[string]string{
		"":                                  "--checkpoint DIR is needed",
		"--checkpoint a=":                   `--checkpoint: "a=" names no directory; write DIR or NAME=DIR`,
		"--checkpoint x --addr 8080":        `--addr "8080" is not HOST:PORT, :PORT or -`,
		"--checkpoint x --queue 0":          `--queue "0" must be from 1 to 16777216`,
		"--checkpoint x --timeout 0s":       `--timeout "0s" must be at least 1ms`,
		"--checkpoint x --max-delay 1ns":    `--max-delay "1ns" must be at least 1µs, or 0`,
		"--checkpoint x --timeout 1ns":      `--timeout "1ns" must be at least 1ms`,
		"--checkpoint x --tls-cert c":       "--tls-cert and --tls-key belong together; give both",
		"--checkpoint x --log-level loud":   `--log-level "loud" is none of debug, info, warn, error`,
		"--checkpoint x --max-delay 5":      `--max-delay "5" is not a duration such as 90s or 5m`,
		"--checkpoint x also":               `ccp serve takes flags only, not "also"`,
		"--checkpoint x --max-body 9999999": `--max-body "9999999" must be from 1 to 1048576`,
	} {
		code, stdout, stderr := execute(t, append([]string{"serve"}, strings.Fields(line)...)...)
		assert.Equal(t, 2, code, line)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, want)
		assert.Contains(t, stderr, "See `ccp serve --help`.")
	}
	dir := trained(t)
	code, _, stderr := execute(t, "serve", "--backend", "go", "--checkpoint", dir, "--checkpoint", dir, "--addr",
		"127.0.0.1:0")
	assert.Equal(t, 2, code, stderr)
	code, _, stderr = execute(t, "serve", "--backend", "go", "--checkpoint", t.TempDir(), "--addr", "127.0.0.1:0")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "is not a checkpoint")
}

// The program serves from the line that it prints until SIGTERM, which ends it well. A small model needs no XLA for
// that.
func TestServe(t *testing.T) {
	dir := trained(t)
	path, err := program()
	require.NoError(t, err)
	command := exec.Command(path, "serve", "--offline", "--checkpoint", dir, "--checkpoint", "again="+dir, "--addr",
		"127.0.0.1:0", "--json")
	command.Env = append(os.Environ(), "GOMLX_BACKEND=", "PJRT_PLUGIN_LIBRARY_PATH="+t.TempDir())
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	var log strings.Builder
	command.Stderr = &log
	require.NoError(t, command.Start())
	defer func() { _ = command.Process.Kill() }() // if the test has failed
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err, log.String())
	var serving servingJSON
	decode(t, line, &serving)
	assert.Equal(t, "serve", serving.Command)
	assert.Equal(t, []string{"again", "digits"}, serving.Models)
	assert.Regexp(t, `^http://127\.0\.0\.1:\d+$`, serving.Address)

	request := `{"inputs":[{"name":"signals","shape":[1,64],"datatype":"UINT8","data":[` + strings.Repeat("0,", 63) + `0]}]}`
	answer, err := http.Post(serving.Address+"/v2/models/digits/infer", "application/json", strings.NewReader(request))
	require.NoError(t, err)
	raw, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	answer.Body.Close()
	assert.Equal(t, 200, answer.StatusCode, string(raw))
	assert.Contains(t, string(raw), `"model_name":"digits"`)

	many := `{"inputs":[{"name":"signals","shape":[64,64],"datatype":"UINT8","data":[` + strings.Repeat("0,", 64*64-1) + `0]}]}`
	require.Eventually(t, func() bool { // the best backend takes over, which is pure Go again without a plugin
		answer, err := http.Post(serving.Address+"/v2/models/digits/infer", "application/json", strings.NewReader(many))
		require.NoError(t, err)
		answer.Body.Close()
		answer, err = http.Get(serving.Address + "/metrics")
		require.NoError(t, err)
		raw, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		answer.Body.Close()
		return strings.Contains(string(raw), `ccp_reloads_total{model="digits",result="ok"} 1`)
	}, time.Minute, time.Millisecond)
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()

	require.NoError(t, command.Process.Signal(syscall.SIGHUP), "looks for a newer snapshot, and ends nothing")
	answer, err = http.Get(serving.Address + "/v2/health/ready")
	require.NoError(t, err)
	answer.Body.Close()
	assert.Equal(t, 200, answer.StatusCode)
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	require.NoError(t, command.Process.Signal(syscall.SIGTERM))
	require.NoError(t, command.Wait(), log.String())
	for _, line := range lines(log.String()) {
		assert.True(t, json.Valid([]byte(line)), line)
	}
	assert.Contains(t, log.String(), `"msg":"ended"`)
}

// A server that is told to end while its models load ends well, as later.
func TestServeEndsWhileLoading(t *testing.T) {
	dir := trained(t)
	root := newRoot(nil)
	root.SetArgs([]string{"serve", "--backend", "go", "--checkpoint", dir, "--addr", "127.0.0.1:0"})
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	ctx, end := context.WithCancel(t.Context())
	end()
	require.NoError(t, root.ExecuteContext(ctx))
}

// SIGTERM is no failure at any time: here as soon as the address is open, which is before the models are loaded.
func TestServeEndsAtSIGTERMWhileLoading(t *testing.T) {
	dir := trained(t)
	path, err := program()
	require.NoError(t, err)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := free.Addr().String()
	require.NoError(t, free.Close())
	command := exec.Command(path, "serve", "--backend", "go", "--checkpoint", dir, "--addr", address)
	var log strings.Builder
	command.Stderr = &log
	require.NoError(t, command.Start())
	defer func() { _ = command.Process.Kill() }() // if the test has failed
	require.Eventually(t, func() bool {
		connection, err := net.Dial("tcp", address)
		return err == nil && connection.Close() == nil
	}, time.Minute, time.Millisecond)
	require.NoError(t, command.Process.Signal(syscall.SIGTERM))
	require.NoError(t, command.Wait(), log.String())
}

// The collector's limit grows with what a newer snapshot needs.
func TestLimitMemory(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	limitMemory(1 << 20)
	small := debug.SetMemoryLimit(-1)
	newer := make([]byte, 256<<20)
	for i := 0; i < len(newer); i += 4096 {
		newer[i] = 1
	}
	limitMemory(1 << 20)
	assert.Greater(t, debug.SetMemoryLimit(-1), small+200<<20)
	runtime.KeepAlive(newer)
}
