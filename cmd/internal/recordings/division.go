package recordings

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/gomlx/gomlx/support/xslices"
)

// training counts the samples that are not marked as tests.
func (m *making) training() (count int) {
	for _, x := range m.samples {
		if x.test == "" {
			count++
		}
	}
	return count
}

// markTests makes the samples whose names match --test, a shell pattern, the test set.
func (m *making) markTests() error {
	if m.Test == "" {
		return nil
	}
	m.made.SplitBy = fmt.Sprintf("--test %q", m.Test)
	for _, x := range m.samples {
		matched, err := path.Match(m.Test, x.Name)
		if err != nil {
			return fmt.Errorf("--test %q: %w; it is a pattern of names such as 'ben_*'", m.Test, err)
		}
		x.test = ""
		if matched {
			x.test = m.made.SplitBy
		}
	}
	left := m.training()
	if left == 0 || left == len(m.samples) {
		return fmt.Errorf("--test %q matches %d of the %d samples, which are named such as %q; "+
			"want some, and some left to train on", m.Test, len(m.samples)-left, len(m.samples), m.samples[0].Name)
	}
	return nil
}

// takeGroups takes the group of each sample from its name, unless a column holds the groups: what the first brackets of
// --group, a regular expression, match.
func (m *making) takeGroups() error {
	expression, err := regexp.Compile(m.Group)
	switch {
	case m.Group == "":
		return nil
	case !strings.Contains(m.Group, "(") && m.chosen.layout != "": // a column
		m.grouped = true
	case err != nil:
		return fmt.Errorf("--group %q: %w; it is a regular expression such as '^([a-z]+)_'", m.Group, err)
	case expression.NumSubexp() < 1:
		return fmt.Errorf("--group %q has no brackets around what is the group in a name such as %q: "+
			"'^([a-z]+)_' takes the letters before the first _", m.Group, m.samples[0].Name)
	default:
		for _, x := range m.samples {
			found := expression.FindStringSubmatch(x.Name)
			if found == nil || found[1] == "" {
				return fmt.Errorf("%s: --group %q finds no group in %q; each sample must be of one", x.where, m.Group, x.Name)
			}
			x.group = found[1]
		}
		m.grouped = true
	}
	all := m.groups()
	if len(all) == 1 {
		m.note("all %d samples are of one group, %q: ccp eval --data tests on them, but no training can hold a group out",
			len(m.samples), all[0])
	}
	return nil
}

// groups lists the groups in the order of their names and of the numbers in these; without groups the list is empty,
// not nil.
func (m *making) groups() []string {
	all := map[string]bool{}
	for _, x := range m.samples {
		if m.grouped {
			all[x.group] = true
		}
	}
	names := append([]string{}, slices.Sorted(maps.Keys(all))...)
	slices.SortStableFunc(names, compareNumbered)
	return names
}

// classMarks are classes that are hardly meant as such, in small letters.
var classMarks = []string{"?", "na", "n/a", "nan", "#n/a", "null", `\n`, "<na>"}

// numberClasses numbers the classes from 0, in the order that the data declares or sorted. It leaves out declared
// classes without a sample.
func (m *making) numberClasses() error {
	count, number := map[string]int{}, map[string]int32{}
	for _, x := range m.samples {
		count[x.label]++
	}
	if m.classes == nil {
		m.classes = slices.Sorted(maps.Keys(count))
	}
	for i, class := range m.classes {
		m.classes[i] = suggest.Truth(class)
	}
	names := slices.DeleteFunc(slices.Clone(m.classes), func(class string) bool { return count[class] == 0 })
	for i, class := range names {
		number[class] = int32(i)
		m.made.Classes = append(m.made.Classes, Class{class, count[class]})
	}
	err := refuseManyClasses(m.made.Classes, len(m.samples))
	if err != nil {
		return err
	}
	m.noteOddClasses(names, count)
	if len(names) < len(m.classes) {
		without := slices.DeleteFunc(slices.Clone(m.classes), func(class string) bool { return count[class] > 0 })
		m.note("no sample is of class %s, which the data declares; left out", strings.Join(without, ", "))
	}
	keep(m, "labels", xslices.Map(m.samples, func(x *sample) int32 { return number[x.label] }))
	keep(m, "class_names", names)
	return nil
}

// noteOddClasses tells of classes whose names say that they may be none, or another one; of groups as well; and of
// there being one class only. count has the samples of each class.
func (m *making) noteOddClasses(names []string, count map[string]int) {
	m.noteSeveralAtOnce(names)
	for _, class := range names {
		if len(class) > 2 && class[0] == '\'' && class[len(class)-1] == '\'' {
			m.noteOf("apostrophes", fmt.Sprintf("class %s has its apostrophes, which Weka's CSVSaver writes for quotation "+
				"marks: import its .arff file, or remove them", class))
		}
		_, surely := sumsUp(class)
		if surely {
			m.note("class %q, of %s, may be of lines that sum up others: remove these", class,
				text.Count(count[class], "sample"))
		}
		if slices.Contains(classMarks, strings.ToLower(class)) {
			m.note("class %q, of %s, is a mark of missing values, too: remove samples that have no class", class,
				text.Count(count[class], "sample"))
		}
	}
	if len(names) == 1 {
		m.note("all %d samples are of one class, %q: ccp eval --data tests on them, but a training needs at least two",
			len(m.samples), names[0])
	}
	for _, note := range append(suggest.Alike("class", names), suggest.Alike("group", m.groups())...) {
		m.note("%s", note)
	}
}
