package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"sync"
	"sync/atomic"
	"time"

	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/params"
)

// Reloader keeps the newest classifier of a checkpoint while a training writes to its directory. An acquired
// classifier stays usable until it is released. The last user of an old classifier closes it. A Reloader is safe for
// concurrent use.
type Reloader struct {
	dir     string
	options LoadOptions

	loading sync.Mutex // one Reload at a time; it guards:
	state   string     // of the directory when current was read
	refused string     // state of the directory that could not be read
	failure error      // why

	grown   chan bool // of capacity 1: pure Go has more to do than little work
	mu      sync.Mutex
	current *loan // nil: closed, or not yet loaded
	closed  bool
	signals int // that pure Go computed since:
	since   time.Time
}

// loan is a classifier with the number of its users. The Reloader is a user of the current one.
type loan struct {
	*Classifier
	users atomic.Int64
}

func (l *loan) release() error {
	if l != nil && l.users.Add(-1) == 0 {
		return l.Close()
	}
	return nil
}

// NewReloader loads the checkpoint in dir, as Load does, and compiles it. If nobody names a backend, and 16 signals
// are little work, pure Go computes: it is ready at once, in little memory. When more than little work comes within
// 10 s, Watch loads the classifier anew for the best backend, which then computes for good.
func NewReloader(ctx context.Context, dir string, o LoadOptions) (*Reloader, error) {
	o.Signals = cmp.Or(o.Signals, 16)
	r := &Reloader{dir: dir, options: o, grown: make(chan bool, 1)}
	if _, err := r.Reload(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// count notes that pure Go computes signals of a spec.
func (r *Reloader) count(s Spec, signals int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if now.Sub(r.since) > 10*time.Second {
		r.since, r.signals = now, 0
	}
	r.signals += signals
	if r.signals > 0 && !s.isLittleWork(r.signals) {
		r.since, r.signals = now.Add(time.Minute), math.MinInt/2 // it can fail: not again within a minute
		select {
		case r.grown <- true:
		default: // Watch is not there
		}
	}
}

// unfinished returns an error if dir holds a training that has not ended: it has a configuration, and no result yet.
func unfinished(dir string) error {
	fsys := checkpoint.FS(os.DirFS(dir))
	if _, err := fs.Stat(fsys, checkpoint.ConfigFile); err != nil {
		return nil
	}
	if _, err := fs.Stat(fsys, checkpoint.ResultFile); err == nil {
		return nil
	}
	return params.Sentencef("unfinished", "%s holds a training that has not ended; end it with its command, or give %v, "+
		"which takes its weights so far", dir, params.Named("unfinished"))
}

// Reload loads the newest snapshot of the directory if the directory has changed, and reports whether it has. It is
// an error if a training in the directory has not ended, unless LoadOptions.Unfinished allows that. After an error
// the classifier loaded before stays in use. If its files are no classifier, Reload returns the same error, without
// reading again, until the directory changes. After Close the error is ErrClosed.
func (r *Reloader) Reload(ctx context.Context) (changed bool, err error) { return r.reload(ctx, false) }

// reload is Reload. If grown, it loads the classifier in any case, for the best backend.
func (r *Reloader) reload(ctx context.Context, grown bool) (changed bool, err error) {
	r.loading.Lock()
	defer r.loading.Unlock()
	if r.isClosed() {
		return false, ErrClosed
	}
	dir, options := resolved(r.dir), r.options
	// Otherwise the best backend computes already, and a user of the classifier before asks late.
	grown = grown && options.Backend == nil
	if grown {
		options.Signals = 0
	}
	snapshot, state, err := stateOf(dir)
	if err != nil || state == r.state && !grown {
		return false, err
	}
	if state == r.refused {
		return false, r.failure
	}
	if state != r.state && !r.options.Unfinished {
		if err := unfinished(dir); err != nil {
			return false, err
		}
	}
	c, err := r.compiled(ctx, dir, snapshot, options)
	if err != nil {
		if !grown && ctx.Err() == nil && !passing(err) {
			r.refused, r.failure = state, err
		}
		return false, err
	}
	if options.prefersPure(c.Spec) {
		c.used = func(signals int) { r.count(c.Spec, signals) }
	} else { // all classifiers to come have the same
		r.options.Backend = c.backend
	}
	if grown && options.Notice != nil {
		options.Notice(fmt.Sprintf("%s: many signals come, so that backend %s computes them from now on", r.dir,
			c.backend.Name()))
	}
	next := &loan{Classifier: c}
	next.users.Store(1)
	r.state = state
	old, err := r.replace(next)
	return err == nil, errors.Join(err, old.release()) // without the lock: it can wait for a batch
}

// isClosed reports whether Close has been called.
func (r *Reloader) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// compiled loads the classifier in dir and compiles it. It is an error if the classifier is not of this snapshot,
// unless none was loaded before: the snapshot is damaged, or its writer is a step ahead of us.
func (r *Reloader) compiled(ctx context.Context, dir, snapshot string, options LoadOptions) (*Classifier, error) {
	c, err := options.read(os.DirFS(dir), r.dir)
	if err != nil {
		return nil, err
	}
	if r.state != "" && c.Snapshot != snapshot {
		err := fmt.Errorf("%s: snapshot %s could not be read; keeping the classifier loaded before", r.dir, snapshot)
		return nil, errors.Join(err, c.Close())
	}
	sizes := batchSizes[:]
	if options.prefersPure(c.Spec) { // which compiles the other sizes at once when they come
		sizes = sizes[len(sizes)-1:]
	}
	if err := compile(ctx, c, sizes); err != nil {
		return nil, errors.Join(fmt.Errorf("%s, snapshot %s: %w", r.dir, c.Snapshot, err), c.Close())
	}
	return c, nil
}

// passing reports whether an error of loading may be gone the next time although the directory stays as it is: a file
// could not be read, or memory was short.
func passing(err error) bool {
	file, unreadable := errors.AsType[*fs.PathError](err)
	return unreadable && !errors.Is(file, fs.ErrNotExist) || backend.IsOutOfMemory(err)
}

// replace makes a loan the current one, and returns the loan to be released.
func (r *Reloader) replace(next *loan) (old *loan, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return next, ErrClosed
	}
	old, r.current, r.closed = r.current, next, next == nil
	return old, nil
}

// stateOf returns the name of the snapshot that Load would take from dir, and a text that changes whenever Load would
// read something else: the content of the small files, and the sizes and times of the large ones. Without a snapshot
// the text is "none"; Load then says what is missing.
func stateOf(dir string) (snapshot, state string, err error) {
	folder := checkpoint.FS(os.DirFS(dir))
	snapshot, err = checkpoint.Newest(folder, checkpoint.Best)
	if err == nil && snapshot == "" {
		snapshot, err = checkpoint.Newest(folder, checkpoint.Last)
	}
	if err != nil || snapshot == "" {
		return "", "none", nil
	}
	state = snapshot
	for _, name := range []string{path.Join(snapshot, "manifest.json"), checkpoint.MetadataFile} {
		content, err := fs.ReadFile(folder, name)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", "", err
		}
		state += string(content)
	}
	names, _ := fs.Glob(folder, snapshot+"/*") // of a snapshot that is being copied, the manifest may come first
	for _, name := range append(names, checkpoint.GraphFile) {
		info, err := fs.Stat(folder, name)
		if err == nil {
			state += fmt.Sprintf("%s %d %d;", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return snapshot, state, nil
}

// Watch calls Reload again and again, unless every is 0, until ctx is done or Reload returns ErrClosed. It also looks
// whether there is much work, see NewReloader. It calls report with nil when a newer classifier is in use. It calls
// report with an error when Reload fails in another way than the time before.
func (r *Reloader) Watch(ctx context.Context, every time.Duration, report func(error)) {
	failure := ""
	for tick := time.Tick(every); ; {
		grown := false
		select {
		case <-ctx.Done():
			return
		case <-tick:
		case grown = <-r.grown:
		}
		changed, err := r.reload(ctx, grown)
		if ctx.Err() != nil || errors.Is(err, ErrClosed) {
			return
		}
		if changed || err != nil && err.Error() != failure {
			report(err)
		}
		failure = fmt.Sprint(err)
	}
}

// Acquire returns the newest classifier, which stays usable until the caller calls release. The caller calls release
// once, and never closes the classifier.
func (r *Reloader) Acquire() (c *Classifier, release func() error, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, nil, ErrClosed
	}
	r.current.users.Add(1)
	return r.current.Classifier, r.current.release, nil
}

// Close closes the classifier as soon as its last user has released it. Acquire and Reload then return ErrClosed.
func (r *Reloader) Close() error {
	last, err := r.replace(nil)
	if err != nil { // closed before
		return nil
	}
	return last.release()
}
