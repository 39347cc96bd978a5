package backend

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGuardGivesUpOnSilence(t *testing.T) {
	end := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/mute", func(http.ResponseWriter, *http.Request) { <-end })
	mux.HandleFunc("/stall", func(answer http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(answer, "half")
		answer.(http.Flusher).Flush()
		<-end
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	defer close(end)
	mute, stall := newGuard(io.Discard), newGuard(io.Discard)
	mute.answer, stall.stall = 100*time.Millisecond, 100*time.Millisecond

	_, err := (&http.Client{Transport: mute}).Get(server.URL + "/mute")
	require.ErrorContains(t, err, "did not answer in 100ms")

	response, err := (&http.Client{Transport: stall}).Get(server.URL + "/stall")
	require.NoError(t, err)
	_, err = io.ReadAll(response.Body)
	require.NoError(t, response.Body.Close())
	require.ErrorContains(t, err, "sent nothing for 100ms")
}

func TestGuardFollowsRedirectsAndRefusesErrors(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/old", http.RedirectHandler("/new", http.StatusFound))
	mux.HandleFunc("/new", func(answer http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(answer, "here") })
	server := httptest.NewServer(mux)
	defer server.Close()
	g := newGuard(io.Discard)
	client := &http.Client{Transport: g}

	response, err := client.Get(server.URL + "/old")
	require.NoError(t, err)
	content, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, "here", string(content))
	assert.Equal(t, server.URL+"/new", g.lastURL().String())

	_, err = client.Get(server.URL + "/absent")
	require.ErrorContains(t, err, "answered 404 Not Found")
}

func TestGuardedClientIsTemporaryAndQuiet(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
		answer.Header().Set("Content-Length", strconv.Itoa(shownSize))
		_, _ = answer.Write(make([]byte, shownSize))
	}))
	defer server.Close()
	client, stdout := http.DefaultClient, os.Stdout
	var log syncLog
	err := withGuardedClient(&log, func(g *guard) error {
		assert.NotSame(t, stdout, os.Stdout)
		response, err := http.Get(server.URL + "/big.bin")
		require.NoError(t, err)
		defer func() { _ = response.Body.Close() }()
		_, err = io.Copy(io.Discard, response.Body)
		return err
	})
	require.NoError(t, err)
	assert.Same(t, client, http.DefaultClient)
	assert.Same(t, stdout, os.Stdout)
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	assert.Equal(t, "downloading big.bin:   0% of 1.0 MiB", lines[0])
	assert.Equal(t, "downloading big.bin: 100% of 1.0 MiB", lines[len(lines)-1])
}

func TestMeterOffATerminalWritesEveryTenth(t *testing.T) {
	for _, c := range []struct {
		name              string
		size, chunk, done int64
		want              int // Lines.
	}{
		{"known size", 100 * mebibyte, mebibyte, 100 * mebibyte, 11},
		{"large chunks", 100 * mebibyte, 35 * mebibyte, 70 * mebibyte, 3},
		{"unknown size", -1, mebibyte, 25 * mebibyte, 3},
		{"small", 1000, 100, 1000, 0},
		{"small, unknown size", -1, 100, 1000, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log syncLog
			m := newMeter(&log, "x", c.size)
			for range c.done / c.chunk {
				m.add(c.chunk)
			}
			m.end()
			assert.Equal(t, c.want, strings.Count(log.String(), "\n"), log.String())
			assert.NotContains(t, log.String(), "\r")
			assert.NotContains(t, log.String(), "\x1b")
		})
	}
}

func TestMeterOnATerminalDrawsOneLine(t *testing.T) {
	var log syncLog
	m := &meter{log: &log, name: "x", size: 10 * mebibyte, terminal: true}
	m.add(4 * mebibyte)
	m.add(6 * mebibyte)
	m.end()
	assert.Equal(t, "\rdownloading x:  40% of 10.0 MiB\rdownloading x: 100% of 10.0 MiB\n", log.String())

	log.text.Reset()
	small := &meter{log: &log, name: "x", size: 10, terminal: true}
	small.add(10)
	small.end()
	assert.Empty(t, log.String())
}
