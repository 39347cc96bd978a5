// Package jsonread reads JSON that a stranger wrote, token by token. It keeps only what its caller asks for, and skips
// everything else where it lies.
package jsonread

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"encoding/json/jsontext"
	"github.com/clusterpool/ccp/internal/suggest"
)

// MaxText is the greatest length of a text, in bytes as they are written.
const MaxText = 1024

// Reader reads the values of one document in order: each method returns what reads the next value. Null stands for an
// empty object, list or text, for false, for 0 of Int and for NaN of Float. Every error says at which byte it is.
type Reader struct {
	Check    func() error // called now and then, unless nil: its error ends the reading
	parted   int          // parts of objects and lists that were begun, and tokens that were skipped
	document []byte
	tokens   *jsontext.Decoder
}

// New returns a reader of a document, which must not change while it is read.
func New(document []byte) *Reader {
	// The decoder reads a bytes.Buffer where it lies, and copies what any other reader gives.
	return &Reader{document: document, tokens: jsontext.NewDecoder(bytes.NewBuffer(document),
		jsontext.AllowDuplicateNames(true), // to find duplicates, it would keep the names of all members
		jsontext.AllowInvalidUTF8(true))}
}

// Value reads the next value. what names it in errors.
type Value func(what string) error

// Object reads an object whose members are known. It skips others.
func (r *Reader) Object(members map[string]Value) Value {
	return r.Members(func(name string) (Value, error) { return members[name], nil })
}

// Members reads an object. known returns what reads a member, or nil to skip it.
func (r *Reader) Members(known func(name string) (Value, error)) Value {
	return r.parts('{', func(int) error {
		raw, err := r.tokens.ReadValue()
		if err != nil {
			return r.failed(err)
		}
		var name []byte
		if len(raw) <= MaxText {
			name, _ = jsontext.AppendUnquote(nil, raw) // it is a text
		}
		read, err := known(string(name))
		switch {
		case err != nil:
			return err
		case read == nil:
			return r.skip()
		}
		return read(string(name))
	})
}

// skip passes over a value token by token, since a large one takes long.
func (r *Reader) skip() (err error) {
	for depth, inside := r.tokens.StackDepth(), true; inside && err == nil; inside = r.tokens.StackDepth() > depth {
		_, err = r.tokens.ReadToken()
		if err == nil {
			err = r.check()
		}
	}
	return r.failed(err)
}

// check calls Check now and then.
func (r *Reader) check() error {
	r.parted++
	if r.parted%1024 != 0 || r.Check == nil {
		return nil
	}
	return r.Check()
}

// List reads a list. element reads its element i.
func (r *Reader) List(element func(i int) error) Value { return r.parts('[', element) }

// parts reads an array or an object, whose begin is kind. part is called where each element or member begins.
func (r *Reader) parts(kind jsontext.Kind, part func(i int) error) Value {
	end := kind + 2 // the code of } is that of { and 2, and so with brackets
	return func(what string) error {
		if null, err := r.expect(kind, what); null || err != nil {
			return err
		}
		_, err := r.tokens.ReadToken()
		for i := 0; err == nil && r.tokens.PeekKind() != end; i++ {
			err = r.check()
			if err == nil {
				err = part(i)
			}
			if err != nil {
				return err
			}
		}
		if err == nil {
			_, err = r.tokens.ReadToken()
		}
		return r.failed(err)
	}
}

// Raw reads a value as the document has it.
func (r *Reader) Raw(to *[]byte) Value {
	return func(string) error {
		value, err := r.tokens.ReadValue()
		end := int(r.tokens.InputOffset())
		*to = r.document[end-len(value) : end]
		return r.failed(err)
	}
}

// Text reads a text of at most MaxText bytes.
func (r *Reader) Text(to *string) Value {
	return scalar(r, '"', to, "", func(raw []byte, what string) (string, error) {
		if size := len(raw) - len(`""`); size > MaxText {
			return "", fmt.Errorf("%s has %d bytes at byte %d; it can have %d", what, size, r.tokens.InputOffset(), MaxText)
		}
		text, err := jsontext.AppendUnquote(nil, raw)
		return string(text), err
	})
}

// Float reads a number, and NaN for null.
func (r *Reader) Float(to *float64) Value { return r.Digits(to, nil) }

// Digits reads a number as Float does, and keeps its text as well, if digits is not nil.
func (r *Reader) Digits(to *float64, digits *string) Value {
	return scalar(r, '0', to, math.NaN(), func(raw []byte, what string) (v float64, err error) {
		if digits != nil {
			*digits = string(raw)
		}
		v, err = strconv.ParseFloat(string(raw), 64)
		if err != nil {
			err = fmt.Errorf("%s is %s at byte %d, which float64 does not hold", what, suggest.Clip(string(raw)),
				r.tokens.InputOffset())
		}
		return v, err
	})
}

// Int reads a whole number.
func (r *Reader) Int(to *int) Value {
	return scalar(r, '0', to, 0, func(raw []byte, what string) (v int, err error) {
		v, err = strconv.Atoi(string(raw))
		if err != nil {
			err = fmt.Errorf("%s is %s at byte %d; it must be a whole number", what, suggest.Clip(string(raw)),
				r.tokens.InputOffset())
		}
		return v, err
	})
}

// Bool reads true or false.
func (r *Reader) Bool(to *bool) Value {
	return scalar(r, 't', to, false, func(raw []byte, _ string) (bool, error) { return raw[0] == 't', nil })
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

// scalar returns what reads a value of a kind into to, by parse. A null, or a value of another kind, which is an error,
// leaves ifNull in to.
func scalar[T any](r *Reader, kind jsontext.Kind, to *T, ifNull T,
	parse func(raw []byte, what string) (T, error)) Value {
	return func(what string) error {
		isNull, err := r.expect(kind, what)
		*to = ifNull
		if isNull || err != nil {
			return err
		}
		raw, err := r.tokens.ReadValue()
		if err != nil {
			return r.failed(err)
		}
		*to, err = parse(raw, what)
		return err
	}
}

// kinds are the kinds of values in words. Where a value should be and an object or a list ends, the value is missing.
var kinds = map[jsontext.Kind]string{'n': "null", 't': "true or false", 'f': "true or false", '"': "a text",
	'0': "a number", '{': "an object", '[': "a list", '}': "missing", ']': "missing"}

// expect looks at the next value. It reads past a null, refuses a value of another kind, and leaves one of the kind to
// be read.
func (r *Reader) expect(kind jsontext.Kind, what string) (isNull bool, err error) {
	switch got := r.tokens.PeekKind(); {
	case got == kind:
		return false, nil
	case got == 'n', kinds[got] == "": // no JSON, or the end: ReadToken returns the error
		_, err = r.tokens.ReadToken()
		return true, r.failed(err)
	case kinds[got] != kinds[kind]: // true and false are of one kind here
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
