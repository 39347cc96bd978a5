package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
)

// flagsNamed finds flags in a message, and commandsNamed commands, which say whose flags come after them.
var (
	flagsNamed    = regexp.MustCompile(`(?:^|[\s("'\[])--([a-z][a-z-]*[a-z])`)
	commandsNamed = regexp.MustCompile(`ccp ((?:data )?[a-z]+)`)
	otherFlags    = regexp.MustCompile(`unknown flag|no such flag any more|python -m|docker run`)
)

// strangeFlags returns the flags in a command's output that are none of its own, nor of a command that the line names,
// as `ccp data import --leave` does. What the user wrote wrong, and other programs' flags, are left out.
func strangeFlags(args []string, output string) (strange []string) {
	root := newRoot(args)
	own, _, err := root.Find(args)
	if err != nil || own == root {
		return nil
	}
	for line := range strings.Lines(output) {
		if otherFlags.MatchString(line) {
			continue
		}
		for _, at := range flagsNamed.FindAllStringSubmatchIndex(line, -1) {
			flag := line[at[2]:at[3]]
			known := hasFlag(own, flag)
			for _, named := range commandsNamed.FindAllStringSubmatch(line, -1) {
				other, _, err := root.Find(strings.Fields(named[1]))
				known = known || err == nil && other != root && hasFlag(other, flag)
			}
			if !known {
				strange = append(strange, "--"+flag+" in "+strings.TrimSpace(line))
			}
		}
	}
	return strange
}

// hasFlag reports that a command takes a flag.
func hasFlag(cmd *cobra.Command, name string) bool {
	return name == "help" || cmd.Flags().Lookup(name) != nil || cmd.InheritedFlags().Lookup(name) != nil
}

// Every test of a command line checks that its messages advise flags that there are, see execute; this is that check.
func TestStrangeFlags(t *testing.T) {
	eval := []string{"eval", "--checkpoint", "run", "--label", "x"}
	assert.Empty(t, strangeFlags(eval, "say --rest NAME, or (--lag)\nccp data import --dates reads them; --json"))
	assert.Equal(t, []string{"--dates in say --dates day"}, strangeFlags(eval, "note\nsay --dates day\n"))
	assert.Equal(t, []string{`--leave in --leave "a" leaves it out, ccp predict`},
		strangeFlags(eval, `--leave "a" leaves it out, ccp predict`), "predict does not have it either")
	assert.Empty(t, strangeFlags([]string{"data", "import", "x"}, "say --dates day"))
	assert.Empty(t, strangeFlags(eval, "ccp: unknown flag: --dates"))
	assert.Empty(t, strangeFlags([]string{"nothing"}, "--dates"))
}
