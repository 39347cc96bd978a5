package training

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/models"
)

// Levels are the levels of a network. Their text is that of the paper's table, clusters x filters / L, separated by commas:
// "256x256/16,64x384/16,1x1024/4". What a level has for itself follows it: "256x256/16:candidates=4:batchnorm_epsilon=10".
type Levels []models.Level

// String returns what UnmarshalText reads.
func (l Levels) String() string {
	parts := make([]string, len(l))
	for i, l := range l {
		parts[i] = fmt.Sprintf("%dx%d/%d", l.Clusters, l.Filters, l.Neighbours)
		if l.Candidates > 0 {
			parts[i] += fmt.Sprintf(":candidates=%d", l.Candidates)
		}
		if l.BatchNormEpsilon > 0 {
			parts[i] += fmt.Sprintf(":batchnorm_epsilon=%g", l.BatchNormEpsilon)
		}
	}
	return strings.Join(parts, ",")
}

// MarshalText writes what UnmarshalText reads.
func (l Levels) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads levels. The error names the level and what is wrong with it.
func (l *Levels) UnmarshalText(text []byte) error {
	*l = nil
	if len(text) == 0 { // a model without levels
		return nil
	}
	var levels Levels
	for i, part := range strings.Split(string(text), ",") {
		part, own, _ := strings.Cut(strings.TrimSpace(part), ":")
		clusters, rest, ok1 := strings.Cut(part, "x")
		filters, size, ok2 := strings.Cut(rest, "/")
		if !ok1 || !ok2 {
			return fmt.Errorf("level %d: %q is not CLUSTERSxFILTERS/L, such as 64x384/16", i+1, part)
		}
		var numbers [3]int
		for j, field := range []struct{ name, text string }{{"clusters", clusters}, {"filters", filters}, {"L", size}} {
			n, err := strconv.Atoi(field.text)
			if err != nil || n < 1 || n > 1<<24 {
				return fmt.Errorf("level %d: %s is %q in %q; it must be a whole number from 1 to %d", i+1,
					field.name, field.text, part, 1<<24)
			}
			numbers[j] = n
		}
		level := models.Level{Clusters: numbers[0], Filters: numbers[1], Neighbours: numbers[2]}
		for _, pair := range strings.FieldsFunc(own, func(r rune) bool { return r == ':' }) {
			name, text, _ := strings.Cut(pair, "=")
			value, err := strconv.ParseFloat(text, 64)
			switch {
			case name == "candidates" && err == nil && value >= 1 && value < 1<<24:
				level.Candidates = int(value)
			case name == "batchnorm_epsilon" && err == nil && value > 0 && value <= math.MaxFloat32:
				level.BatchNormEpsilon = value
			default:
				return fmt.Errorf("level %d: %q is neither candidates=COUNT nor batchnorm_epsilon=NUMBER", i+1, pair)
			}
		}
		levels = append(levels, level)
	}
	*l = levels
	return nil
}

// Widths are the widths of hidden layers: "512,128", or "none" (or 0) for none.
type Widths []int

// MarshalText writes what UnmarshalText reads.
func (w Widths) MarshalText() ([]byte, error) {
	if len(w) == 0 {
		return []byte("none"), nil
	}
	return []byte(strings.Trim(strings.ReplaceAll(fmt.Sprint([]int(w)), " ", ","), "[]")), nil
}

// UnmarshalText reads widths. The error names the layer.
func (w *Widths) UnmarshalText(text []byte) error {
	*w = Widths{}
	if none := strings.Trim(string(text), "[] "); none == "none" || none == "0" {
		return nil
	}
	for _, part := range strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune("[], ", r) }) {
		width, err := strconv.Atoi(part)
		if err != nil || width < 1 {
			return fmt.Errorf("hidden layer %d: its width is %q; it must be a whole number from 1", len(*w)+1, part)
		}
		*w = append(*w, width)
	}
	return nil
}
