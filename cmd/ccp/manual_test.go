package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var manual = flag.String("manual", "",
	"new `FOLDER` for the manual: man pages in man1, the reference of the commands in reference")

// commands returns a command with all below it that help shows.
func commands(cmd *cobra.Command) (all []*cobra.Command) {
	all = append(all, cmd)
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			all = append(all, commands(sub)...)
		}
	}
	return all
}

// Every command has examples of itself in its help, which parse.
func TestExamplesParse(t *testing.T) {
	all := commands(newRoot(nil))
	require.Greater(t, len(all), 15)
	for _, cmd := range all {
		own := 0
		for _, line := range lines(cmd.Example) {
			ours := strings.HasPrefix(line, "  ccp ") || strings.Contains(line, "<(ccp ") || strings.Contains(line, " | ccp ")
			assert.True(t, ours, "%s: %q", cmd.CommandPath(), line)
			for _, words := range commandLines(line) {
				assert.NoError(t, checkCommand(words), line)
				own++
			}
		}
		assert.Contains(t, "\n"+cmd.Example+" ", "\n  "+cmd.CommandPath()+" ")
		assert.Positive(t, own, "%s has no example", cmd.CommandPath())
	}
}

// TestManual makes the manual, in the folder of -manual for a release: a page for each command, with all of its flags.
func TestManual(t *testing.T) {
	folder := *manual
	if folder == "" {
		folder = t.TempDir()
	}
	root := newRoot(nil)
	root.DisableAutoGenTag = true // it has the day
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "man1"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "reference"), 0o755))
	require.NoError(t, doc.GenManTree(root,
		&doc.GenManHeader{Section: "1", Source: "ccp " + root.Version, Manual: "ccp"}, filepath.Join(folder, "man1")))
	require.NoError(t, doc.GenMarkdownTree(root, filepath.Join(folder, "reference")))
	for _, cmd := range commands(root) {
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
		man, err := os.ReadFile(filepath.Join(folder, "man1", name+".1"))
		require.NoError(t, err)
		page, err := os.ReadFile(filepath.Join(folder, "reference", strings.ReplaceAll(name, "-", "_")+".md"))
		require.NoError(t, err)
		cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			assert.Contains(t, string(page), "--"+f.Name+" ", cmd.CommandPath())
			assert.Contains(t, strings.ReplaceAll(string(man), `\-`, "-"), "--"+f.Name+`\fP`, cmd.CommandPath())
		})
		assert.Contains(t, string(page), "### Examples\n\n```\n"+cmd.Example, cmd.CommandPath())
	}
}
