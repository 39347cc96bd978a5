package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Run answers on listener until ctx is done. Then it ends without losing a request: it reports that it is not ready and
// closes each connection after its next answer. When no connection is left, or after Config.Drain, it closes the
// listener, answers what it still has, and closes the models.
func (s *Server) Run(ctx context.Context, listener net.Listener) (err error) {
	defer func() { err = errors.Join(err, s.Close()) }()
	config, err := s.tlsConfig()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if config != nil {
		listener = tls.NewListener(listener, config)
	}
	var open atomic.Int64                                       // connections
	const reading, writing = 30 * time.Second, 30 * time.Second // of a request, of an answer
	server := &http.Server{Handler: s.Handler(), MaxHeaderBytes: 32 << 10, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: reading,
		WriteTimeout: reading + s.Timeout + writing, IdleTimeout: 2 * time.Minute,
		TLSConfig: config, ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
		ConnState: func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				open.Add(1)
			case http.StateClosed, http.StateHijacked:
				open.Add(-1)
			}
		}}
	watching, stop := context.WithCancel(ctx)
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
	s.Log.Info("ending", "connections", open.Load())
	s.draining.Store(true)
	for end := time.Now().Add(s.Drain); open.Load() > 0 && time.Now().Before(end); {
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
