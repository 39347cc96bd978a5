package serve

import (
	"io"
	"net"
	"sync"
)

// Pipe is a listener for one client, the program that started this one: its requests come from a reader, the standard
// input, and the answers go to a writer, the standard output. When there is nothing more to read, or the server closes
// the connection, Accept ends with io.EOF.
type Pipe struct {
	connection net.Conn
	accept     sync.Once
	closed     chan struct{} // by the connection
	ended      chan struct{} // the last answer is written
}

// NewPipe connects a reader of requests and a writer of answers.
func NewPipe(in io.Reader, out io.Writer) *Pipe {
	ours, theirs := net.Pipe() // which has deadlines, as the server needs them and a file may not
	p := &Pipe{closed: make(chan struct{}), ended: make(chan struct{})}
	p.connection = &pipeEnd{Conn: ours, closed: sync.OnceFunc(func() { close(p.closed) })}
	go func() {
		_, _ = io.Copy(theirs, in) // an error is the end, too
		_ = theirs.Close()
	}()
	go func() {
		_, _ = io.Copy(out, theirs)
		close(p.ended)
	}()
	return p
}

// Accept returns the connection, and waits for its end when called again.
func (p *Pipe) Accept() (c net.Conn, err error) {
	p.accept.Do(func() { c = p.connection })
	if c == nil {
		<-p.closed
		err = io.EOF
	}
	return c, err
}

// Close ends the connection, and waits until all answers are written.
func (p *Pipe) Close() error {
	err := p.connection.Close()
	<-p.ended
	return err
}

// Addr names the pipe.
func (p *Pipe) Addr() net.Addr { return p.connection.LocalAddr() }

type pipeEnd struct {
	net.Conn
	closed func()
}

// Close also ends the listener.
func (e *pipeEnd) Close() error {
	defer e.closed()
	return e.Conn.Close()
}
