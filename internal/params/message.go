package params

import (
	"errors"
	"fmt"
)

// Spelling returns an option as a message names it. The value is nil where the message names the option alone.
//
// A library spells an option by its name, as Plainly does. A program that has flags spells it as one of those.
type Spelling = func(option string, value any) string

// Plainly returns NAME=VALUE, or the name alone.
func Plainly(option string, value any) string {
	if value == nil {
		return option
	}
	return fmt.Sprintf("%s=%v", option, value)
}

// Setting is an option in the words of a message: an argument of Messagef or Errorf.
type Setting struct {
	Option string
	Value  any // nil: the message names the option alone
}

// Named returns an option without a value, for the words of a message.
func Named(option string) Setting { return Setting{Option: option} }

// With returns an option with a value, for the words of a message.
func With(option string, value any) Setting { return Setting{option, value} }

// String returns the option as Plainly spells it.
func (s Setting) String() string { return Plainly(s.Option, s.Value) }

// Message is a text that can name options. Whoever prints it decides how they are spelled.
type Message struct {
	format string
	values []any
}

// Messagef returns the message of a format, whose values can be Settings.
func Messagef(format string, values ...any) Message { return Message{format, values} }

// String returns the message with the options' names.
func (m Message) String() string { return m.Spell(Plainly) }

// Spell returns the message with the options as a program spells them.
func (m Message) Spell(spelled Spelling) string { return m.spelled(spelled).Error() }

// spelled returns the message as an error, which wraps the one that the format has for %w.
func (m Message) spelled(spelled Spelling) error {
	values := make([]any, len(m.values))
	for i, value := range m.values {
		if setting, is := value.(Setting); is {
			value = spelled(setting.Option, setting.Value)
		}
		values[i] = value
	}
	return fmt.Errorf(m.format, values...)
}

// Error says that an option cannot have its value.
type Error struct {
	Option string
	Value  any    // nil if the error is about the option with any value
	Allows string // the values that the option can have, such as "positive and finite"; "" if the reason says it
	// Unknown reports that there is no such option.
	Unknown bool

	reason   Message
	sentence bool // the reason names the option itself
}

// Errorf returns the error of an option's value. The format says why the option cannot have it, and the way out; the
// error begins with the option and the value. A nil value is none.
func Errorf(option string, value any, format string, values ...any) *Error {
	return &Error{Option: option, Value: value, reason: Messagef(format, values...)}
}

// Sentencef returns an error about an option whose format names the option itself, as a Setting.
func Sentencef(option string, format string, values ...any) *Error {
	return &Error{Option: option, reason: Messagef(format, values...), sentence: true}
}

// Unknown returns the error that there is no such option. hint says what could be meant.
func Unknown(option, hint string) *Error {
	return &Error{Option: option, Unknown: true, reason: Messagef("there is no option %q%s", option, hint), sentence: true}
}

// Error names the option, its value, and what it must be.
func (e *Error) Error() string { return e.Spell(Plainly) }

// Unwrap returns the error that the reason wraps, if it does.
func (e *Error) Unwrap() error { return errors.Unwrap(e.reason.spelled(Plainly)) }

// About returns the option, and the value that it cannot have; nil if the error is about any value.
func (e *Error) About() (option string, value any) { return e.Option, e.Value }

// Spell returns what Error returns, but with the options as a program spells them.
func (e *Error) Spell(spelled Spelling) string {
	text := e.reason.Spell(spelled)
	if e.Allows != "" {
		text = "it must be " + e.Allows + text
	}
	if e.sentence {
		return text
	}
	return spelled(e.Option, e.Value) + ": " + text
}

// Errors returns all errors about options in the tree of an error.
func Errors(err error) (all []*Error) {
	if e, is := err.(*Error); is { //nolint:errorlint // each error of the tree is looked at by itself
		return []*Error{e}
	}
	switch wrapper := err.(type) { //nolint:errorlint // as above
	case interface{ Unwrap() error }:
		return Errors(wrapper.Unwrap())
	case interface{ Unwrap() []error }:
		for _, part := range wrapper.Unwrap() {
			all = append(all, Errors(part)...)
		}
	}
	return all
}
