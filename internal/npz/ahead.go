package npz

import (
	"io"
	"sync"
)

// ahead reads from another reader in a goroutine of its own, a few blocks before they are asked for: unpacking and
// hashing then go on while the blocks before are decoded.
type ahead struct {
	full  chan block
	free  chan []byte
	stop  chan struct{}
	group sync.WaitGroup
	block        // being read
	rest  []byte // of it
}

// block is what one call of Read gave.
type block struct {
	bytes []byte
	err   error // after the bytes
}

// Blocks are large enough that handing them over costs nothing, and small enough for a processor's cache.
const (
	aheadBlocks = 3
	aheadSize   = 1 << 18
)

// readAhead begins to read. The caller ends it before it closes the other reader.
func readAhead(from io.Reader) *ahead {
	a := &ahead{full: make(chan block, aheadBlocks), free: make(chan []byte, aheadBlocks), stop: make(chan struct{})}
	for range aheadBlocks {
		a.free <- make([]byte, aheadSize)
	}
	a.group.Go(func() {
		for {
			select {
			case buffer := <-a.free:
				n, err := io.ReadFull(from, buffer)
				if err == io.ErrUnexpectedEOF { // the last block is not full
					err = io.EOF
				}
				a.full <- block{buffer[:n], err} // has room for all blocks that there are
				if err != nil {
					return
				}
			case <-a.stop:
				return
			}
		}
	})
	return a
}

// Read gives what was read ahead, and then the error that the other reader ended with.
func (a *ahead) Read(p []byte) (int, error) {
	if len(a.rest) == 0 {
		if a.err != nil {
			return 0, a.err
		}
		if a.bytes != nil {
			a.free <- a.bytes[:cap(a.bytes)]
		}
		a.block = <-a.full
		a.rest = a.bytes
		if len(a.rest) == 0 {
			return 0, a.err
		}
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// end stops the reading, and returns once nothing is read any more.
func (a *ahead) end() {
	close(a.stop)
	a.group.Wait()
}
