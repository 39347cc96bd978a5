package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
)

// Server serves the page of a run while it is trained.
type Server struct {
	dir      string
	listener net.Listener
	server   http.Server
	pages    http.ServeMux
	host     string // asked for, without the port

	mu    sync.Mutex
	data  *datasets.Dataset // nil until the training begins
	ended bool
	run   *Run
	made  Report // of the files as tag names them
	tag   string
	asked time.Time // when a page last asked for the report

	told chan struct{} // closed by tell, when a page has been given the report of a training that has ended
	tell func()
}

// Listen begins to serve the run in dir on an address, HOST:PORT; without a host on this machine alone. The run need not exist yet.
func Listen(address, dir string) (*Server, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("address %q is not HOST:PORT or :PORT", address)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	s := &Server{dir: dir, host: host, told: make(chan struct{})}
	s.tell = sync.OnceFunc(func() { close(s.told) })
	s.pages.HandleFunc("GET /{$}", s.answer)
	s.pages.HandleFunc("GET /report.json", s.answer)
	if s.listener, err = new(net.ListenConfig).Listen(context.Background(), "tcp", net.JoinHostPort(host, port)); err != nil {
		return nil, err
	}
	s.server = http.Server{Handler: s, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	go func() { _ = s.server.Serve(s.listener) }() // it ends with End
	return s, nil
}

// URL is where the page is.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/" }

// Public says whether other machines can ask.
func (s *Server) Public() bool {
	tcp, ok := s.listener.Addr().(*net.TCPAddr)
	return !ok || !tcp.IP.IsLoopback()
}

// Begin says that the run's directory is there, and what it is trained on.
func (s *Server) Begin(d *datasets.Dataset) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data = d
}

// End says that the training is over, waits until a page that follows it has been told, or for a few seconds, and ends the server.
func (s *Server) End(ctx context.Context) error {
	s.mu.Lock()
	s.ended = true
	followed := time.Since(s.asked) < followedFor
	s.mu.Unlock()
	if followed {
		select {
		case <-s.told:
		case <-time.After(followedFor):
		case <-ctx.Done():
		}
	}
	return s.server.Shutdown(ctx)
}

// followedFor is how long ago a page that still follows the training can have asked: it does so every two seconds.
const followedFor = 3 * time.Second

// ServeHTTP gives the page at / and its data at /report.json.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", Policy(true)+"; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if !s.expected(r.Host) {
		http.Error(w, "this server is asked for by another name", http.StatusMisdirectedRequest)
		return
	}
	s.pages.ServeHTTP(w, r)
}

// expected says whether a request's Host is an address, localhost or the host that was asked for: a page of another site, whose
// name has been made to lead here, must not read this.
func (s *Server) expected(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	name = strings.Trim(name, "[]")
	if ip := net.ParseIP(name); ip != nil {
		return ip.IsLoopback() || s.Public()
	}
	return strings.EqualFold(name, "localhost") || strings.EqualFold(name, s.host)
}

// answer gives the page, or its data.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	report, tag, err := s.current()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	var body bytes.Buffer
	if r.URL.Path == "/" {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		err = Write(&body, report)
	} else {
		w.Header().Set("Content-Type", "application/json")
		err = json.NewEncoder(&body).Encode(report)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(body.Bytes())
}

// current is the report of the run's files as they are, and a tag that changes with it.
func (s *Server) current() (Report, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = time.Now()
	if s.ended {
		s.tell()
	}
	if s.data == nil {
		return Report{Metadata: models.Metadata{Data: filepath.Base(s.dir)}, Live: true, Ended: s.ended}, fmt.Sprintf(`"-%v"`, s.ended), nil
	}
	tag := fmt.Sprintf(`"%v`, s.ended)
	for _, name := range []string{"model.json", "history.csv", "hierarchy", "result.json"} {
		if info, err := os.Stat(filepath.Join(s.dir, name)); err == nil {
			tag += fmt.Sprintf("-%x.%x", info.ModTime().UnixNano(), info.Size())
		}
	}
	if tag += `"`; tag == s.tag {
		return s.made, tag, nil
	}
	var err error
	if s.run == nil {
		if s.run, err = Open(s.dir, s.data); err != nil {
			return Report{}, "", err
		}
	}
	report, err := s.run.FromRun()
	if err != nil {
		return Report{}, "", err
	}
	report.Live, report.Ended = true, s.ended
	s.made, s.tag = report, tag
	return report, tag, nil
}
