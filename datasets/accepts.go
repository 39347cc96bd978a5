package datasets

import (
	"fmt"
	"slices"
	"strings"
)

// textSources take Options.TFIDF and Options.Vectors.
var textSources = []string{"20news"}

// accepts refuses options that do not apply to a source, and protocols that it does not have: to pass over one silently
// would be to compute something else than was asked for. The name of an .npz file stands for all of them.
func (i Info) accepts(opts Options) error {
	ownFile := strings.HasSuffix(strings.ToLower(i.Name), npzExtension)
	isText := slices.Contains(textSources, i.Name)
	switch {
	case opts.KNN > 0 && !ownFile:
		return fmt.Errorf("%s: its graph is fixed; leave --knn out (it is for .npz files)", i.Name)
	case opts.TFIDF && !isText:
		return fmt.Errorf("%s: it has no words to weigh; leave --tfidf out (it is for %s)", i.Name, strings.Join(textSources, ", "))
	case opts.Vectors != "" && !isText:
		return fmt.Errorf("%s: it has no words; leave --vectors out (it is for %s)", i.Name, strings.Join(textSources, ", "))
	case opts.Protocol != "" && len(i.Protocols) == 0:
		return fmt.Errorf("%s: there is one protocol only; leave --protocol out%s", i.Name, sourcesWithProtocols())
	case opts.Protocol != "" && !slices.Contains(i.Protocols, opts.Protocol):
		return fmt.Errorf("%s: there is no protocol %q; there are %s", i.Name, opts.Protocol, strings.Join(i.Protocols, ", "))
	}
	return nil
}

// sourcesWithProtocols says which sources have several protocols.
func sourcesWithProtocols() string {
	var names []string
	for _, info := range Names() {
		if len(info.Protocols) > 0 {
			names = append(names, info.Name)
		}
	}
	if names == nil {
		return ""
	}
	return " (it is for " + strings.Join(names, ", ") + ")"
}
