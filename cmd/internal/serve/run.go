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

// Run answers on listener until ctx is done. Then it reports that it is not ready and closes each connection after its
// next answer. When no connection is left, or after Config.Drain, it closes the listener, and the connections that have
// not sent a whole request. It answers the other requests, for Config.Timeout at most, and closes the models.
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
	const reading, writing = 30 * time.Second, 30 * time.Second // of a request, of an answer
	server := &http.Server{Handler: s.Handler(), MaxHeaderBytes: 32 << 10, ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:  reading,
		WriteTimeout: reading + s.Timeout + writing, IdleTimeout: 2 * time.Minute,
		TLSConfig: config, ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug), ConnState: open.changed}
	watching, stop := context.WithCancel(ctx)
	var watchers sync.WaitGroup
	defer watchers.Wait()
	defer stop()
	for _, m := range s.models {
		watchers.Go(func() { m.Watch(watching, s.Poll, func(err error) { s.reported(m, err) }) })
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.Log.Info("ending", "connections", open.number())
	s.draining.Store(true)
	for end := time.Now().Add(s.Drain); open.number() > 0 && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	s.stopReading()
	server.RegisterOnShutdown(open.closeUnused) // when the listener is closed
	last, cancel := context.WithTimeout(context.Background(), s.Timeout)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		s.Log.Warn("connections are closed without their answers", "connections", open.number())
		return server.Close()
	}
	s.Log.Info("ended")
	return nil
}

// connections are the open connections of a server, each with its http.ConnState.
type connections struct{ sync.Map }

func (c *connections) changed(connection net.Conn, state http.ConnState) {
	if state == http.StateClosed || state == http.StateHijacked {
		c.Delete(connection)
	} else {
		c.Store(connection, state)
	}
}

func (c *connections) number() (n int) {
	for range c.Range {
		n++
	}
	return n
}

// closeUnused closes the connections on which no first request has begun. http.Server.Shutdown waits 5 s for one.
func (c *connections) closeUnused() {
	for connection, state := range c.Range {
		if state == http.StateNew {
			_ = connection.(net.Conn).Close()
		}
	}
}
