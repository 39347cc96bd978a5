package recordings

// This file recognises headings by the words that people write: those of times, dates and units, those that may be a
// time or a temperature, and cells that are no headings.

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const headingHint = "the first line names the columns: hip.x,hip.y,head.x,head.y or sample,time,sensor,value,label"

// timeHeading matches the headings of times, and their unit. T may be a temperature as well: its unit must be one of
// time. R makes dots of blanks and brackets, so that Time (s) becomes Time..s.; what is as likely a sensor and its
// axis or a statistic, such as T.s or time.min, is none.
var timeHeading = regexp.MustCompile(`^(?i:(?:(?:elapsed|local|utc)[ _.]?)?(?:(?:date)?[/_ .]?time|` +
	`time[ _.]?stamps?|date|` +
	`(?:seconds|secs?|milliseconds|millis|ms|micros(?:econds)?|nanos(?:econds)?)(?:[ _.]elapsed)?|` +
	`(?:datum[/_ .]?)?uhrzeit|zeit|zeitstempel|datum|temps|horodatage|fecha|tiempo|` +
	`hhmm(?:ss)?|hrmn|yyyymmdd(?:_?hh(?:mm(?:ss)?)?)?)` +
	`(?: ?[\[(](.*)[\])]|[_ ](s|sec|ms|us|ns|min|h|utc)|\.{1,3}(.*)\.|` +
	`\.{1,3}(s|secs?|seconds?|ms|millis|milliseconds|us|µs|ns|minutes?|h|hours?|utc)|\.)?|` +
	`t(?: ?[\[(](s|secs?|seconds?|ms|us|µs|ns|min|h|hours?|utc)[\])]|[_ ](s|sec|ms|us|ns|min|h|utc)|` +
	`\.{1,3}(s|secs?|seconds?|ms|us|µs|ns|min|h|hours?|utc)\.|\.{1,3}(secs?|seconds?|ms|us|µs|ns))?)$`)

// dateHeading matches the headings of dates, whose times of day may have a column of their own.
var dateHeading = regexp.MustCompile(`^(?i:date|datum|fecha|day|yyyymmdd)$`)

// unitHeading matches the headings of the units of readings.
var unitHeading = regexp.MustCompile(`^(?i:(?:(?:value|sensor|measurement)[ _.]?)?(?:units?|uom)|` +
	`(?:mess)?einheit(?:en)?)$`)

// ambiguousHeading matches the headings that may be a time or a temperature, such as the least one, that of a surface
// or that of a high.
var ambiguousHeading = regexp.MustCompile(`^(?i:t(?:[_ ](?:s|h|min)|\.(?:s|h|min)\.)?)$`)

// temperatureHeading matches the headings of the kinds of one quantity, such as T_max, T_air, T1 or T_2.
var temperatureHeading = regexp.MustCompile(`^([Tt])(?:[_ .]\p{L}[\p{L}\d_]*|[_ .]?\d+)$`)

// noHeading matches what stands above a column that nobody has named: nothing, or what pandas and Arrow write there.
var noHeading = regexp.MustCompile(`^(Unnamed: [0-9.]+|__index_level_[0-9]+__)?$`)

// mayBeTemperature reports a heading that may be a time or a temperature. Only values that rise make it a time.
func mayBeTemperature(heading string) bool { return ambiguousHeading.MatchString(heading) }

// isTime reports a heading of times that cannot be a temperature.
func isTime(heading string) bool {
	return timeHeading.MatchString(heading) && !mayBeTemperature(heading)
}

// isTemperature reports that a heading such as T_min is one of several kinds of a quantity of that letter, as T_min and
// T_max are.
func isTemperature(heading string, headings []string) bool {
	if !mayBeTemperature(heading) || len(heading) == 1 {
		return false
	}
	return slices.ContainsFunc(headings, func(other string) bool {
		match := temperatureHeading.FindStringSubmatch(other)
		return match != nil && match[1] == heading[:1] && !timeHeading.MatchString(other)
	})
}

// isNumber reports that a heading is a number.
func isNumber(heading string) bool {
	_, err := strconv.ParseFloat(heading, 64)
	return err == nil
}

// orHeadless adds to an error that the line of headings may hold values instead, if one of them has decimals. Whole
// numbers may well be headings, as wavelengths are.
func orHeadless(err error, headings []string) error {
	for _, heading := range headings {
		if err != nil && isNumber(heading) && strings.Contains(heading, ".") {
			return fmt.Errorf("%w; if the line holds values, such as %s, write a line of headings above it", err, heading)
		}
	}
	return err
}
