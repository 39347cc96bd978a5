package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/internal/removed"
	"github.com/clusterpool/ccp/models/training"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// misspelt returns a word with its second and third letter swapped, or without its last one if they are equal.
func misspelt(word string) string {
	if len(word) < 4 || word[1] == word[2] {
		return word + "x"
	}
	return word[:1] + word[2:3] + word[1:2] + word[3:]
}

// Every command and every flag of every command is suggested for a misspelling of it.
func TestSuggestions(t *testing.T) {
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		words := strings.Fields(cmd.CommandPath())[1:]
		if cmd.HasParent() {
			line := append(words[:len(words)-1:len(words)-1], misspelt(cmd.Name()))
			code, _, stderr := execute(t, line...)
			assert.Equal(t, 2, code, line)
			assert.Contains(t, stderr, "; did you mean "+cmd.CommandPath()+"?", line)
		}
		cmd.InheritedFlags() // adds them
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			line := append(words[:len(words):len(words)], "--"+misspelt(flag.Name))
			code, _, stderr := execute(t, line...)
			assert.Equal(t, 2, code, line)
			assert.Contains(t, stderr, "; did you mean --"+flag.Name+"?\n", line)
		})
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(newRoot(nil))
}

// Names of models, data sets, tables, splits and the like are suggested wherever a command takes one.
func TestNameSuggestions(t *testing.T) {
	dir := trained(t)
	for line, want := range map[string]string{
		"imprt":              `there is no command "imprt"; did you mean ccp data import?`,
		"data vesion":        `there is no command "vesion"; did you mean ccp version?`,
		"predct --flag":      `there is no command "predct"; did you mean ccp predict?`,
		"data chek --json=x": `there is no command "chek"; did you mean ccp data check?`,
		"train -epochs 3":    "unknown flag: --epochs; did you mean --epochs?",
		"predict --checkpoint DIR --data x.csv": "unknown flag: --data; what to read comes without a flag: " +
			"ccp predict --checkpoint ",
		"data check --file x.npz":             "without a flag: ccp data check NAME|FILE.npz\n",
		"data import --input x.csv":           "without a flag: ccp data import INPUT…\n",
		"watch --checkpoint DIR --data x.csv": "without a flag: ccp watch --checkpoint ",
		"serve --checkpoint DIR --data x.csv": "unknown flag: --data\n",
		"train epoch=3":                       `--set: there is no option "epoch"; did you mean epochs? docs/options.md lists all` + "\n",
		"train --set ablate=true":             `--set: "ablate" is no option but a flag: --ablate` + "\n",
		"train foo=3":                         `--set: there is no option "foo"; docs/options.md lists all` + "\n",
		"eval --checkpoint DIRx":              "; did you mean DIR?\n",
		"train --model chebishev":             `--model: there is no "chebishev"; did you mean chebyshev? There are bayes, c-cnn,`,
		"train --backend go --data digts":     `data set "digts" is not known; did you mean digits? There are digits, `,
		"train --dtype bfloat32":              "; did you mean float32?",
		"compare --models ccp,chebishev":      `--models: there is no model "chebishev"; did you mean chebyshev? There are bayes, c-cnn,`,
		"compare --data digits,lettres":       `--data: data set "lettres" is not known; did you mean letters? There are digits, `,
		"compare --data nosuch":               `--data: data set "nosuch" is not known; there are digits, `,
		"compare --data nosuch.npz":           "--data: nosuch.npz: there is no such file or folder",
		"data import testdta":                 "ccp: testdta: there is no such file or folder; did you mean testdata?\n",
		"data import ../ccp/testdta": "ccp: ../ccp/testdta: there is no such file or folder; did you mean " +
			"../ccp/testdata?\n",
		"predict --checkpoint DIR trian.npy":    "ccp: trian.npy: there is no such file or folder",
		"reproduce los":                         `there is no table "los"; did you mean loss? There are cross-subject,`,
		"reproduce loss --data lettres":         `--data: data set "lettres" is not known; did you mean letters? There are digits,`,
		"data get lettres":                      `data set "lettres" is not known; did you mean letters?`,
		"data check digit":                      `data set "digit" is not known; did you mean digits?`,
		"eval --checkpoint DIR --split tset":    `--split "tset" is none of train, validation, test, all; did you mean test?`,
		"eval --checkpoint DIR --data digit":    `data set "digit" is not known; did you mean digits?`,
		"serve --checkpoint x --log-level wran": "; did you mean warn?",
	} {
		t.Run(line, func(t *testing.T) {
			code, _, stderr := execute(t, strings.Fields(strings.ReplaceAll(line, "DIR", dir)+" --backend go")...)
			require.NotZero(t, code)
			assert.Contains(t, stderr, strings.ReplaceAll(want, "DIR", dir))
		})
	}
}

// A flag or an option that is gone is one error, which says what to do instead, for all that are.
func TestRemovedNames(t *testing.T) {
	root := newRoot(nil)
	for _, name := range removed.Names() {
		command, flag, isFlag := strings.Cut(name, " --")
		line := []string{"train", "--set", name + "=1"}
		if isFlag {
			line = append(strings.Fields(command), "--"+flag, "1")
			cmd, _, err := root.Find(strings.Fields(command))
			require.NoError(t, err)
			assert.Nil(t, cmd.Flags().Lookup(flag), "it is there")
		} else {
			assert.NotContains(t, training.Names(), name)
		}
		code, stdout, stderr := execute(t, line...)
		assert.Equal(t, 2, code, name)
		assert.Empty(t, stdout)
		messagetest.Names(t, stderr, "any more", name)
		assert.Contains(t, stderr, cmp.Or(flag, name))
		assert.Contains(t, stderr, removed.Instead(name))
	}
}

// A library names options, the program its flags. What only looks like an option stays as it is.
func TestWithFlags(t *testing.T) {
	train, _, err := newRoot(nil).Find([]string{"train"})
	require.NoError(t, err)
	knn := params.Named("knn")
	for want, err := range map[string]error{
		"--lr x: it must be positive":       params.Errorf("learning_rate", "x", "it must be positive"),
		"--set label_smoothing=2: too much": params.Errorf("label_smoothing", 2, "too much"),
		"--set ccp_dropout: no":             params.Errorf("ccp_dropout", nil, "no"),
		"--early=mean: no; give --early":    params.Errorf("early", "mean", "no; give %v", params.With("early", "loss")),
		"--fc: 3":                           params.Errorf("hidden", nil, "3"),
		"digits: --knn 8: its graph is fixed": fmt.Errorf("digits: %w",
			params.Errorf("knn", 8, "its graph is fixed")),
		"no graph; store edges, or give --knn": params.Sentencef("knn", "no graph; store edges, or give %v", knn),
		"--set ccp_hierarchies=2: use --set ccp_hierarchies=1": params.Errorf("ccp_hierarchies", 2, "use %v",
			params.With("ccp_hierarchies", 1)),
		"--epochs 0: a\n--batch 0: b":        errors.Join(params.Errorf("epochs", 0, "a"), params.Errorf("batch", 0, "b")),
		"tfidf2=1: no such option":           params.Errorf("tfidf2", 1, "no such option"),
		"learning_rate=x: a file's":          errors.New("learning_rate=x: a file's"),
		"transforms: array \"w\" is damaged": errors.New("transforms: array \"w\" is damaged"),
		"mine: leave knn out":                errors.New("mine: leave knn out"),
	} {
		assert.Equal(t, want, withFlags(train, err.Error(), err))
	}
}
