package datasets

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestClassesHave(t *testing.T) {
	assert.Equal(t, "class a has", classesHave([]string{"a"}))
	assert.Equal(t, "classes a, b have", classesHave([]string{"a", "b"}))
	assert.Equal(t, "classes a, b, c, d, e and 2 more have", classesHave(strings.Split("abcdefg", "")),
		"of thousands no one reads all")
}
