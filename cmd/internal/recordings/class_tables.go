package recordings

// This file reads the classes of samples from a table of their own, which --labels names.

import (
	"fmt"
	"strings"
)

// readLabels reads a CSV of samples and their classes, with the columns sample and label.
func (j *job) readLabels(path string) (given map[string]string, err error) {
	first := map[string]int{}
	name, label := -1, -1 // columns
	given = map[string]string{}
	err = readText(j, path, func(_ *input, line int, cells []string) error {
		if name < 0 {
			name, label = column(cells, "sample"), column(cells, "label")
			if name < 0 || label < 0 {
				return fmt.Errorf("the columns are %s; want one headed sample and one headed label", strings.Join(cells, ", "))
			}
			return nil
		}
		if len(cells) <= max(name, label) || cells[label] == "" {
			return fmt.Errorf("no label of sample %q; each needs one", cells[min(name, len(cells)-1)])
		}
		sample := strings.Clone(cells[name])
		if was, ok := given[sample]; ok && was != cells[label] {
			return fmt.Errorf("sample %q is %q here and %q in line %d; keep one of them", sample, cells[label], was,
				first[sample])
		}
		given[sample], first[sample] = strings.Clone(cells[label]), line
		return nil
	})
	if err == nil && len(given) == 0 {
		err = fmt.Errorf("%s holds no label; want a column headed sample and one headed label", path)
	}
	return given, err
}
