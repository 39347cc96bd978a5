package report

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
)

// Server serves the page of a run during its training.
type Server struct {
	dir      string
	host     string // asked for, without the port
	listener net.Listener
	server   http.Server
	pages    http.ServeMux

	mu    sync.Mutex
	data  *datasets.Dataset // nil until the training begins
	run   *Run
	ended bool
	asked time.Time // when a page last asked for the report

	told context.Context // done when a page has received the report of a training that has ended
	tell func()
}

// Listen begins to serve the run in dir on an address, HOST:PORT. Without a host, only this machine can ask. The run
// need not exist yet.
func Listen(address, dir string) (*Server, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("address %q is not HOST:PORT or :PORT", address)
	}
	s := &Server{dir: dir, host: cmp.Or(host, "127.0.0.1")}
	s.told, s.tell = context.WithCancel(context.Background())
	s.pages.HandleFunc("GET /{$}", s.answer)
	s.pages.HandleFunc("GET /report.json", s.answer)
	address = net.JoinHostPort(s.host, port)
	if s.listener, err = new(net.ListenConfig).Listen(context.Background(), "tcp", address); err != nil {
		return nil, err
	}
	s.server = http.Server{Handler: s, ReadTimeout: 10 * time.Second, WriteTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	go func() { _ = s.server.Serve(s.listener) }() // it ends with End
	return s, nil
}

// URL returns the page's address.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/" }

// Public reports whether other machines can ask.
func (s *Server) Public() bool {
	tcp, ok := s.listener.Addr().(*net.TCPAddr)
	return !ok || !tcp.IP.IsLoopback()
}

// Begin tells the server that the run's directory exists, and which data set it is trained on.
func (s *Server) Begin(d *datasets.Dataset) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data = d
}

// followedFor is how long a page follows the training after it has asked. It asks every two seconds.
const followedFor = 3 * time.Second

// End tells the server that the training is over, and ends it. If a page follows the training, End waits until the page
// has asked once more, but no longer than followedFor.
func (s *Server) End(ctx context.Context) error {
	s.mu.Lock()
	s.ended = true
	followed := time.Since(s.asked) < followedFor
	s.mu.Unlock()
	if followed {
		select {
		case <-s.told.Done():
		case <-time.After(followedFor):
		case <-ctx.Done():
		}
	}
	return s.server.Shutdown(ctx)
}

// ServeHTTP answers with the page at / and with its data at /report.json.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", Policy(true)+"; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if !s.expected(r.Host) {
		http.Error(w, "this server has another name", http.StatusMisdirectedRequest)
		return
	}
	s.pages.ServeHTTP(w, r)
}

// expected reports whether a request's Host is an address, localhost or the host that was asked for. Without this
// check, another site's page could read the report: its name only has to lead to this machine.
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

// answer sends the page or its data, unless the client has it already.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	report, tag, err := s.report(r.Header.Get("If-None-Match"))
	w.Header().Set("ETag", tag)
	var body bytes.Buffer
	switch {
	case errors.Is(err, errKnown):
		w.WriteHeader(http.StatusNotModified)
		return
	case err != nil:
	case r.URL.Path == "/":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		err = Write(&body, report)
	default:
		w.Header().Set("Content-Type", "application/json")
		err = json.NewEncoder(&body).Encode(report)
	}
	if err != nil {
		w.Header().Del("ETag")
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(body.Bytes())
}

// errKnown says that a client has the newest report.
var errKnown = errors.New("the report is known")

// report returns the report of the run's files, or of an empty run before the training begins, and a tag of these
// files. If the tag is the one known, the error is errKnown.
func (s *Server) report(known string) (report Report, tag string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = time.Now()
	if s.ended {
		s.tell()
	}
	tag = fmt.Sprint(s.data != nil, s.ended)
	for _, name := range []string{"model.json", "history.csv", "hierarchy", "result.json"} {
		if info, err := os.Stat(filepath.Join(s.dir, name)); err == nil {
			tag += fmt.Sprintf("-%x.%x", info.ModTime().UnixNano(), info.Size())
		}
	}
	if tag = strconv.Quote(tag); tag == known {
		return report, tag, errKnown
	}
	if s.data == nil {
		return Report{Metadata: models.Metadata{Data: filepath.Base(s.dir)}, Live: true, Ended: s.ended}, tag, nil
	}
	if s.run == nil {
		if s.run, err = Open(s.dir, s.data); err != nil {
			return report, tag, err
		}
	}
	report, err = s.run.Read(nil)
	report.Live, report.Ended = true, s.ended
	return report, tag, err
}
