package text

// What digits and the dollar sign become.
const (
	numberWord = "num"
	dollarWord = "dollar"
)

// Words cuts a text into its words, in order: a run of digits is the word "num", `$` the word "dollar", letters are
// lower case, and everything but a to z separates. Single letters and stop words are among them; see [IsCounted].
func Words(body []byte) []string {
	cleaned := make([]byte, 0, len(body)+len(body)/4)
	var ends []int // of each word in cleaned
	end := func() {
		if last := len(cleaned); last > 0 && (len(ends) == 0 || ends[len(ends)-1] < last) {
			ends = append(ends, last)
		}
	}
	digits := false // the character before was a digit
	for _, character := range body {
		letter := character | 0x20 // upper to lower case
		switch {
		case 'a' <= letter && letter <= 'z':
			if digits {
				end()
			}
			cleaned = append(cleaned, letter)
		case '0' <= character && character <= '9':
			if !digits {
				end()
				cleaned = append(cleaned, numberWord...)
			}
		case character == '$':
			end()
			cleaned = append(cleaned, dollarWord...)
			end()
		default:
			end()
		}
		digits = '0' <= character && character <= '9'
	}
	end()

	text := string(cleaned)
	words := make([]string, len(ends))
	start := 0
	for i, stop := range ends {
		words[i] = text[start:stop]
		start = stop
	}
	return words
}

// IsCounted says that a word counts in a bag: it has two letters or more and is no stop word.
func IsCounted(word string) bool { return len(word) > 1 && !IsStopWord(word) }
