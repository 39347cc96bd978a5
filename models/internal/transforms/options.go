package transforms

import (
	"cmp"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models/internal/transforms/features"
)

const (
	// All is the value of the option transforms that uses every transform that suits the samples. It also names the part
	// of all transforms together.
	All = "all"
	// None is the value of the option transforms that uses none.
	None = "none"
	// Forest is the name of the forest, which the option can ask for beside the transforms.
	Forest = "forest"
)

// renamed are names of transforms that became parts of others, by which checkpoints of before were asked for.
var renamed = map[string]string{"lags": "links"}

// names lists what the option can name: the transforms, and the forest. A transform's name stands for that of
// stretched recordings as well.
func names() []string { return append(features.Options(), Forest) }

// Parse reads the option: All, None, or names. It returns the names; nil means the transforms that suit the samples.
func Parse(option string) (some []string, err error) {
	if option == All || option == None {
		return nil, nil
	}
	for name := range strings.SplitSeq(option, ",") {
		name = cmp.Or(renamed[name], name)
		if !slices.Contains(names(), name) {
			return nil, params.Errorf("transforms", nil, "there is no %q; %s; join several by commas", name,
				suggest.Among(name, append([]string{All, None}, names()...)))
		}
		some = append(some, name)
	}
	return some, nil
}
