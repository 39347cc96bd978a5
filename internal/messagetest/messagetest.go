// Package messagetest lets a test hold a message to what it says and leave open how it says it: the file, the place,
// the value, the option, and the word for what is wrong. A sentence can then be made clearer without a change of tests.
package messagetest

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// between separates the facts that a message must name.
const between = " … "

// longest is how many words a fact may have, beside its numbers and names: more would be a sentence.
const longest = 4

// word is a word of a sentence, without the sign after it.
var word = regexp.MustCompile(`^[A-Za-z]{2,}[,;:.]?$`)

// Names asserts that a message, an error or a text, names each of some facts. They stand in one text, as in
// "mine.npz … features[3,2,1] … NaN", and are looked for as whole words in any order.
func Names(t testing.TB, message any, facts string, about ...any) bool {
	t.Helper()
	text := textOf(message)
	if missing := missingFrom(text, facts); len(missing) > 0 || message == nil {
		return assert.Fail(t, fmt.Sprintf("the message %q does not name %q", text, missing), about...)
	}
	return checkLengths(t, facts)
}

// Option asserts that an error is one about an option with a value, nil for none, and that it names each of some facts.
func Option(t testing.TB, err error, option string, value any, facts string) bool {
	t.Helper()
	var wrong interface {
		error
		About() (option string, value any)
	}
	if !errors.As(err, &wrong) {
		return assert.Fail(t, fmt.Sprintf("%q is no error about an option", textOf(err)))
	}
	name, has := wrong.About()
	right := assert.Equal(t, fmt.Sprint(option, "=", value), fmt.Sprint(name, "=", has))
	return Names(t, err, facts) && right
}

// OneNames asserts that one of several messages names each of the facts.
func OneNames(t testing.TB, messages []string, facts string, about ...any) bool {
	t.Helper()
	for _, message := range messages {
		if len(missingFrom(message, facts)) == 0 {
			return checkLengths(t, facts)
		}
	}
	return assert.Fail(t, fmt.Sprintf("no message names all of %q:\n%s", facts, strings.Join(messages, "\n")), about...)
}

// EachNames asserts that there are as many messages as sets of facts, and that each message names those in its place.
func EachNames(t testing.TB, messages []string, facts ...string) bool {
	t.Helper()
	if !assert.Len(t, messages, len(facts), "%s", strings.Join(messages, "\n")) {
		return false
	}
	right := true
	for i, message := range messages {
		right = Names(t, message, facts[i]) && right
	}
	return right
}

// Panics asserts that a function panics with a message that names each of the facts.
func Panics(t testing.TB, panics func(), facts string, about ...any) (right bool) {
	t.Helper()
	defer func() {
		t.Helper()
		right = Names(t, recover(), facts, about...)
	}()
	panics()
	return false
}

// textOf returns what a message says: an error's text, or the text itself.
func textOf(message any) string {
	if message == nil {
		return ""
	}
	return fmt.Sprint(message)
}

// missingFrom returns the facts that a text does not name.
func missingFrom(text, facts string) (missing []string) {
	for fact := range strings.SplitSeq(facts, between) {
		if !hasWords(text, fact) {
			missing = append(missing, fact)
		}
	}
	return missing
}

// hasWords reports whether a text has some words that are not parts of longer words or numbers there.
func hasWords(text, words string) bool {
	if words == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(words)
	last, _ := utf8.DecodeLastRuneInString(words)
	for start := 0; ; {
		at := strings.Index(text[start:], words)
		if at < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:start+at])
		after, _ := utf8.DecodeRuneInString(text[start+at+len(words):])
		beginsWithin := inWord(before) && inWord(first)
		endsWithin := inWord(last) && inWord(after)
		if !beginsWithin && !endsWithin {
			return true
		}
		start += at + 1
	}
}

// inWord reports whether a character is a part of a word or a number.
func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// checkLengths fails a test whose facts are sentences.
func checkLengths(t testing.TB, facts string) bool {
	t.Helper()
	for fact := range strings.SplitSeq(facts, between) {
		words := 0
		for field := range strings.FieldsSeq(fact) {
			if word.MatchString(field) {
				words++
			}
		}
		if words > longest {
			return assert.Fail(t, fmt.Sprintf("%q pins a wording; name the facts in it", fact))
		}
	}
	return true
}
