package recordings

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// Abbreviations of zones stand for one offset, whatever the zone of the machine is.
func TestZonesOnAnyMachine(t *testing.T) {
	was := time.Local
	defer func() { time.Local = was }()
	// Brisbane's, once
	for _, machine := range []*time.Location{time.UTC, time.FixedZone("EST", -5*3600), time.FixedZone("EST", 10*3600),
		time.FixedZone("CEST", 2*3600), time.FixedZone("IST", 5.5*3600), time.FixedZone("IST", 2*3600)} {
		time.Local = machine
		for text, want := range map[string]float64{
			"2024-07-01 12:00:00 UTC": 0, "2024-07-01 12:00:00 GMT": 0, "2024-07-01 12:00:00Z": 0,
			"2024-07-01T12:00:00.5Z": 0.5 / 3600,
			"2024-07-01 12:00:00 Z":  0, "2024-07-01 12:00:00 EST": 5, "2024-07-01 12:00 EDT": 4, "2024-07-01 12:00:00 CEST": -2,
			"2024-07-01 12:00:00 CET": -1, "01.07.2024 12:00:00 MESZ": -2, "2024-07-01 12:00:00 BST": -1,
			"2024-07-01 12:00:00 PST":   8,
			"2024-07-01 12:00:00 UTC+2": -2, "2024-07-01 12:00:00 GMT-03:30": 3.5, "2024-07-01 12:00:00 UTC+0530": -5.5,
			"2024-07-01 12:00:00 +02:00": -2, "2024-07-01 12:00:00-0700": 7, "2024-07-01 12:00:00+02": -2,
			"2024-07-01 12:00:00.5-07": 7 + 0.5/3600,
			"Jul 1, 2024 12:00 PM":     0, "Jul 1, 2024 12:00 PM EST": 5,
			"2024-07-01 12:00:00 AEST": -10, "20240701T120000Z": 0, "2024-07-01 12:00:00": 0, "2024-07-01 12:00:00 utc": 0,
			"2024-07-01 12:00:00 IST": 0, // alone, it changes no step
		} {
			days := byFlag("")
			got, kind, err := days.parse(text, 1)
			require.NoError(t, err, text)
			assert.Equal(t, dates, kind, text)
			assert.InDelta(t, 1719835200+want*3600, got, 1e-6, "%s in %s", text, machine)
		}
	}
}

// Summer time ends with its zone beside each time: the steps are even. Of an unknown zone among others nobody knows the
// steps.
func TestZonesThatChange(t *testing.T) {
	zoned := func(summer, winter string) string {
		var times []string
		for minute := range 24 {
			if minute < 12 {
				times = append(times, fmt.Sprintf("2024-10-27 02:%02d:00 %s", 5*minute, summer))
			} else {
				times = append(times, fmt.Sprintf("2024-10-27 02:%02d:00 %s", 5*(minute-12), winter))
			}
		}
		return stamped(t, "time", times)
	}
	for _, pair := range [][2]string{{"CEST", "CET"}, {"MESZ", "MEZ"}, {"EDT", "EST"}, {"BST", "GMT"},
		{"+02:00", "+01:00"}, {"UTC+2", "UTC+1"}, {"CEST", "+0100"}} {
		s, err := read(t, []string{zoned(pair[0], pair[1])}, Options{})
		require.NoError(t, err, pair)
		assert.Empty(t, s.noteTexts())
		for i := range 23 {
			assert.Equal(t, 300., s.samples[0].Times[i+1]-s.samples[0].Times[i], pair)
		}
	}
	for _, pair := range [][2]string{{"IST", "GMT"}, {"GMT", "IST"}, {"XST", "XDT"}, {"IST", ""}} {
		name := pair[0]
		if name == "GMT" {
			name = pair[1]
		}
		messagetest.Names(t, refused(t, Options{}, zoned(pair[0], pair[1])),
			"line 14 … column time … "+name+" … offset from UTC … +05:30")
	}
}
