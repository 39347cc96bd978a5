package text

import (
	"bytes"
	"slices"
)

// Body returns a message without its header, its footer and the lines that quote others, stripped in this order. This
// is what scikit-learn documents for fetch_20newsgroups(remove=("headers", "footers", "quotes")). The order matters:
// the blank line before a signature may lie among quoted lines.
func Body(message []byte) []byte {
	return StripQuotes(StripFooter(StripHeader(message)))
}

// StripHeader drops everything up to the first blank line and that line. A message without one is all header.
func StripHeader(message []byte) []byte {
	_, body, _ := bytes.Cut(message, []byte("\n\n"))
	return body
}

// StripFooter drops the signature: everything from the last line that is blank or has hyphens only. It ignores blank
// lines and space at the ends. A text without such a line below its first line stays as it is.
func StripFooter(body []byte) []byte {
	trimmed := trimSpace(body)
	for end := len(trimmed); ; {
		start := bytes.LastIndexByte(trimmed[:end], '\n') + 1
		if start == 0 {
			return body
		}
		if len(bytes.Trim(trimSpace(trimmed[start:end]), "-")) == 0 {
			return trimmed[:start-1]
		}
		end = start - 1
	}
}

var newline = []byte("\n")

// quoteStarts begin a line that quotes or names who is quoted; quoteMarks are anywhere in it.
var (
	quoteStarts = [][]byte{[]byte(">"), []byte("|"), []byte("In article"), []byte("Quoted from")}
	quoteMarks  = [][]byte{[]byte("writes in"), []byte("writes:"), []byte("wrote:"), []byte("says:"), []byte("said:")}
)

// StripQuotes drops the lines that start with ">", "|", "In article" or "Quoted from". It also drops the lines that
// hold "writes in", "writes:", "wrote:", "says:" or "said:". Upper and lower case differ.
func StripQuotes(body []byte) []byte {
	var kept [][]byte
	for line := range bytes.SplitSeq(body, newline) {
		if !quotes(line) {
			kept = append(kept, line)
		}
	}
	return bytes.Join(kept, newline)
}

func quotes(line []byte) bool {
	return slices.ContainsFunc(quoteStarts, func(start []byte) bool { return bytes.HasPrefix(line, start) }) ||
		slices.ContainsFunc(quoteMarks, func(mark []byte) bool { return bytes.Contains(line, mark) })
}

// trimSpace trims the characters of Latin-1 that Unicode calls space; bytes.TrimSpace would read UTF-8.
func trimSpace(text []byte) []byte {
	for len(text) > 0 && isSpace(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && isSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

func isSpace(character byte) bool {
	return character == ' ' || '\t' <= character && character <= '\r' || 0x1c <= character && character <= 0x1f ||
		character == 0x85 || character == 0xa0
}
