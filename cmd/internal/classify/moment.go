package classify

import (
	"encoding/json"

	"github.com/clusterpool/ccp/datasets/recording"
)

// Moment is a time as a file or a stream writes its own.
type Moment struct {
	Text     string
	IsNumber bool
}

// MarshalJSON writes a number, or a string.
func (m Moment) MarshalJSON() ([]byte, error) {
	if m.IsNumber {
		return []byte(m.Text), nil
	}
	return json.Marshal(m.Text)
}

// UnmarshalJSON reads either.
func (m *Moment) UnmarshalJSON(raw []byte) error {
	m.Text, m.IsNumber = string(raw), len(raw) > 0 && raw[0] != '"'
	if m.IsNumber {
		return nil
	}
	return json.Unmarshal(raw, &m.Text)
}

// MomentOf returns a time as a file or a stream writes it.
func MomentOf(written recording.TimeForm, at float64) Moment {
	return Moment{written.Text(at), written.IsNumber()}
}
