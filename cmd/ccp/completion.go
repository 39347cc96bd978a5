package main

import (
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/study"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/gomlx/support/xslices"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagWords lists the values of flags by the flags' names. A flag of choiceVar lists its own.
var flagWords = map[string]func() []string{
	"data":      dataNames,
	"model":     models.Names,
	"models":    models.Names,
	"recipe":    func() []string { return training.RecipeNames("ccp", dataNames()...) },
	"hierarchy": ccp.Plans,
	"dtype":     func() []string { return []string{"float32", "bfloat16", training.Auto} },
	"backend":   func() []string { return []string{"go", "xla:cpu", "xla:cuda"} },
	"set": func() []string {
		return xslices.Map(training.Names(), func(name string) string { return name + "=" })
	},
}

// argumentWords lists the arguments of commands by the commands' paths.
var argumentWords = map[string]func() []string{"ccp data get": dataNames, "ccp data check": dataNames,
	"ccp train":     flagWords["set"],
	"ccp reproduce": func() []string { return study.TableNames("") }}

// dataNames lists the data sets that have a name.
func dataNames() (names []string) {
	for _, source := range datasets.Names() {
		if !datasets.IsFile(source.Name) {
			names = append(names, source.Name)
		}
	}
	return names
}

// complete tells the shell the words of a command's flags and arguments, and of the commands in it. Where no word
// begins as typed, the shell completes file names.
func complete(cmd *cobra.Command, line []string) {
	offer := func(words func() []string) cobra.CompletionFunc {
		return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			at := strings.LastIndexByte(typed, ',') + 1 // of "a,b" the last is completed
			listed, last := typed[:at], typed[at:]
			var fit []string
			for _, word := range words() {
				if strings.HasPrefix(word, last) {
					fit = append(fit, listed+word)
				}
			}
			if slices.ContainsFunc(fit, func(word string) bool { return strings.HasSuffix(word, "=") }) {
				return fit, cobra.ShellCompDirectiveNoSpace
			}
			return fit, cobra.ShellCompDirectiveDefault
		}
	}
	flag := func(f *pflag.Flag) {
		if len(line) > 0 && strings.HasPrefix(line[0], cobra.ShellCompRequestCmd) { // a shell shows the usage as it is
			f.Usage = strings.ReplaceAll(f.Usage, "`", "")
		}
		words := flagWords[f.Name]
		if c, ok := f.Value.(*checked); ok && c.words != nil {
			words = func() []string { return c.words }
		}
		if words != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, offer(words)) // the flag is there, and has none yet
		}
	}
	cmd.LocalFlags().VisitAll(flag)
	if words := argumentWords[cmd.CommandPath()]; words != nil {
		cmd.ValidArgsFunction = offer(words)
	}
	for _, sub := range cmd.Commands() {
		complete(sub, line)
	}
}
