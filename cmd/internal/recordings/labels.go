package recordings

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// readLabels reads a CSV of samples and their classes, with the columns sample and label.
func readLabels(path string) (map[string]string, error) {
	labels, first := map[string]string{}, map[string]int{}
	var sample, label int
	headed := false
	err := readTable(path, func(line int, cells []string) error {
		if !headed {
			find := func(name string) int {
				return slices.IndexFunc(cells, func(h string) bool { return strings.EqualFold(h, name) })
			}
			if sample, label = find("sample"), find("label"); sample < 0 || label < 0 {
				return fmt.Errorf("the columns are %s; want one headed sample and one headed label", strings.Join(cells, ", "))
			}
			headed = true
			return nil
		}
		if len(cells) <= max(sample, label) || cells[label] == "" {
			return fmt.Errorf("no label of sample %q; each needs one", cells[min(sample, len(cells)-1)])
		}
		name := strings.Clone(cells[sample])
		if was, ok := labels[name]; ok && was != cells[label] {
			return fmt.Errorf("sample %q is %q here and %q in line %d; keep one of them", name, cells[label], was, first[name])
		}
		labels[name], first[name] = strings.Clone(cells[label]), line
		return nil
	})
	if err == nil && len(labels) == 0 {
		err = fmt.Errorf("%s holds no label; want a column headed sample and one headed label", path)
	}
	return labels, err
}

// layouts are those of times that are no numbers.
var layouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02"}

// parseTime reads a time: a number of whatever unit, or a date, which becomes seconds.
func parseTime(text string) (float64, error) {
	if value, err := strconv.ParseFloat(text, 64); err == nil && value-value == 0 && math.Abs(value) < math.MaxFloat32 {
		return value, nil
	}
	for _, layout := range layouts {
		if when, err := time.Parse(layout, text); err == nil {
			return float64(when.Unix()) + float64(when.Nanosecond())/1e9, nil
		}
	}
	return 0, fmt.Errorf("%.30q is not a time; want a number, or a date such as 2024-05-31 or 2024-05-31T12:00:00.5Z", text)
}
