package recordings

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// mark makes the samples whose names match a shell's pattern the test set.
func (s *set) mark(pattern string) error {
	if pattern == "" {
		return nil
	}
	tests := 0
	for i := range s.samples {
		match, err := path.Match(pattern, s.samples[i].name)
		if err != nil {
			return fmt.Errorf("--test %q: %w; it is a pattern of names such as 'ben_*'", pattern, err)
		}
		if s.samples[i].test = match; match {
			tests++
		}
	}
	if tests == 0 || tests == len(s.samples) {
		return fmt.Errorf("--test %q matches %d of the %d samples, which are named such as %q; want some, and some left to train on",
			pattern, tests, len(s.samples), s.samples[0].name)
	}
	s.split, s.by = true, fmt.Sprintf("--test %q", pattern)
	return nil
}

// group takes the group of each sample from its name, unless a column said it: what the first brackets of a regular expression hold.
func (s *set) group(pattern string) error {
	if pattern == "" || s.grouped {
		return nil
	}
	expression, err := regexp.Compile(pattern)
	switch {
	case err != nil:
		return fmt.Errorf("--group %q: %w; it is a regular expression such as '^([a-z]+)_'", pattern, err)
	case expression.NumSubexp() < 1:
		return fmt.Errorf("--group %q has no brackets around what is the group in a name such as %q: '^([a-z]+)_' takes the letters before the first _",
			pattern, s.samples[0].name)
	}
	for i := range s.samples {
		x := &s.samples[i]
		found := expression.FindStringSubmatch(x.name)
		if found == nil || found[1] == "" {
			return fmt.Errorf("%s: --group %q finds no group in %q; each sample must be of one", x.where, pattern, x.name)
		}
		x.group = found[1]
	}
	s.grouped = true
	return nil
}

// several refuses groups that part nothing.
func (s *set) several(pattern string) error {
	if all := s.groups(); len(all) == 1 {
		return fmt.Errorf("--group %q puts all %d samples into one group, %q; name what tells them apart, or leave it out", pattern, len(s.samples), all[0])
	}
	return nil
}

// groups lists the groups; none is an empty list.
func (s *set) groups() []string {
	all := []string{}
	if s.grouped {
		for _, x := range s.samples {
			all = append(all, x.group)
		}
		slices.SortFunc(all, strings.Compare)
	}
	return slices.Compact(all)
}

// few lists the first of some names.
func few(names []string) string {
	const most = 8
	if len(names) > most {
		return fmt.Sprintf("%s, … (%d in all)", strings.Join(names[:most], ", "), len(names))
	}
	return strings.Join(names, ", ")
}
