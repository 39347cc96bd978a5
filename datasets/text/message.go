package text

import "bytes"

// Body is a message without its header, its footer and the lines that quote others, stripped in this order: what
// scikit-learn documents for fetch_20newsgroups(remove=("headers", "footers", "quotes")). The order matters: the blank
// line that sets a signature apart may lie among quoted lines.
func Body(message []byte) []byte {
	return StripQuotes(StripFooter(StripHeader(message)))
}

// StripHeader drops everything up to the first blank line and that line. A message without one is all header.
func StripHeader(message []byte) []byte {
	_, body, _ := bytes.Cut(message, []byte("\n\n"))
	return body
}

// StripFooter drops the signature: everything from the last line on that is blank or made of hyphens, space and blank
// lines at the ends aside. A text without such a line below its first is returned as it is.
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

// Marks of a line that quotes, or says who is quoted: those at its start, and those anywhere in it.
var (
	quoteStarts = [][]byte{[]byte(">"), []byte("|"), []byte("In article"), []byte("Quoted from")}
	quoteMarks  = [][]byte{[]byte("writes in"), []byte("writes:"), []byte("wrote:"), []byte("says:"), []byte("said:")}
)

// StripQuotes drops the lines that start with ">", "|", "In article" or "Quoted from", and those that hold
// "writes in", "writes:", "wrote:", "says:" or "said:". Upper and lower case differ.
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
	for _, start := range quoteStarts {
		if bytes.HasPrefix(line, start) {
			return true
		}
	}
	for _, mark := range quoteMarks {
		if bytes.Contains(line, mark) {
			return true
		}
	}
	return false
}

// trimSpace trims the characters that Unicode calls space and that Latin-1 has; bytes.TrimSpace would read UTF-8.
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
