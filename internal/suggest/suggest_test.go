package suggest

import (
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

func TestAmong(t *testing.T) {
	assert.Equal(t, "did you mean gcn? There are fc, gcn", Among("gcm", []string{"fc", "gcn"}))
	assert.Equal(t, "there are fc, gcn", Among("unet", []string{"fc", "gcn"}))
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"ca", "abc", 3}} {
		assert.Equal(t, c.want, distance(c.a, c.b), "%s, %s", c.a, c.b)
		assert.Equal(t, c.want, distance(c.b, c.a), "%s, %s", c.b, c.a)
	}
}
