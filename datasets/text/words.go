package text

import (
	"bytes"
	"regexp"
)

var word = regexp.MustCompile(`[A-Za-z]+|[0-9]+|\$`)

// Words cuts a text into its words, in order: a run of digits becomes the word "num", `$` the word "dollar", letters become
// lower case, and everything but a to z separates. Single letters and stop words are included; see [IsCounted].
func Words(body []byte) []string {
	words := []string{}
	for _, match := range word.FindAll(body, -1) {
		switch first := match[0]; {
		case first == '$':
			words = append(words, "dollar")
		case first <= '9':
			words = append(words, "num")
		default:
			words = append(words, string(bytes.ToLower(match)))
		}
	}
	return words
}

// IsCounted says that a word counts in a bag: it has two letters or more and is no stop word.
func IsCounted(word string) bool { return len(word) > 1 && !IsStopWord(word) }
