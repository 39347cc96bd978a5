package audit

// Report is all that an audit finds.
type Report struct {
	Shortcuts []Shortcut
	// Known is what the families cost that were known before.
	Known Harm
	// Families are the ways in which samples of one family stand together, each with what that costs.
	Families []Costly
	// Gap is evidence of families in any order. Its Size is 0 if there is none, or if Families has some.
	Gap Gap
}

// Costly is a dependence and what it costs.
type Costly struct {
	Dependence
	Harm Harm
	// Confounded says that each class stands in one stretch of the file, so that whatever changed along it tells the
	// classes, and that no part of the file can say how much.
	Confounded bool
}

// Of looks at samples with all tests that need nothing else.
//
// family numbers the families that are known, such as those of recordings that overlap; nil if none are. grouped says
// that whoever made the file has named all of them: then samples are not asked whether there are more.
func Of(s *Samples, family []int, grouped bool) (r Report) {
	r.Shortcuts = s.Shortcuts()
	if grouped || s.Len() < fewestOfAll {
		return r
	}
	views := s.views()
	if family != nil {
		r.Known = s.HarmOf(views, family)
		s = s.oneOfEach(family)
		if s.Len() < fewestOfAll {
			return r
		}
		views = s.views()
	}
	for _, d := range s.Dependences(views) {
		c := Costly{Dependence: d, Confounded: s.inStretches() && (d.Kind == Near || d.Kind == Drift)}
		if d.Kind != Drift {
			c.Harm = s.HarmOf(views, s.FamiliesBy(d))
		}
		r.Families = append(r.Families, c)
	}
	if r.Families == nil {
		r.Gap = s.Families(views)
		if family != nil && r.Gap.Size > 0 {
			r.Gap.Family = ofFirst(family, r.Gap.Family)
		}
	}
	return r
}

// ofFirst numbers for each sample the larger family of the first one of its own family. larger has a number for each of
// these, in their order.
func ofFirst(family, larger []int) []int {
	all, number := make([]int, len(family)), map[int]int{}
	for i, f := range family {
		if _, known := number[f]; !known {
			number[f] = larger[len(number)]
		}
		all[i] = number[f]
	}
	return all
}

// oneOfEach returns the first sample of each family, which says nothing of the others.
func (s *Samples) oneOfEach(family []int) *Samples {
	var chosen []int
	seen := map[int]bool{}
	for i, f := range family {
		if !seen[f] {
			chosen = append(chosen, i)
		}
		seen[f] = true
	}
	one := &Samples{Classes: s.Classes, Width: s.Width, Values: func(at int) []float32 { return s.Values(chosen[at]) }}
	for _, i := range chosen {
		one.Places = append(one.Places, s.place(i))
		one.Labels, one.Made = append(one.Labels, s.Labels[i]), append(one.Made, s.Made[i])
		if s.Names != nil {
			one.Names = append(one.Names, s.Names[i])
		}
	}
	return one
}
