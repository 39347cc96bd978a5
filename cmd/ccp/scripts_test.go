package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inScript is a list in Python that begins with the program, as in [args.ccp, "train", "--data", file]: the rest of its
// line holds the command and its flags.
var inScript = regexp.MustCompile(`\b(?:\w+\.)?ccp, ("\w+".*)`)

// Each command line in the head of a Python script names a command and flags that exist, and so does each command that
// a script starts.
func TestScriptsNameWhatExists(t *testing.T) {
	quoted := regexp.MustCompile(`"(-{0,2}[a-z][a-z-]*)"`)
	inHeads, started := 0, 0
	for _, pattern := range []string{"benchmarks/*.py", "benchmarks/*/*.py", "examples/*.py", "examples/*/*.py"} {
		paths, err := filepath.Glob(filepath.Join("../..", pattern))
		require.NoError(t, err)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			head, _, _ := strings.Cut(strings.TrimPrefix(string(text), `"""`), `"""`)
			var code []string
			for line := range strings.Lines(head) {
				if strings.HasPrefix(line, "    ") {
					code = append(code, strings.TrimRight(line, "& \n"))
				}
			}
			for _, quoted := range span.FindAllStringSubmatch(head, -1) {
				code = append(code, strings.Join(strings.Fields(quoted[1]), " "))
			}
			for _, line := range code {
				for _, args := range commandLines(strings.TrimSpace(line)) {
					inHeads++
					assert.NoError(t, checkCommand(args), "%s: ccp %s", path, strings.Join(args, " "))
				}
			}
			for _, list := range inScript.FindAllStringSubmatch(string(text), -1) {
				started++
				var words []string
				for _, word := range quoted.FindAllStringSubmatch(list[1], -1) {
					words = append(words, word[1])
				}
				cmd, _, err := newRoot(words).Find(words)
				require.NoError(t, err, "%s: %s", path, list[0])
				assert.False(t, cmd.HasSubCommands(), "%s: there is no such command of %s: %s", path, cmd.CommandPath(), list[0])
				for _, word := range words {
					if name, isFlag := strings.CutPrefix(word, "--"); isFlag {
						assert.NotNil(t, cmd.Flag(name), "%s: %s has no flag %s", path, cmd.CommandPath(), word)
					}
				}
			}
		}
	}
	assert.Greater(t, inHeads, 4)
	assert.Greater(t, started, 8)
}
