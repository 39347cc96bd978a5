package recording

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAxisNamesNodes(t *testing.T) {
	a := Axis{Begin: 4000, End: 3980, After: " cm-1"}
	assert.Equal(t, []string{"value at 4000 cm-1", "value at 3990 cm-1", "value at 3980 cm-1"}, a.Names("value", 3))
	a = Axis{Begin: 1, End: 1.5, Before: "f_"}
	assert.Equal(t, []string{"v at f_1.0", "v at f_1.5"}, a.Names("v", 2))
}
