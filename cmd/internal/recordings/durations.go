package recordings

// This file reads durations, as pandas, MATLAB, R and polars write them.

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	// spans finds what only a duration can have: days by that name, hours beyond a day, a sign, or the P of ISO 8601.
	spans = regexp.MustCompile(`^[-+]?(\d+ days?|(2[4-9]|[3-9]\d|\d{3,}):\d\d:\d\d|\d+:\d\d[.,]\d+$|P[\dT])|^[-+]\d+:\d\d:\d\d`)
	// duration matches one as pandas, MATLAB and R write them, 1 days 02:03:04.5, 26:03:04.5 or 03:04.5, and
	// isoDuration as polars does, P1DT2H3M4.5S.
	duration    = regexp.MustCompile(`^([-+]?)(?:(\d+) days?,? ?)?([-+]?)(?:(?:(\d+):)?(\d+):(\d\d(?:[.,]\d*)?))?$`)
	isoDuration = regexp.MustCompile(`^([-+]?)P(?:(\d+)D)?()(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d*)?)S)?)?$`)
)

// elapsed reads a duration, in seconds. A sign before the days is of them alone, as in pandas' -1 days +23:59:59.
func elapsed(text string) (seconds float64, ok bool) {
	match := duration.FindStringSubmatch(text)
	if match == nil || match[2] == "" && match[5] == "" {
		match = isoDuration.FindStringSubmatch(text)
		if match == nil || len(strings.Trim(text, "+-PT")) == 0 {
			return 0, false
		}
	}
	worth := func(number string, of float64) float64 {
		value, _ := strconv.ParseFloat(strings.Replace(number, ",", ".", 1), 64)
		return value * of
	}
	days, clock := worth(match[2], 24*60*60), worth(match[4], 60*60)+worth(match[5], 60)+worth(match[6], 1)
	if match[1] == "-" {
		days = -days
		if match[3] == "" {
			clock = -clock
		}
	}
	if match[3] == "-" {
		clock = -clock
	}
	return days + clock, true
}
