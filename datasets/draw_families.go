package datasets

import (
	"cmp"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/params"
)

// drawFamilies draws whole families, as an audit of all samples finds them.
func (r *Raw) drawFamilies(o Options) error {
	if r.Groups != nil {
		return params.Errorf("split", "families", "the samples have groups, which every draw keeps whole; leave it out")
	}
	named := *r
	named.Name = cmp.Or(r.Name, "data")
	d, err := Make(&named, *r.Split)
	if err != nil {
		return err
	}
	d.Train = loop.Indices(len(r.Labels)) // all samples are asked
	found, err := Audit(d)
	if err != nil {
		return err
	}
	names := found.Families(d)
	if names == nil && (r.families == nil || r.families.of == nil) {
		return params.Errorf("split", "families", "no samples are seen to belong together; leave it out")
	}
	if names != nil {
		r.families = r.families.with(names)
	}
	r.Split = nil // which was drawn without them
	return r.choose(o)
}
