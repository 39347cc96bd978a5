// Package jsonread reads JSON that a stranger wrote, token by token. It keeps only what its caller asks for, and skips
// everything else where it lies.
package jsonread

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxText is the greatest length of a text, in bytes as they are written.
const MaxText = 1024

// Reader reads the values of one document in order. Null stands for an empty object, list or text, for 0 and false.
// Every error says at which byte it is.
type Reader struct {
	document []byte
	tokens   *jsontext.Decoder
}

// New returns a reader of a document, which must not change while it is read.
func New(document []byte) *Reader {
	return &Reader{document, jsontext.NewDecoder(bytes.NewBuffer(document), // which the decoder does not copy
		jsontext.AllowDuplicateNames(true), // it would keep all names
		jsontext.AllowInvalidUTF8(true))}
}

// Object reads an object. member reads the value of a name, or calls Skip. what names the object in errors.
func (r *Reader) Object(what string, member func(name string) error) error {
	return r.parts('{', what, func(int) error {
		name, err := r.tokens.ReadValue()
		if err != nil {
			return r.failed(err)
		}
		if len(name) > MaxText {
			return member("")
		}
		text, _ := jsontext.AppendUnquote(nil, name) // it is a text
		return member(string(text))
	})
}

// List reads a list. element reads its element i.
func (r *Reader) List(what string, element func(i int) error) error {
	return r.parts('[', what, element)
}

func (r *Reader) parts(kind jsontext.Kind, what string, part func(i int) error) error {
	if null, err := r.expect(kind, what); null || err != nil {
		return err
	}
	_, err := r.tokens.ReadToken()
	for i := 0; err == nil && r.tokens.PeekKind() != kind+2; i++ { // } or ]
		if err := part(i); err != nil {
			return err
		}
	}
	if err == nil {
		_, err = r.tokens.ReadToken()
	}
	return r.failed(err)
}

// Skip passes over a value.
func (r *Reader) Skip() error { return r.failed(r.tokens.SkipValue()) }

// Raw returns a value as the document has it.
func (r *Reader) Raw() ([]byte, error) {
	value, err := r.tokens.ReadValue()
	end := int(r.tokens.InputOffset())
	return r.document[end-len(value) : end], r.failed(err)
}

// Text reads a text of at most MaxText bytes.
func (r *Reader) Text(what string) (string, error) {
	null, raw, err := r.scalar('"', what)
	if err == nil && len(raw) > MaxText+len(`""`) {
		err = fmt.Errorf("%s has %d bytes at byte %d; it can have %d", what, len(raw)-2, r.tokens.InputOffset(), MaxText)
	}
	if null || err != nil {
		return "", err
	}
	text, _ := jsontext.AppendUnquote(nil, raw) // it is a text
	return string(text), nil
}

// Number reads a number. null reports that there is null in its place.
func (r *Reader) Number(what string) (value float64, null bool, err error) {
	null, raw, err := r.scalar('0', what)
	if null || err != nil {
		return 0, null, err
	}
	if value, err = strconv.ParseFloat(string(raw), 64); err != nil {
		err = fmt.Errorf("%s is %s at byte %d, which float64 does not hold", what, suggest.Clip(string(raw)), r.tokens.InputOffset())
	}
	return value, false, err
}

// Int reads a whole number.
func (r *Reader) Int(what string) (int, error) {
	null, raw, err := r.scalar('0', what)
	if null || err != nil {
		return 0, err
	}
	value, err := strconv.Atoi(string(raw))
	if err != nil {
		err = fmt.Errorf("%s is %s at byte %d; it must be a whole number", what, suggest.Clip(string(raw)), r.tokens.InputOffset())
	}
	return value, err
}

// Bool reads true or false.
func (r *Reader) Bool(what string) (bool, error) {
	_, raw, err := r.scalar('t', what)
	return string(raw) == "true", err
}

// End returns an error if something follows the document.
func (r *Reader) End() error {
	_, err := r.tokens.ReadToken()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return fmt.Errorf("more follows the document's end at byte %d", r.tokens.InputOffset())
	}
	return r.failed(err)
}

// scalar reads a value of that kind.
func (r *Reader) scalar(kind jsontext.Kind, what string) (null bool, raw []byte, err error) {
	if null, err = r.expect(kind, what); null || err != nil {
		return null, nil, err
	}
	raw, err = r.tokens.ReadValue()
	return false, raw, r.failed(err)
}

var kinds = map[jsontext.Kind]string{'n': "null", 't': "true or false", 'f': "true or false", '"': "a text", '0': "a number",
	'{': "an object", '[': "a list", '}': "missing", ']': "missing"}

// expect looks at the next value. It reads null, and refuses another kind.
func (r *Reader) expect(kind jsontext.Kind, what string) (null bool, err error) {
	switch got := r.tokens.PeekKind(); {
	case got == kind:
		return false, nil
	case got == 'n', kinds[got] == "": // or the error that PeekKind has met
		_, err = r.tokens.ReadToken()
		return true, r.failed(err)
	case kinds[got] != kinds[kind]:
		return false, fmt.Errorf("%s is %s at byte %d; it must be %s", what, kinds[got], r.tokens.InputOffset(), kinds[kind])
	}
	return false, nil
}

// failed words an error of the decoder.
func (r *Reader) failed(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("unexpected end at byte %d", len(r.document))
	case errors.As(err, &syntax):
		return fmt.Errorf("%w at byte %d", syntax.Err, syntax.ByteOffset)
	}
	return err
}
