package recordings

// This file is about advice that is written for an import, where files are read that it does not import.

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// flagsAdvised finds flags in a message.
var flagsAdvised = regexp.MustCompile(`(?:^|[\s("'])(--[a-z][a-z-]*[a-z])`)

// Elsewhere returns an error with what to do about flags of ccp data import that it advises, which a command that reads
// other files does not have: own are flags that it has all the same.
func Elsewhere(err error, own ...string) error {
	if err == nil {
		return nil
	}
	if way := wayElsewhere(err.Error(), own); way != "" {
		return fmt.Errorf("%w; %s", err, way)
	}
	return err
}

// wayElsewhere says whose flags those of a message are; "" if it has none but own ones, or says so itself.
func wayElsewhere(message string, own []string) string {
	var flags []string
	for _, match := range flagsAdvised.FindAllStringSubmatch(message, -1) {
		if flag := match[1]; !slices.Contains(own, flag) && !slices.Contains(flags, flag) {
			flags = append(flags, flag)
		}
	}
	switch {
	case flags == nil || strings.Contains(message, "ccp data import"):
		return ""
	case len(flags) == 1:
		return flags[0] + " is a flag of ccp data import: change the table, or import the training's recordings with it"
	}
	last := len(flags) - 1
	return fmt.Sprintf("%s and %s are flags of ccp data import: change the table, or import the training's recordings "+
		"with them", strings.Join(flags[:last], ", "), flags[last])
}
