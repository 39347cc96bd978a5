//go:build !lean

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/clusterpool/ccp/cmd/internal/serve"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/heap"
	"github.com/spf13/cobra"
)

// servingJSON is the line of `ccp serve --json` on stdout.
type servingJSON struct {
	Command string   `json:"command"`
	Address string   `json:"address"`
	Models  []string `json:"models"`
}

// serveFlags are what the flags fill in.
type serveFlags struct {
	serve.Config
	checkpoints    []string
	address, level string
	bodyMiB, pool  int
}

// newServe returns `ccp serve`, which answers requests over HTTP.
func newServe(s *shared) *cobra.Command {
	f := &serveFlags{Config: serve.Defaults}
	cmd := command("serve", "")
	flags := cmd.Flags()
	flags.StringArrayVar(&f.checkpoints, "checkpoint", nil, "`DIR` that \"ccp train\" made, or NAME=DIR; again for each "+
		"model (the name defaults to the data's)")
	_ = cmd.MarkFlagRequired("checkpoint") // there is that flag
	flags.StringVar(&f.address, "addr", "127.0.0.1:8080", "`HOST:PORT` to listen on; without a host, on all networks; "+
		"- for the standard input and output, for the program that starts this one")
	numberVar(flags, &f.MaxBatch, "max-batch", f.MaxBatch, 1, 1<<20, "most `SIGNALS` of several requests computed at once")
	durationVar(flags, &f.MaxDelay, "max-delay", time.Microsecond, true,
		"longest `TIME` that a request waits for others in its batch")
	numberVar(flags, &f.Queue, "queue", f.Queue, 1, 1<<24, "most `SIGNALS` that wait for each model; a request that "+
		"does not fit is answered 503")
	durationVar(flags, &f.Timeout, "timeout", time.Millisecond, false,
		"`TIME` in which a request is answered, or answered 504")
	durationVar(flags, &f.Idle, "idle", time.Millisecond, true, "`TIME` without a request after which the server ends; 0 for never")
	numberVar(flags, &f.bodyMiB, "max-body", f.MaxBody>>20, 1, 1<<20, "largest size of a request in `MiB`")
	numberVar(flags, &f.pool, "max-memory", f.Memory>>20, 1, 1<<24, "most memory that all requests take at once, in `MiB`")
	flags.BoolVar(&f.Options.Unfinished, "unfinished", false, "serve the weights so far of a training that has not ended")
	flags.StringVar(&f.TLSCert, "tls-cert", "", "PEM `FILE` with a certificate: HTTPS; read anew when it changes")
	flags.StringVar(&f.TLSKey, "tls-key", "", "PEM `FILE` with the certificate's key")
	flags.StringVar(&f.TokenFile, "token-file", "", "`FILE` of bearer tokens, one on a line: asked for except by "+
		"/v2/health; read anew when it changes")
	choiceVar(flags, &f.level, "log-level", "info", "`LEVEL` of the log on stderr: debug (each request), info, "+
		"warn or error; in JSON with --json", "debug", "info", "warn", "error")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return usage(cmd, f.check()) }
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return f.run(cmd, s) }
	return cmd
}

// check says what is wrong with the flags by themselves, and completes the config.
func (f *serveFlags) check() error {
	for _, text := range f.checkpoints {
		c, err := serve.ParseCheckpoint(text)
		if err != nil {
			return fmt.Errorf("--checkpoint: %w", err)
		}
		f.Checkpoints = append(f.Checkpoints, c)
	}
	if (f.TLSCert == "") != (f.TLSKey == "") {
		return errors.New("--tls-cert and --tls-key belong together; give both")
	}
	if f.address == "-" && f.TLSCert != "" {
		return errors.New("--addr - is no network, and needs no --tls-cert; leave it out")
	}
	if _, _, err := net.SplitHostPort(f.address); err != nil && f.address != "-" {
		return fmt.Errorf("--addr %q is not HOST:PORT, :PORT or -", f.address)
	}
	f.MaxBody, f.Memory = f.bodyMiB<<20, f.pool<<20
	return nil
}

// run opens the models and answers requests until a signal ends it.
func (f *serveFlags) run(cmd *cobra.Command, s *shared) (err error) {
	var level slog.Level
	_ = level.UnmarshalText([]byte(f.level)) // one of the choices
	options := &slog.HandlerOptions{Level: level}
	f.Log = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), options))
	if s.json {
		f.Log = slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), options))
	}
	f.Version = backend.Versions()["ccp"]
	stopped := untilSignal(cmd, func() {})
	defer stopped()
	ctx := cmd.Context()
	defer func() {
		if ctx.Err() != nil && errors.Is(err, context.Canceled) { // while models load: an end as any other
			err = nil
		}
	}()
	// Before loading: an address in use is to be known at once.
	listener, err := f.listen(cmd)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }() // again, if the server has run
	hangups := make(chan os.Signal, 1)      // one that comes while models load waits for them
	signal.Notify(hangups, syscall.SIGHUP)
	defer close(hangups)
	defer signal.Stop(hangups)
	o, err := s.loadOptions(slog.NewLogLogger(f.Log.Handler(), slog.LevelWarn).Writer())
	if err != nil {
		return err
	}
	f.Options.Backend, f.Options.Open, f.Options.Notice = o.Backend, o.Open, o.Notice
	f.Reloaded = func() { limitMemory(f.Memory) } // the newer may be greater
	heap.Reserve()
	server, err := serve.New(ctx, f.Config)
	if err != nil {
		return err
	}
	heap.Release()
	limitMemory(f.Memory)
	if tcp, ok := listener.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() && f.TokenFile == "" {
		f.Log.Warn("anybody on the network can ask for classifications; --token-file would change that")
	}
	result := servingJSON{"serve", "http://" + listener.Addr().String(), server.Names()}
	if f.TLSCert != "" {
		result.Address = "https://" + listener.Addr().String()
	}
	if f.address != "-" { // whose output is the answers
		if err := s.print(cmd, result, render("serve", result)); err != nil {
			return errors.Join(err, server.Close())
		}
	}
	go func() {
		for range hangups {
			server.Reload(ctx)
		}
	}()
	return server.Run(ctx, listener)
}

// listen returns where requests come from.
func (f *serveFlags) listen(cmd *cobra.Command) (net.Listener, error) {
	if f.address == "-" {
		return serve.NewPipe(cmd.InOrStdin(), cmd.OutOrStdout()), nil
	}
	listener, err := new(net.ListenConfig).Listen(cmd.Context(), "tcp", f.address)
	if err != nil {
		return nil, fmt.Errorf("--addr %s: %w", f.address, err)
	}
	return listener, nil
}

// limitMemory makes the garbage collector keep the process within the memory that it has now, the bytes that requests
// may take, and 32 MiB. Without it garbage could take as much again. GOMEMLIMIT has precedence.
func limitMemory(requests int) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.FreeOSMemory()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	debug.SetMemoryLimit(int64(now.Sys-now.HeapReleased) + int64(requests) + 32<<20)
}
