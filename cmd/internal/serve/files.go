package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// watched is a value from files. get reads them when they are not those that the value is from; it checks that at most
// once a second. While they cannot be read, the value stays.
type watched[T any] struct {
	paths []string
	read  func() (T, error)
	log   *slog.Logger

	mu      sync.Mutex
	value   T
	stamp   string // of the files that value is from
	looked  time.Time
	failure string // the error of the last reading
}

// watchFiles reads the files for the first time.
func watchFiles[T any](log *slog.Logger, read func() (T, error), paths ...string) (*watched[T], error) {
	w := &watched[T]{paths: paths, read: read, log: log, stamp: "unread"}
	_, err := w.refresh()
	return w, err
}

// refresh reads the files if they have changed.
func (w *watched[T]) refresh() (changed bool, err error) {
	stamp := ""
	for _, path := range w.paths {
		if info, err := os.Stat(path); err == nil {
			stamp += fmt.Sprintf("%d %d;", info.ModTime().UnixNano(), info.Size())
		}
	}
	w.looked = time.Now()
	if stamp == w.stamp {
		return false, nil
	}
	value, err := w.read()
	if err != nil {
		return false, err
	}
	w.value, w.stamp = value, stamp
	return true, nil
}

// get returns what the files hold. It looks at most once a second whether they have changed. If they cannot be read,
// what was read before stays in use, and the log says so once.
func (w *watched[T]) get() T {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.looked) < time.Second {
		return w.value
	}
	changed, err := w.refresh()
	switch {
	case changed:
		w.log.Info("files were read again", "files", w.paths)
	case err != nil && err.Error() != w.failure:
		w.log.Warn("files cannot be read; what was read before stays in use", "files", w.paths, "error", err)
	}
	w.failure = fmt.Sprint(err)
	return w.value
}

// token is the SHA-256 of a bearer token: all have the same length, to compare them in constant time.
type token [sha256.Size]byte

// newTokens watches the token file at path; without one it returns nil.
func newTokens(path string, log *slog.Logger) (w *watched[[]token], err error) {
	if path == "" {
		return nil, nil
	}
	read := func() (tokens []token, err error) {
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(strings.TrimPrefix(string(raw), "\ufeff")) { // which some editors begin a file with
			line = strings.TrimSpace(line)
			if line != "" && line[0] != '#' {
				tokens = append(tokens, sha256.Sum256([]byte(line)))
			}
		}
		if len(tokens) == 0 && w != nil { // emptied, to revoke all
			log.Warn("the token file has no token; only health is answered", "file", path)
		}
		return tokens, nil
	}
	w, err = watchFiles(log, read, path)
	if err == nil && len(w.value) == 0 {
		err = fmt.Errorf("%s has no token; write one on a line", path)
	}
	return w, err
}

// allowed says whether a request has a token, or asks for the server's health, which needs none.
func (s *Server) allowed(r *http.Request) bool {
	if s.tokens == nil || r.URL.Path == "/v2/health/live" || r.URL.Path == "/v2/health/ready" {
		return true
	}
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(given)))
	found := 0
	for _, t := range s.tokens.get() {
		found |= subtle.ConstantTimeCompare(sum[:], t[:])
	}
	return strings.EqualFold(scheme, "Bearer") && found == 1
}

// tlsConfig serves the certificate of the config's files; it is nil without any.
func (c Config) tlsConfig() (*tls.Config, error) {
	if c.TLSCert == "" && c.TLSKey == "" {
		return nil, nil
	}
	certificate, err := watchFiles(c.Log, func() (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
		if err != nil {
			err = fmt.Errorf("certificate %s with key %s: %w", c.TLSCert, c.TLSKey, err)
		}
		return &pair, err
	}, c.TLSCert, c.TLSKey)
	if err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return certificate.get(), nil }}, nil
}
