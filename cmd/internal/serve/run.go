package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Times that a client has, unless it is a Pipe's.
const (
	reading = 30 * time.Second // to send a request
	writing = 30 * time.Second // to take an answer, or a line of a stream's
	idling  = 2 * time.Minute  // between two requests, or two rows of a stream
)

// Run answers on listener until ctx is done. Then it reports that it is not ready and closes each connection after its
// next answer. When no connection is left, or after Config.Drain, it closes the listener, and the connections that have
// not sent a whole request. It answers the other requests, for Config.Timeout at most, and closes the models.
// It does so, too, when no request has come for Config.Idle, or when a [Pipe] has ended.
func (s *Server) Run(ctx context.Context, listener net.Listener) (err error) {
	defer func() { err = errors.Join(err, s.Close()) }()
	ctx, idle := context.WithCancel(ctx)
	defer idle()
	config, err := s.tlsConfig()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if config != nil {
		listener = tls.NewListener(listener, config)
	}
	_, s.piped = listener.(*Pipe)
	var open connections
	server := &http.Server{Handler: s.untilIdle(s.Handler(), idle), MaxHeaderBytes: 32 << 10,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       reading,
		WriteTimeout:      reading + s.Timeout + writing, IdleTimeout: idling,
		TLSConfig: config, ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug), ConnState: open.changed}
	drain := s.Drain
	if s.piped {
		server.ReadHeaderTimeout, server.ReadTimeout, server.WriteTimeout, server.IdleTimeout = 0, 0, 0, 0
		drain = 0
	}
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
		if errors.Is(err, io.EOF) { // the pipe's
			err = listener.Close()
		}
		return err
	case <-ctx.Done():
	}
	s.Log.Info("ending", "connections", open.number())
	s.draining.Store(true)
	for end := time.Now().Add(drain); open.number() > 0 && time.Now().Before(end); {
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

// untilIdle returns a handler that calls end when no request has been under way for Config.Idle.
func (s *Server) untilIdle(answer http.Handler, end func()) http.Handler {
	if s.Idle == 0 {
		return answer
	}
	var mu sync.Mutex
	under := 0
	timer := time.AfterFunc(s.Idle, end)
	count := func(more int) {
		mu.Lock()
		defer mu.Unlock()
		under += more
		timer.Stop()
		if under == 0 {
			timer.Reset(s.Idle)
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		count(1)
		defer count(-1)
		answer.ServeHTTP(w, r)
	})
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
