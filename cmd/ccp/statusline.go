package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/clusterpool/ccp/internal/text"
	"github.com/mattn/go-runewidth"
	"golang.org/x/term"
)

const redrawPeriod = 100 * time.Millisecond

// statusLine writes lines that stay and, on a terminal, below them one that is drawn over.
type statusLine struct {
	mu     sync.Mutex // a signal comes at any time; guards all below
	out    io.Writer
	screen *os.File  // nil off a terminal
	drawn  time.Time // the zero time if the line is clear
	line   string    // that was drawn last
	doing  string    // what progress told of last, off a terminal
	tenths int       // of it, at that time
}

func newStatusLine(out io.Writer) *statusLine {
	l := &statusLine{out: out}
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) && os.Getenv("TERM") != "dumb" {
		l.screen = file
	}
	return l
}

// progress shows the finished share of something long; `of` says how much there is, "" for nothing. Off a terminal it
// prints a line at the start and one at each tenth.
func (l *statusLine) progress(doing string, done float64, of string) {
	doing = text.Plain(doing)
	tail := fmt.Sprintf("%3.0f%%%s", 100*done, of)
	if l.screen != nil {
		if done >= 1 || l.due() {
			l.draw(progressLine(doing, done, tail, l.width()))
		}
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if tenths := int(10 * done); doing != l.doing || tenths > l.tenths {
		l.doing, l.tenths = doing, tenths
		fmt.Fprintln(l.out, doing+" "+tail)
	}
}

// due reports whether it is time to draw the line again.
func (l *statusLine) due() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.drawn) >= redrawPeriod
}

// loading shows progress as a data set reports it.
func (l *statusLine) loading(doing string, done float64) { l.progress(doing, done, "") }

// onScreen shows progress on a terminal only.
func (l *statusLine) onScreen(doing string, done float64) {
	if l.screen != nil {
		l.loading(doing, done)
	}
}

// download shows the progress of a file. If its size is not known, there is a line for each 10 MB off a terminal.
func (l *statusLine) download(name string, done, total int64) {
	switch {
	case total > 0:
		l.progress(name, float64(done)/float64(total), " of "+text.Megabytes(total))
	case l.screen == nil:
		done -= done % 10_000_000
		fallthrough
	default:
		l.progress(name+" "+text.Megabytes(done), 0, "")
	}
}

// width returns the width of a line that does not wrap.
func (l *statusLine) width() int {
	width, _, err := term.GetSize(int(l.screen.Fd()))
	if err != nil || width == 0 {
		width = 80
	}
	return width - 1
}

// notice prints a line above the one that is drawn over.
func (l *statusLine) notice(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	fmt.Fprintln(l.out, text.Plain(line))
}

// Write prints whole lines of packages that log.
func (l *statusLine) Write(lines []byte) (int, error) {
	l.notice(strings.TrimSuffix(string(lines), "\n"))
	return len(lines), nil
}

// draw writes the line over the last one drawn, in one piece so that it does not flicker. Spaces erase what is left of
// the last one: consoles of Windows show escape codes as characters. What exceeds the width is cut, since a line that
// wraps could not be drawn over.
func (l *statusLine) draw(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.paint(line)
}

func (l *statusLine) paint(line string) {
	width := l.width()
	l.drawn, l.line = time.Now(), line
	fmt.Fprint(l.screen, "\r"+runewidth.FillRight(runewidth.Truncate(line, width, ""), width))
}

// count draws a line, and adds its seconds at each period until another is drawn.
func (l *statusLine) count(doing string, period time.Duration) {
	began, line := time.Now(), doing
	var tick func()
	tick = func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if !l.drawn.IsZero() && l.line == line {
			line = fmt.Sprintf("%s %.0fs", doing, time.Since(began).Seconds())
			l.paint(line)
			time.AfterFunc(period, tick)
		}
	}
	l.draw(line)
	time.AfterFunc(period, tick)
}

// clear removes the line that is drawn over.
func (l *statusLine) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
}

func (l *statusLine) erase() {
	if !l.drawn.IsZero() {
		fmt.Fprintf(l.screen, "\r%*s\r", l.width(), "")
		l.drawn = time.Time{}
	}
}
