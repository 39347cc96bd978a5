package suggest

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNearest(t *testing.T) {
	known := []string{"ccp", "chebyshev", "gcn", "gat", "fc", "svm", "data import"}
	for word, want := range map[string]string{
		"chebishev": "chebyshev", // changed
		"chebyshv":  "chebyshev", // missing
		"svmm":      "svm",       // added
		"csp":       "ccp",
		"gnc":       "gcn",       // swapped
		"Chebyshev": "chebyshev", // case
		"cheb":      "chebyshev", // the beginning
		"gct":       "gcn",       // the first of two
		"x":         "",          // too short to be near to anything
		"unet":      "",
		"":          "",
	} {
		assert.Equal(t, want, Nearest(word, known), word)
	}
	assert.Empty(t, Nearest("ccp", nil))
}

// Each name that was removed leads to the one that took its place, where there is one.
func TestRenamed(t *testing.T) {
	for line := range strings.Lines(renamed) {
		pair := strings.Fields(line)
		assert.Equal(t, pair[1], Nearest(pair[0], []string{pair[0][:3], "levels", pair[1]}), line)
		assert.NotEqual(t, pair[1], Nearest(pair[0], []string{"levels"}))
	}
}

func TestAmong(t *testing.T) {
	assert.Equal(t, "did you mean gcn? There are fc, gcn", Among("gcm", []string{"fc", "gcn"}))
	assert.Equal(t, "there are fc, gcn", Among("unet", []string{"fc", "gcn"}))
}

// A program without the baselines is told where they are.
func TestModel(t *testing.T) {
	assert.Equal(t, `there are ccp, transforms; for another, import the package that registers it, such as _ `+
		`"github.com/clusterpool/ccp/models/baselines"`, Model("gat", []string{"ccp", "transforms"}))
	assert.Equal(t, "did you mean gcn? There are ccp, gcn", Model("gcm", []string{"ccp", "gcn"}))
}

// A letter is a character, not a byte.
func TestNearestOfOtherAlphabets(t *testing.T) {
	assert.Equal(t, "größe", Nearest("grösse", []string{"grün", "größe"}))
	assert.Empty(t, Nearest("é", []string{"ü"}), "all of the word is another")
	assert.Equal(t, "关节点", Nearest("关节点点", []string{"时间", "关节点"}))
}

// A text of megabytes costs nothing and is not shown whole, be it asked for or known.
func TestLongTexts(t *testing.T) {
	long := strings.Repeat("é", 4<<20)
	known := []string{"hip", "head", long + "x"}
	allocated := func(f func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	assert.Less(t, allocated(func() {
		assert.Empty(t, Nearest(long, known))
		assert.Empty(t, Nearest("hip", []string{long}))
		assert.Equal(t, "there are "+strings.Repeat("é", 50)+"…, b", Among("hip", []string{long, "b"}))
	}), uint64(1<<20))
	assert.Equal(t, strings.Repeat("é", 50)+"…", Clip(long))
	assert.Equal(t, "x"+strings.Repeat("é", 49)+"…", Clip("x"+long), "no half character")
	assert.Equal(t, "short", Clip("short"))
}

// Names that look alike are told of; those that differ are not.
func TestAlike(t *testing.T) {
	assert.Equal(t, "caf\u00e9", Tidy(" cafe\u0301\t"))
	assert.Equal(t, []string{`class "1" and "1.0" may be one; write both alike`, `class "Rest" and "rest" may be one; write both alike`,
		`class "NaN" looks like a missing value; name it otherwise, or leave those samples out`},
		Alike("class", []string{"1", "1.0", "2", "Rest", "rest", "resting", "NaN"}))
	assert.Empty(t, Alike("group", nil))
}
