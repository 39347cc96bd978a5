package main

import (
	"cmp"
	_ "embed" // the help
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/internal/removed"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models/training"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usageError is an error in the command line itself.
type usageError struct {
	error
	command string
}

func (e usageError) Unwrap() error { return e.error }

func usage(cmd *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	return usageError{err, cmd.CommandPath()}
}

// kinds describes what the flags of pflag's types take.
var kinds = map[string]string{"int": "a whole number", "uint64": "a whole number from 0", "float64": "a number",
	"bool":         "true or false",
	"float64Slice": "a number; give numbers joined by commas, such as -9999,32767"}

// flagError replaces the parser's error about a flag by one that says what the flag takes, or which flag was meant.
func flagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	switch {
	case cmd.HasAvailableSubCommands() && cmd.Flags().NArg() > 0: // of a command that there is not
		return cmd.Args(cmd, cmd.Flags().Args())
	case errors.As(err, &unknown):
		var names []string
		cmd.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
		asked := cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName()) // of -epochs 3, too
		err = fmt.Errorf("unknown flag: --%s", asked)
		command := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
		if instead := removed.Instead(command + " --" + asked); instead != "" {
			err = fmt.Errorf("--%s: there is no such flag any more: %s", asked, instead)
		} else if input := inputOf(cmd); input != "" && slices.Contains(inputFlags, asked) {
			err = fmt.Errorf("%w; what to read comes without a flag: %s %s", err, cmd.CommandPath(), input)
		} else if meant := suggest.Nearest(asked, names); meant != "" {
			err = fmt.Errorf("%w; did you mean --%s?", err, meant)
		}
	case errors.As(err, &invalid):
		flag, reason := invalid.GetFlag(), invalid.Unwrap().Error()
		if _, ours := flag.Value.(*checked); !ours && kinds[flag.Value.Type()] != "" {
			reason = "is not " + kinds[flag.Value.Type()]
		}
		err = fmt.Errorf("--%s %q %s", flag.Name, invalid.GetValue(), reason)
	}
	return usage(cmd, err)
}

// inputFlags are flags by which other commands and programs take what they read.
var inputFlags = []string{"data", "file", "files", "in", "input", "inputs"}

// stdinUse is the annotation of a command that reads the standard input.
const stdinUse = "stdin"

// inputOf returns how a command takes what it reads, if not by a flag: the rest of its usage with an argument, or with
// a file for the standard input; "" if it takes nothing so.
func inputOf(cmd *cobra.Command) string {
	_, rest, _ := strings.Cut(cmd.Use, " ")
	words := strings.Fields(rest)
	takesArgument := len(words) > 0 && (len(words) == 1 || !strings.HasPrefix(words[len(words)-2], "--"))
	if takesArgument {
		return rest
	}
	if file := cmd.Annotations[stdinUse]; file != "" {
		return rest + " < " + file
	}
	return ""
}

// spelling returns how a command spells options: as its flags, "--lr 0.1", or with --set if it has that flag and no
// other one for the option. What is neither stays NAME=VALUE.
func spelling(cmd *cobra.Command) func(option string, value any) string {
	return func(option string, value any) string {
		flag := cmp.Or(flagOf[option], strings.ReplaceAll(option, "_", "-"))
		plain := option
		if value != nil {
			plain = fmt.Sprintf("%s=%v", option, value)
		}
		known := cmd.Flags().Lookup(flag)
		switch {
		case known != nil && (value == nil || known.NoOptDefVal == fmt.Sprint(value)):
			return "--" + flag
		case known != nil && known.NoOptDefVal != "": // the next word would be no part of it
			return fmt.Sprintf("--%s=%v", flag, value)
		case known != nil:
			return fmt.Sprintf("--%s %v", flag, value)
		case cmd.Flags().Lookup("set") != nil && slices.Contains(training.Names(), option):
			return "--set " + plain
		}
		return plain
	}
}

// withFlags returns a message about err with the flags of a command in place of the options that err names.
func withFlags(cmd *cobra.Command, message string, err error) string {
	for _, wrong := range params.Errors(err) {
		message = strings.Replace(message, wrong.Error(), wrong.Spell(spelling(cmd)), 1)
	}
	return message
}

//go:embed help.txt
var helpText string

// command returns the command that help.txt has under "# path". It takes one argument, as described, or none for "".
func command(path, argument string) *cobra.Command {
	_, section, _ := strings.Cut("\n"+helpText, "\n# "+path)
	section, _, _ = strings.Cut(section, "\n\n# ")
	heading, section, _ := strings.Cut(section, "\n")
	about, examples, _ := strings.Cut(strings.TrimSpace(section), "\n\nExamples:\n")
	short, long, _ := strings.Cut(about, "\n\n")
	name := path[strings.LastIndex(path, " ")+1:]
	return &cobra.Command{Use: name + heading, Short: short, Long: long, Example: examples,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case argument != "" && len(args) == 0:
				return usage(cmd, fmt.Errorf("%s is needed", argument))
			case argument != "" && len(args) > 1:
				return usage(cmd, fmt.Errorf("one %s is needed, there are %d: %s", argument, len(args), commandLine(args...)))
			case argument != "" || len(args) == 0:
				return nil
			case cmd.HasAvailableSubCommands():
				return usage(cmd, fmt.Errorf("there is no command %q%s", args[0], meantCommand(cmd, args[0])))
			}
			return usage(cmd, fmt.Errorf("%s takes flags only, not %q", cmd.CommandPath(), args[0]))
		}}
}

// meantCommand returns the end of an error about an unknown command, which asks for the nearest one. Commands of the
// group come first.
func meantCommand(group *cobra.Command, asked string) string {
	var names []string
	paths := map[string]string{}
	for _, in := range append([]*cobra.Command{group, group.Root()}, group.Root().Commands()...) {
		for _, cmd := range in.Commands() {
			if slices.Contains(cmd.SuggestFor, asked) { // it has taken the place of a command of that name
				return "; it is part of " + cmd.CommandPath()
			}
			if !cmd.Hidden && paths[cmd.Name()] == "" {
				paths[cmd.Name()], names = cmd.CommandPath(), append(names, cmd.Name())
			}
		}
	}
	if meant := suggest.Nearest(asked, names); meant != "" {
		return fmt.Sprintf("; did you mean %s?", paths[meant])
	}
	return ""
}

// group returns a command that only holds others. Without a sub-command it prints its help.
func group(path string, commands ...*cobra.Command) *cobra.Command {
	cmd := command(path, "")
	cmd.DisableFlagsInUseLine = true
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(commands...)
	return cmd
}

// self returns how the user called this program: by its name or path, or through `go run`.
func self() string {
	if path, err := os.Executable(); err == nil && strings.Contains(filepath.ToSlash(path), "/go-build") {
		return "go run ./cmd/ccp"
	}
	return commandLine(os.Args[0])
}

// plain matches a word that needs no quotes in a shell.
var plain = regexp.MustCompile(`^[\w+=./,:@%-]+$`)

// commandLine quotes and joins words for a shell. Windows's shells know double quotes, and backslashes in paths.
func commandLine(words ...string) string {
	quoted := slices.Clone(words)
	for i, word := range words {
		switch {
		case plain.MatchString(filepath.ToSlash(word)):
		case runtime.GOOS == "windows":
			quoted[i] = `"` + strings.ReplaceAll(word, `"`, `\"`) + `"`
		default:
			quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// pageWidth is the most characters of a line of text that is printed for a person.
const pageWidth = 98

// atLeastOne lets a command take arguments, and says what is missing if there are none.
func atLeastOne(missing string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage(cmd, fmt.Errorf("%s", missing))
		}
		return nil
	}
}
