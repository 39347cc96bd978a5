package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What a shell is told to offer for the last word of a line.
func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"train --model ch":           "chebyshev\n:0\n",
		"train --data di":            "digits\n:0\n",
		"train --data mine":          ":0\n", // the shell completes files
		"train --recipe pa":          "paper\n:0\n",
		"train --set ccp_drop":       "ccp_dropout=\n:2\n", // no blank follows
		"train --set label":          "label_smoothing=\n:2\n",
		"compare --models gcn,cheby": "gcn,chebyshev\n:0\n",
		"eval --split t":             "train\ntest\n:0\n", // the words of a choice
		"data get lett":              "letters\n:0\n",
		"reproduce los":              "loss\n:0\n",
	} {
		stdout := succeed(t, append([]string{"__complete"}, strings.Fields(line)...)...)
		assert.Equal(t, want, stdout, line)
	}
	assert.Contains(t, succeed(t, "completion", "bash"), "__start_ccp")
	for command, want := range map[string]string{"": "--backend\tbackend by its NAME", "train": "--seed\tSEED of",
		"eval": "--checkpoint\tDIR that"} {
		offered := succeed(t, append([]string{"__complete"}, append(strings.Fields(command), "--")...)...)
		assert.Contains(t, offered, want, command)
		assert.NotContains(t, offered, "`", command)
	}
}

func TestVersionFlag(t *testing.T) {
	assert.Regexp(t, `^ccp \S+\n$`, succeed(t, "--version"))
}
