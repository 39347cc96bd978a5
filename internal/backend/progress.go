package backend

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

const (
	redrawPeriod = 200 * time.Millisecond
	mebibyte     = 1 << 20
	shownSize    = mebibyte // Downloads of at least this many bytes are shown.
)

// meter shows a large download: on a terminal one line drawn over and over, elsewhere a line every 10%, or every 10 MiB
// where the size is not known. It uses no colour and no escape sequence, only the carriage return.
type meter struct {
	log      io.Writer
	name     string
	done     int64
	size     int64 // Negative where it is not known.
	terminal bool
	shown    bool      // Something was drawn or written.
	next     int64     // Bytes at which the next line is due, off a terminal.
	drawn    time.Time // Of the last drawing, on a terminal.
}

// newMeter starts to show the download of name, of size bytes, or of unknown size if negative.
func newMeter(log io.Writer, name string, size int64) *meter {
	m := &meter{log: log, name: name, size: size, terminal: isTerminal(log)}
	m.show()
	return m
}

// isTerminal reports whether lines written to log can be drawn over.
func isTerminal(log io.Writer) bool {
	file, ok := log.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) && os.Getenv("TERM") != "dumb"
}

// add counts bytes that arrived.
func (m *meter) add(bytes int64) {
	m.done += bytes
	m.show()
}

// show draws or writes the line if it is due.
func (m *meter) show() {
	if max(m.done, m.size) < shownSize {
		return
	}
	line := fmt.Sprintf("downloading %s: %.1f MiB", m.name, float64(m.done)/mebibyte)
	step := int64(10 * mebibyte)
	if m.size > 0 {
		line = fmt.Sprintf("downloading %s: %3d%% of %.1f MiB", m.name, 100*m.done/m.size, float64(m.size)/mebibyte)
		step = max(m.size/10, 1)
	}
	if !m.terminal {
		if m.done >= m.next {
			m.shown = true
			_, _ = fmt.Fprintln(m.log, line)
			m.next = m.done - m.done%step + step
		}
		return
	}
	if m.done == m.size || time.Since(m.drawn) >= redrawPeriod {
		m.shown, m.drawn = true, time.Now()
		_, _ = fmt.Fprint(m.log, "\r"+line)
	}
}

// end finishes the line on a terminal.
func (m *meter) end() {
	if m.terminal && m.shown {
		_, _ = fmt.Fprintln(m.log)
	}
}
