package recordings

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// zones are the offsets of the zones whose abbreviations stand for one, in hours: those of RFC 822, and what the
// database of time zones calls one zone only.
var zones = map[string]float64{
	"UT": 0, "UTC": 0, "GMT": 0, "Z": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6,
	"PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10, "NST": -3.5, "NDT": -2.5, "WET": 0, "WEST": 1,
	"BST": 1, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2, "EET": 2, "EEST": 3, "MSK": 3, "SAST": 2, "JST": 9,
	"KST": 9, "HKT": 8, "AWST": 8, "ACST": 9.5, "ACDT": 10.5, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13,
}

// zoned matches a text that ends with the abbreviation of a zone, as in 12:30 CET, or with one and an offset, as in
// 12:30 GMT+01:00: what stands before, the abbreviation, and the sign, the hours and the minutes of the offset.
var zoned = regexp.MustCompile(`^(.*\d(?: ?[AaPp][Mm])?) ?([A-Za-z]{1,5})(?:([-+])(\d\d?)(?::?(\d\d))?)?$`)

// readZone cuts off the abbreviation of a zone from the end of a date or a time of day. It returns the rest, and the
// zone's offset from UTC in seconds (east is positive); or, in unknown, the abbreviation, if it is unknown or stands
// for several zones. A text without one is returned as it is. It asks nothing of the machine, so that each machine
// reads the same.
func readZone(text string) (rest string, offset float64, unknown string) {
	const minute = 60
	last := byte(0)
	if text != "" {
		last = text[len(text)-1] | 0x20
	}
	if (last < 'a' || last > 'z') && !strings.Contains(text, "GMT") && !strings.Contains(text, "UTC") {
		return text, 0, "" // the usual case, and quicker than the expression
	}
	match := zoned.FindStringSubmatch(text)
	if match == nil {
		return text, 0, ""
	}
	zone := strings.ToUpper(match[2])
	hours, known := zones[zone]
	switch {
	case zone == "AM" || zone == "PM" || !known && match[2] != zone: // no zone, but a word in small letters
		return text, 0, ""
	case match[3] != "" && zone != "UTC" && zone != "GMT": // only these have offsets behind them
		return text, 0, ""
	case match[3] != "":
		whole, _ := strconv.Atoi(match[4])
		minutes, _ := strconv.Atoi("0" + match[5])
		hours = float64(whole) + float64(minutes)/60
		if match[3] == "-" {
			hours = -hours
		}
	case !known:
		unknown = zone
	}
	return match[1], math.Round(hours*60) * minute, unknown
}

// sameZone returns an error if dates have an unknown zone, and others have another one or none. Where all have it,
// they count as if they had none, which changes no step. unknown is the zone of a date, "" for a known one or none.
func (d *days) sameZone(unknown string) error {
	if d.zones > 0 && d.unknown != unknown {
		return fmt.Errorf("the time zone %s is not known, or stands for several, and other times have another one "+
			"or none: write the offset from UTC in its place, such as +05:30", cmp.Or(d.unknown, unknown))
	}
	d.zones, d.unknown = d.zones+1, unknown
	return nil
}
