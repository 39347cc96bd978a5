package recording

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Names that share a text are those that they would be alone.
func TestNamesInOneText(t *testing.T) {
	assert.Equal(t, []string{"sensor 9", "sensor 10"}, Numbered(9, 11))
	assert.Equal(t, []string{"a@0", "höhe@0", "a@1", "höhe@1"}, NodeNames([]string{"a", "höhe"}, 2))
	assert.Empty(t, Numbered(3, 3))
	assert.Empty(t, NodeNames(nil, 2))
}

// A million names take a few pieces of memory and not one each.
func TestNamesTakeFewAllocations(t *testing.T) {
	sensors := Numbered(0, 1000)
	assert.Equal(t, "sensor "+strconv.Itoa(999), sensors[999])
	assert.Less(t, testing.AllocsPerRun(3, func() { NodeNames(sensors, 20) }), 20.0)
}
