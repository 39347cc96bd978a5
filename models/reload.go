package models

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/checkpoint"
)

// Reloader keeps the newest classifier of a checkpoint at hand, while a training goes on in its directory or puts another one
// there. Who has a classifier keeps it until released; it is closed when its last user has done so and a newer one is there. It
// is safe for concurrent use.
type Reloader struct {
	dir     string
	options []Option

	loading sync.Mutex // one Reload at a time
	state   string     // of the directory when current was read; guarded by loading

	mu      sync.Mutex
	current *loan
	closed  bool
}

// loan is a classifier and how many have it.
type loan struct {
	*Classifier
	users   int
	retired bool
}

// NewReloader loads the checkpoint in dir, as Load does, and compiles it.
func NewReloader(ctx context.Context, dir string, opts ...Option) (*Reloader, error) {
	r := &Reloader{dir: dir, options: opts}
	var o options
	for _, option := range opts {
		option(&o)
	}
	if o.backend == nil { // opened once, for all that will be loaded
		b, _, err := backend.Open(backend.Options{Offline: true})
		if err != nil {
			return nil, err
		}
		r.options = append(slices.Clone(opts), WithBackend(b))
	}
	_, err := r.Reload(ctx)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Reload loads what is in the directory if that has changed, and says whether it had. After an error the classifier loaded
// before stays in use.
func (r *Reloader) Reload(ctx context.Context) (changed bool, err error) {
	r.loading.Lock()
	defer r.loading.Unlock()
	snapshot, state, err := look(r.dir)
	if err != nil || state == r.state {
		return false, err
	}
	c, err := Load(r.dir, r.options...)
	if err != nil {
		return false, err
	}
	if r.state != "" && c.Snapshot != snapshot { // damaged, or its writer is a step ahead of us
		return false, errors.Join(fmt.Errorf("%s: snapshot %s could not be read; keeping the classifier loaded before", r.dir, snapshot), c.Close())
	}
	if err := c.Compile(ctx); err != nil {
		return false, errors.Join(fmt.Errorf("%s, snapshot %s: %w", r.dir, c.Snapshot, err), c.Close())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false, errors.Join(ErrClosed, c.Close())
	}
	r.state = state
	old := r.current
	r.current = &loan{Classifier: c}
	return true, r.retire(old)
}

// look gives the name of the snapshot that Load would take from dir, and a text that is another when what Load reads there has
// become another.
func look(dir string) (snapshot, state string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", "none", nil // Load says what is wrong
	}
	for _, kind := range []string{checkpoint.Last, checkpoint.Best} {
		for _, e := range entries { // sorted: of names of one length the newest comes last
			if strings.HasPrefix(e.Name(), kind+"-") {
				snapshot = e.Name()
			}
		}
	}
	if snapshot == "" {
		return "", "none", nil
	}
	h := sha256.New()
	for _, path := range []string{filepath.Join(snapshot, "manifest.json"), metadataFile} {
		raw, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", "", err
		}
		h.Write(raw)
	}
	return snapshot, fmt.Sprintf("%s %x", snapshot, h.Sum(nil)), nil
}

// Watch calls Reload again and again until ctx is done, and tells report what came of it: when a newer classifier is in use
// (nil), and when Reload has failed in another way than the time before.
func (r *Reloader) Watch(ctx context.Context, every time.Duration, report func(error)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	failure := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		changed, err := r.Reload(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && err.Error() != failure:
			failure = err.Error()
			report(err)
		case err == nil:
			failure = ""
			if changed {
				report(nil)
			}
		}
	}
}

// Acquire gives the newest classifier, which stays usable until release is called, once. It must not be closed by the caller.
func (r *Reloader) Acquire() (c *Classifier, release func() error, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, nil, ErrClosed
	}
	l := r.current
	l.users++
	return l.Classifier, func() error {
		r.mu.Lock()
		l.users--
		unused := l.retired && l.users == 0
		r.mu.Unlock()
		if unused {
			return l.Close()
		}
		return nil
	}, nil
}

// Classify is Classifier.Classify of the newest classifier; one answers for all signals.
func (r *Reloader) Classify(ctx context.Context, signals [][]float32) ([]Prediction, error) {
	c, release, err := r.Acquire()
	if err != nil {
		return nil, err
	}
	predictions, err := c.Classify(ctx, signals)
	return predictions, errors.Join(err, release())
}

// Close closes the classifier when its last user has released it. Acquire then gives ErrClosed.
func (r *Reloader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	return r.retire(r.current)
}

// retire closes a classifier now, or lets its last user do so.
func (r *Reloader) retire(l *loan) error {
	if l == nil {
		return nil
	}
	l.retired = true
	if l.users > 0 {
		return nil
	}
	return l.Close()
}
