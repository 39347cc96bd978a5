package recordings

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// bodies writes recordings of two joints, whose columns have an order of their own. The value tells the joint, the axis
// and the row.
func bodies(t *testing.T, columns ...string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	value := map[string]float64{"hip.x": 10, "hip.y": 20, "hip.z": 30, "head.x": 40, "head.y": 50, "head.z": 60}
	for i := range 6 {
		text := ""
		for k, column := range columns {
			if k > 0 {
				text += ","
			}
			text += column
		}
		for row := range 12 {
			text += "\n"
			for k, column := range columns {
				if k > 0 {
					text += ","
				}
				text += fmt.Sprint(value[column] + float64(i) + float64(row*row%7)/10)
			}
		}
		put(t, folder, fmt.Sprintf("%c/%d.csv", 'u'+i%2, i), text+"\n")
	}
	return folder
}

// Axes have the order of their names, whatever order the columns have, so that the first channel is x: in the import
// and in new files.
func TestAxesAreOrderedByTheirNames(t *testing.T) {
	orders := [][]string{
		{"hip.x", "hip.y", "hip.z", "head.x", "head.y", "head.z"},
		{"hip.y", "hip.x", "hip.z", "head.y", "head.x", "head.z"},
		{"hip.z", "hip.y", "hip.x", "head.z", "head.y", "head.x"},
		{"hip.z", "head.z", "hip.y", "head.y", "hip.x", "head.x"},
	}
	_, want := imported(t, Options{}, bodies(t, orders[0]...))
	assert.Equal(t, []string{"x", "y", "z"}, want.Form.Axes())
	for _, order := range orders {
		folder := bodies(t, order...)
		made, d := imported(t, Options{}, folder)
		assert.Equal(t, []string{"hip", "head"}, made.Sensors, "%v", order)
		assert.Equal(t, want.Series, d.Series, "%v", order)
		assert.Equal(t, want.Form.Axes(), d.Form.Axes())
		for _, other := range orders { // a new file may have another order
			alike(t, Options{}, d, bodies(t, other...))
		}
		require.NoError(t, want.Form.Fits(d.Form))
	}
	numbered := []string{"m.10", "m.9", "m.2"}
	at := []int{0, 1, 2}
	sortColumns(at, columns{numbered, []string{"m", "m", "m"}}, true)
	assert.Equal(t, []int{2, 1, 0}, at, "numbers are compared as numbers")
}

// An order that a person gives is kept, and the names of the axes tell of it.
func TestAxesInAGivenOrder(t *testing.T) {
	take := Options{Table: Table{Take: []string{"hip.z", "hip.x", "head.z", "head.x"}}}
	_, d := imported(t, take, bodies(t, "hip.x", "hip.y", "hip.z", "head.x", "head.y", "head.z"))
	assert.Equal(t, []string{"z", "x"}, d.Form.Axes())
	assert.InDelta(t, 30, d.Series[0][0], 1)
	_, other := imported(t, Options{Table: Table{Take: []string{"hip.x", "hip.z", "head.x", "head.z"}}},
		bodies(t, "hip.x", "hip.y", "hip.z", "head.x", "head.y", "head.z"))
	messagetest.Names(t, d.Form.Fits(other.Form), "channels x, z … z, x")
}

// Columns whose axes are not after a point are sensors, which new files may have in any order.
func TestColumnsWithoutAxesInAnotherOrder(t *testing.T) {
	folder, other := t.TempDir(), t.TempDir()
	for i := range 4 {
		name := fmt.Sprintf("%c/%d.csv", 'u'+i%2, i)
		put(t, folder, name, "hip_y,hip_x\n"+many(6, fmt.Sprintf("%d,1\n3,%d", i, i+4)))
		put(t, other, name, "hip_x,hip_y\n"+many(6, fmt.Sprintf("1,%d\n%d,3", i, i+4)))
	}
	made, d := imported(t, Options{}, folder)
	assert.Equal(t, []string{"hip_y", "hip_x"}, made.Sensors)
	alike(t, Options{}, d, other)
}
