package serve

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// start runs s on an address of its own; stop ends it and gives what Run returned.
func start(t *testing.T, s *Server) (address string, stop func() error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, listener) }()
	return listener.Addr().String(), func() error {
		cancel()
		return <-ended
	}
}

// Clients that ask all the time, and leave when the server says so, get an answer to everything they sent.
func TestEndUnderLoad(t *testing.T) {
	s, _ := newServer(t, func(c *Config) { c.Drain = 20 * time.Second })
	address, stop := start(t, s)
	var answered atomic.Int64
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
			defer client.CloseIdleConnections()
			for {
				answer, err := client.Post("http://"+address+"/v2/models/tiny/infer", "application/json",
					strings.NewReader(inJSON(3)))
				if !assert.NoError(t, err) {
					return
				}
				_, err = io.Copy(io.Discard, answer.Body)
				assert.NoError(t, err)
				answer.Body.Close()
				assert.Equal(t, 200, answer.StatusCode)
				answered.Add(1)
				if answer.Close {
					return
				}
			}
		})
	}
	require.Eventually(t, func() bool { return answered.Load() > 200 }, 60*time.Second, time.Millisecond)
	require.NoError(t, stop())
	group.Wait()
	_, err := net.Dial("tcp", address)
	require.Error(t, err, "the listener is closed")
}

// Neither an idle connection nor half a request makes the end longer than Drain, while a whole request is answered.
func TestDrainEnds(t *testing.T) {
	s, _ := newServer(t, func(c *Config) { c.Drain = 100 * time.Millisecond })
	computing, gate := make(chan bool, 1), make(chan bool)
	s.models["tiny"].observe = func(int, time.Duration) {
		computing <- true
		<-gate
	}
	address, stop := start(t, s)
	open := map[string]net.Conn{}
	for _, text := range []string{"", "GET /v2 HT",
		"POST /v2/models/tiny/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{",
		"POST /v2/models/tiny/infer HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"} {
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		_, err = io.WriteString(conn, text)
		require.NoError(t, err)
		open[text] = conn
	}
	var group sync.WaitGroup
	group.Go(func() {
		code, _, body := send(t, "POST", "http://"+address+"/v2/models/tiny/infer", inJSON(1))
		assert.Equal(t, 200, code, string(body))
	})
	<-computing
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	for text, conn := range open { // each is closed by the server, long before it has answered
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(20*time.Second)))
		raw, err := io.ReadAll(conn)
		assert.NotErrorIs(t, err, os.ErrDeadlineExceeded, text)
		if strings.HasPrefix(text, "POST") {
			assert.Contains(t, string(raw), "HTTP/1.1 408 ", text)
		}
	}
	assert.Empty(t, ended)
	close(gate)
	group.Wait()
	require.NoError(t, <-ended)
}

func TestNotReadyAtTheEnd(t *testing.T) {
	s, _ := newServer(t, nil)
	url := listen(t, s)
	s.draining.Store(true)
	for path, want := range map[string]int{"/v2/health/live": 200, "/v2/health/ready": 503, "/v2/models/tiny/ready": 503} {
		answer, err := http.Get(url + path)
		require.NoError(t, err)
		answer.Body.Close()
		assert.Equal(t, want, answer.StatusCode, path)
		assert.True(t, answer.Close, "the connection is closed")
	}
	code, _, _ := send(t, "POST", url+"/v2/models/tiny/infer", inJSON(1))
	assert.Equal(t, 200, code, "what comes is answered still")
}

// While better snapshots come, no request is lost, and all of an answer is of the model that it names.
func TestReloadUnderLoad(t *testing.T) {
	var reloads atomic.Int64
	s, dir := newServer(t, func(c *Config) {
		c.Poll, c.Reloaded = 5*time.Millisecond, func() { reloads.Add(1) } // the program bounds its memory anew
	})
	save(t, dir, 8, 8%classes) // from now on class = version mod 3
	s.Reload(t.Context())
	assert.Equal(t, int64(1), reloads.Load())
	s.Reload(t.Context())
	assert.Equal(t, int64(1), reloads.Load(), "nothing is newer")
	address, stop := start(t, s)
	seen := map[string]bool{}
	var mu sync.Mutex
	var done atomic.Bool
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for !done.Load() {
				code, _, body := send(t, "POST", "http://"+address+"/v2/models/tiny/infer", inJSON(5))
				if !assert.Equal(t, 200, code, string(body)) {
					return
				}
				a := read(t, body)
				step, err := strconv.Atoi(a.Version)
				assert.NoError(t, err)
				var got []int
				a.data(t, 1, &got)
				for _, class := range got {
					assert.Equal(t, step%classes, class, "version %d", step)
				}
				mu.Lock()
				seen[a.Version] = true
				mu.Unlock()
			}
		})
	}
	for step := 9; step < 15; step++ {
		save(t, dir, step, step%classes)
		require.Eventually(t, func() bool {
			mu.Lock()
			defer mu.Unlock()
			return seen[strconv.Itoa(step)]
		}, 60*time.Second, time.Millisecond)
	}
	done.Store(true)
	group.Wait()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	require.NoError(t, stop())
}

// The log says what a link was pointed to, and which input it takes: it may be another than before.
func TestReloadOfALink(t *testing.T) {
	var log bytes.Buffer
	s, dir := newServer(t, func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
		run := c.Checkpoints[0].Dir
		c.Checkpoints[0].Dir += "-link"
		require.NoError(t, os.Symlink(run, run+"-link"))
	})
	dir, err := filepath.EvalSymlinks(dir) // also of the folder for temporary files
	require.NoError(t, err)
	messagetest.Names(t, log.String(), "model=tiny … checkpoint="+dir+" … snapshot=best-00000007 … [-1 4 2] … classes=3")
	save(t, dir+"2", 9, 0)
	c := Config{Checkpoints: []Checkpoint{{Dir: dir + "2"}}}
	recorded(t, &c)
	require.NoError(t, os.Remove(dir+"-link"))
	require.NoError(t, os.Symlink(dir+"2", dir+"-link"))
	s.Reload(t.Context())
	messagetest.Names(t, log.String(), "anew … checkpoint="+dir+"2 … snapshot=best-00000009 … [-1 -1 4]")
	require.NoError(t, s.Close())
}

func TestTokens(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	require.NoError(t, os.WriteFile(file, []byte("\ufeff one \n# note\ntwo\n"), 0o600))
	s, _ := newServer(t, func(c *Config) { c.TokenFile = file })
	url := listen(t, s)
	ask := func(path, header string) int {
		code, _, _ := send(t, "GET", url+path, "", "Authorization", header)
		return code
	}
	for header, want := range map[string]int{"Bearer one": 200, "Bearer two": 200, "bearer one": 200, "BEARER two": 200,
		"Bearer # note": 401, "Bearer note": 401, "Bearer  two ": 200, "": 401, "one": 401, "Bearer": 401,
		"Bearer ": 401, "Bearer onetwo": 401, "Basic one": 401} {
		assert.Equal(t, want, ask("/v2", header), header)
		assert.Equal(t, want, ask("/metrics", header), header)
		assert.Equal(t, 200, ask("/v2/health/ready", header), header)
	}
	assert.Equal(t, 401, ask("/v2/health/../models/tiny", ""))
	assert.Equal(t, 401, ask("/nowhere", ""))

	require.NoError(t, os.WriteFile(file, nil, 0o600))
	look := func() {
		s.tokens.mu.Lock()
		s.tokens.looked = time.Time{}
		s.tokens.mu.Unlock()
	}
	look()
	assert.Equal(t, 401, ask("/v2", "Bearer one"), "an emptied file revokes all")
	assert.Equal(t, 401, ask("/v2", "Bearer "))
	require.NoError(t, os.WriteFile(file, []byte("three"), 0o600))
	look()
	assert.Equal(t, 401, ask("/v2", "Bearer one"))
	assert.Equal(t, 200, ask("/v2", "Bearer three"))

	// The first reading of new files fails. They are read again although they have not changed since.
	require.NoError(t, os.WriteFile(file, []byte("four"), 0o600))
	s.tokens.mu.Lock()
	works := s.tokens.read
	s.tokens.read = func() ([]token, error) { return nil, os.ErrPermission }
	s.tokens.mu.Unlock()
	look()
	assert.Equal(t, 200, ask("/v2", "Bearer three"))
	s.tokens.mu.Lock()
	s.tokens.read = works
	s.tokens.mu.Unlock()
	look()
	assert.Equal(t, 200, ask("/v2", "Bearer four"))

	_, err := New(t.Context(), Config{TokenFile: filepath.Join(t.TempDir(), "absent")})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(file, []byte("\n"), 0o600))
	_, err = New(t.Context(), Config{TokenFile: file})
	messagetest.Names(t, err, file+" … no token")
}

func writeCertificate(t *testing.T, cert, key, name string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der},
		key: {Type: "PRIVATE KEY", Bytes: keyDER}} {
		require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	}
}

func TestTLS(t *testing.T) {
	cert, key := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	writeCertificate(t, cert, key, "first")
	s, _ := newServer(t, func(c *Config) { c.TLSCert, c.TLSKey = cert, key })
	address, stop := start(t, s)
	name := func(http2 bool) string {
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
			ForceAttemptHTTP2: http2}}
		defer client.CloseIdleConnections()
		answer, err := client.Post("https://"+address+"/v2/models/tiny/infer", "", bytes.NewBufferString(inJSON(1)))
		require.NoError(t, err)
		defer answer.Body.Close()
		assert.Equal(t, 200, answer.StatusCode)
		assert.Equal(t, http2, answer.ProtoMajor == 2)
		return answer.TLS.PeerCertificates[0].Subject.CommonName
	}
	assert.Equal(t, "first", name(false))
	assert.Equal(t, "first", name(true))
	writeCertificate(t, cert, key, "second")
	require.Eventually(t, func() bool { return name(false) == "second" }, 60*time.Second, 50*time.Millisecond)
	_, err := http.Post("http://"+address+"/v2", "", nil) //nolint:bodyclose // Go answers plain HTTP by 400
	require.NoError(t, err)
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	require.NoError(t, stop())

	require.NoError(t, os.Remove(key))
	s, _ = newServer(t, func(c *Config) { c.TLSCert, c.TLSKey = cert, key })
	_, stop = start(t, s)
	err = stop()
	require.True(t, errors.Is(err, os.ErrNotExist), err)
	assert.ErrorContains(t, err, "certificate "+cert)
}
