package skeleton

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// File is a recording in a folder or an archive.
type File struct {
	Path     string // within the file system of its collection
	Size     int64  // bytes
	Modified time.Time
}

// Name is the last part of the path.
func (f File) Name() string { return path.Base(f.Path) }

// Collection is files of one kind that are prepared in one way.
type Collection struct {
	// FS holds the files; it is read from several goroutines at once.
	FS fs.FS
	// Files are the recordings. Sample i comes from file i.
	Files []File
	// Parse reads a file of the given name. It may be called from several goroutines at once.
	Parse func(name string, content []byte) (*Recording, error)
	// Preparation makes the signals.
	Preparation Preparation
}

const (
	// preparationVersion is raised when the preparation changes, so that old signals are not taken for new ones.
	preparationVersion = 1
	// largestFile is far above the largest recording; what is larger is something else.
	largestFile = 64 << 20
	// namedFiles is the number of unreadable files that an error names.
	namedFiles = 3
)

// Key tells collections apart: by the names, sizes and times of the files, and by the preparation.
type Key [sha256.Size]byte

// Key is the key of the collection. It does not read the files.
func (c *Collection) Key() Key {
	digest := sha256.New()
	p := c.Preparation
	// "false" stands for a setting that is gone: signals that were kept with it stay good.
	fmt.Fprintf(digest, "%d %q %d %d false %t\n", preparationVersion, fmt.Sprint(*p.Layout), p.Frames, p.Bodies, p.Streams)
	for _, file := range c.Files {
		fmt.Fprintf(digest, "%q %d %d\n", file.Name(), file.Size, file.Modified.UnixNano())
	}
	return Key(digest.Sum(nil))
}

// Prepare reads all files, on all cores, and makes their signals, `[frames * joints, bodies * 3]` each. progress, which may
// be nil, is told the share that is done, in the calling goroutine. An error names the files that cannot be read, the first
// few of them, and why. When ctx ends, its error is returned.
func (c *Collection) Prepare(ctx context.Context, progress func(done float64)) (*Signals, error) {
	if err := c.Preparation.check(); err != nil {
		return nil, err
	}
	signals := NewSignals(len(c.Files), c.Preparation.Nodes()*c.Preparation.Channels())
	failures := make([]error, len(c.Files))
	var taken atomic.Int64
	done := make(chan bool, 64)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			var content []byte
			values := make([]float32, signals.size)
			for i := int(taken.Add(1)) - 1; i < len(c.Files) && ctx.Err() == nil; i = int(taken.Add(1)) - 1 {
				if content, failures[i] = c.prepare(c.Files[i], content, values); failures[i] == nil {
					signals.Set(i, values)
				}
				done <- true
			}
		})
	}
	go func() {
		workers.Wait()
		close(done)
	}()
	var finished, told int
	for range done {
		if finished++; progress != nil && (finished-told)*200 >= len(c.Files) {
			told = finished
			progress(float64(finished) / float64(len(c.Files)))
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return signals, c.unreadable(failures)
}

// prepare reads a file into the buffer, which it returns for the next one, and writes its signal to values.
func (c *Collection) prepare(file File, buffer []byte, values []float32) ([]byte, error) {
	if file.Size > largestFile {
		return buffer, fmt.Errorf("%d bytes, more than any recording", file.Size)
	}
	opened, err := c.FS.Open(file.Path)
	if err != nil {
		return buffer, err
	}
	defer func() { _ = opened.Close() }() // nothing was written
	if int64(cap(buffer)) < file.Size {
		buffer = make([]byte, file.Size+file.Size/4)
	}
	content := buffer[:file.Size]
	if _, err := io.ReadFull(opened, content); err != nil {
		return buffer, fmt.Errorf("cannot be read to its end: %w", err)
	}
	// One byte more: the end is where an archive finds that what it unpacked is damaged.
	if n, err := opened.Read(make([]byte, 1)); n > 0 || err != io.EOF {
		return buffer, fmt.Errorf("has changed, or is damaged: %d bytes were expected: %v", file.Size, err)
	}
	recording, err := c.Parse(file.Name(), content)
	if err != nil {
		return buffer, err
	}
	return buffer, c.Preparation.Signal(recording, values)
}

// unreadable is the error for the files that failed; nil if none did.
func (c *Collection) unreadable(failures []error) error {
	var named []string
	count := 0
	for i, failure := range failures {
		if failure == nil {
			continue
		}
		if count++; count <= namedFiles {
			named = append(named, fmt.Sprintf("%s: %v", c.Files[i].Path, failure))
		}
	}
	if count == 0 {
		return nil
	}
	text := strings.Join(named, "; ")
	if count > namedFiles {
		text += fmt.Sprintf("; and %d more", count-namedFiles)
	}
	return errors.New(text)
}
