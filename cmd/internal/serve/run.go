package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// The bounds of a connection, beside Config.Timeout.
const (
	headerTimeout = 5 * time.Second  // to send a request's header
	bodyTimeout   = 30 * time.Second // to send a request
	answerTimeout = 30 * time.Second // to take an answer
	idleTimeout   = 2 * time.Minute  // between requests
	maxHeader     = 32 << 10         // bytes
)

// Run answers on listener until ctx is done. Then it ends without losing a request: it says that it is no longer ready and
// closes each connection after its next answer; when no connection is left, or after Config.Drain, it closes the listener, and
// answers what it still has. The models are closed then.
func (s *Server) Run(ctx context.Context, listener net.Listener) (err error) {
	defer func() { err = errors.Join(err, s.Close()) }()
	config, err := s.tlsConfig()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if config != nil {
		listener = tls.NewListener(listener, config)
	}
	var open connections
	server := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: headerTimeout, ReadTimeout: bodyTimeout, IdleTimeout: idleTimeout,
		WriteTimeout: bodyTimeout + s.Timeout + answerTimeout, MaxHeaderBytes: maxHeader, ConnState: open.changed,
		TLSConfig: config, ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug)}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	var watchers sync.WaitGroup
	defer watchers.Wait()
	defer stop()
	if s.Poll > 0 {
		for _, m := range s.models {
			watchers.Go(func() { m.Watch(watching, s.Poll, func(err error) { s.reported(m, err) }) })
		}
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.Log.Info("ending", "connections", open.value())
	s.draining.Store(true)
	for end := time.Now().Add(s.Drain); open.value() > 0 && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	last, cancel := context.WithTimeout(context.Background(), server.WriteTimeout)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		return errors.Join(err, server.Close())
	}
	s.Log.Info("ended")
	return nil
}

// connections counts those that are open.
type connections struct {
	counter
}

func (c *connections) changed(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		c.add(1)
	case http.StateClosed, http.StateHijacked:
		c.add(-1)
	}
}
