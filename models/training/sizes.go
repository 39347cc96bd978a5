package training

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
)

// mostSteps is the number of steps that a training may have. The training loop of GoMLX keeps a time for each.
const mostSteps = 100_000_000

// checkWeights returns an error if the weights of hidden layers and filters, with Adam's two averages of each, do not
// fit into so many bytes of memory: to allocate them would end the program without a word. Memory of 0 is unknown,
// and taken for a terabyte. The error names the option that asks for most of them.
func checkWeights(c Config, spec models.Spec, memory int64) error {
	if spec.Network().Fitted || c.Model == "transforms" {
		return nil
	}
	memory = cmp.Or(memory, 1<<40)
	const each = 3 * 4 // bytes: a float32, and two averages
	hidden, levels, width := 0.0, 0.0, float64(spec.Nodes*spec.Channels)
	var layers []models.Layer
	if spec.Network().Clusters {
		layers = spec.Layers()
	}
	for _, l := range layers {
		levels += each * l.Products / float64(l.Clusters) // clusters share their filters
		width = float64(l.Clusters * l.Filters)
	}
	for _, next := range append(slices.Clone(c.Hidden), spec.Classes()) {
		hidden += each * width * float64(next)
		width = float64(next)
	}
	if hidden+levels <= float64(memory) {
		return nil
	}
	option, value, lower := "levels", c.Levels.String(), "fewer filters or clusters"
	if hidden > levels && len(c.Hidden) > 0 && float64(slices.Max(c.Hidden)) > float64(spec.Classes()) {
		widths, _ := c.Hidden.MarshalText() // of plain numbers: cannot fail
		option, value, lower = "hidden", string(widths), "narrower layers"
	}
	return params.Errorf(option, value, "this asks for weights that take %s with their averages in training, and "+
		"there are %s of memory; ask for %s", text.Gigabytes(hidden+levels), text.Gigabytes(float64(memory)), lower)
}

// Levels are the levels of a network. Their text is that of the paper's table, clusters x filters / L, separated by
// commas: "256x256/16,64x384/16,1x1024/4". What a level has for itself follows it:
// "256x256/16:candidates=4:batchnorm_epsilon=10".
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

// fit reports whether each neighbourhood fits into the level below it, the first one into so many nodes.
func (l Levels) fit(nodes int) bool {
	for _, level := range l {
		if level.Neighbours > nodes {
			return false
		}
		nodes = level.Clusters
	}
	return true
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
	separates := func(r rune) bool { return strings.ContainsRune("[], ", r) }
	for _, part := range strings.FieldsFunc(string(text), separates) {
		width, err := strconv.Atoi(part)
		if err != nil || width < 1 {
			return fmt.Errorf("hidden layer %d: its width is %q; it must be a whole number from 1", len(*w)+1, part)
		}
		*w = append(*w, width)
	}
	return nil
}
