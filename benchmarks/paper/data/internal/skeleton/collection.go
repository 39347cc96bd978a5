package skeleton

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/clusterpool/ccp/internal/loop"
)

// File is a recording in a folder or an archive.
type File struct {
	Path     string // within the file system of its collection
	Size     int64  // bytes
	Modified time.Time
}

// Name returns the last part of the path.
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
	// preparationVersion must be raised if the preparation changes: old signals are then not used.
	preparationVersion = 3
	// largestFile, in bytes, is far above the largest recording.
	largestFile = 64 << 20
	// namedFiles is the number of unreadable files that an error names.
	namedFiles = 3
)

// Key identifies a collection by the names, sizes and times of its files and by the preparation.
type Key [sha256.Size]byte

// Key returns the key of the collection. It does not read the files.
func (c *Collection) Key() Key {
	digest := sha256.New()
	p := c.Preparation
	fmt.Fprintf(digest, "%d %q %d %t %d %t %t\n", preparationVersion, fmt.Sprint(*p.Layout), p.Frames, p.Whole, p.Bodies,
		p.Streams, p.Upright)
	for _, file := range c.Files {
		fmt.Fprintf(digest, "%q %d %d\n", file.Name(), file.Size, file.Modified.UnixNano())
	}
	return Key(digest.Sum(nil))
}

// Prepare reads all files, on all cores, and makes their signals, see Preparation.Signal. If progress is
// not nil, it receives the finished share in the calling goroutine. The error names the first unreadable files and why
// they cannot be read. If ctx ends first, Prepare returns the error of ctx.
func (c *Collection) Prepare(ctx context.Context, progress func(done float64)) (*Signals, error) {
	signals := NewSignals(len(c.Files))
	failures := make([]error, len(c.Files))
	done := make(chan bool, 64)
	go func() {
		defer close(done)
		loop.Workers(len(c.Files), func() func(i int) {
			buffer := new(bytes.Buffer)
			return func(i int) {
				if ctx.Err() != nil {
					return
				}
				var signal []float32
				signal, failures[i] = c.prepare(c.Files[i], buffer)
				if failures[i] == nil {
					signals.Set(i, signal)
				}
				done <- true
			}
		})
	}()
	var finished, told int
	for range done {
		finished++
		if progress != nil && (finished-told)*200 >= len(c.Files) {
			told = finished
			progress(float64(finished) / float64(len(c.Files)))
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var texts []string
	for i, failure := range failures {
		if failure != nil {
			texts = append(texts, fmt.Sprintf("%s: %v", c.Files[i].Path, failure))
		}
	}
	if more := len(texts) - namedFiles; more > 0 {
		texts = append(texts[:namedFiles], fmt.Sprintf("and %d more", more))
	}
	if texts != nil {
		return nil, errors.New(strings.Join(texts, "; "))
	}
	return signals, nil
}

// prepare reads a file through a buffer, which the next file uses again, and returns its signal.
func (c *Collection) prepare(file File, buffer *bytes.Buffer) ([]float32, error) {
	if file.Size > largestFile {
		return nil, fmt.Errorf("%d bytes, more than any recording", file.Size)
	}
	opened, err := c.FS.Open(file.Path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = opened.Close() }() // nothing was written
	buffer.Reset()
	if _, err := buffer.ReadFrom(opened); err != nil {
		return nil, err
	}
	if int64(buffer.Len()) != file.Size {
		return nil, fmt.Errorf("has changed, or is damaged: %d bytes, want %d", buffer.Len(), file.Size)
	}
	recording, err := c.Parse(file.Name(), buffer.Bytes())
	if err != nil {
		return nil, err
	}
	return c.Preparation.Signal(recording)
}
