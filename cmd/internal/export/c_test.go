package export

import (
	"debug/elf"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asks is a program that predicts each line of numbers.
const asks = `#include <stdio.h>
#include <stdlib.h>
#include "model.c"

int main(void)
{
	static char line[1 << 20];
	static float series[1 << 16];
	while (fgets(line, sizeof line, stdin)) {
		float probabilities[CCP_CLASSES] = {0};
		int n = 0;
		char *at = line, *end;
		for (;; at = end, n++) {
			series[n] = strtof(at, &end);
			if (end == at)
				break;
		}
		int best = ccp_predict(series, n / CCP_COLUMNS, probabilities);
		printf("%d %s", best, best < 0 ? "-" : ccp_class_names[best]);
		for (int k = 0; k < CCP_CLASSES; k++)
			printf(" %.9g", probabilities[k]);
		printf("\n");
	}
	return 0;
}
`

// inC returns what the C file of a classifier predicts of series: the class, its name and the probabilities.
func inC(t *testing.T, c *models.Classifier, series [][]float32) (lines []string) {
	t.Helper()
	return compiledBy(t, c, series, "cc", "-O2")
}

// compiledBy is inC by a compiler with flags.
func compiledBy(t *testing.T, c *models.Classifier, series [][]float32, compiler string,
	flags ...string) (lines []string) {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, Write(filepath.Join(folder, "model.c"), c))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "main.c"), []byte(asks), 0o644))
	program := filepath.Join(folder, "main")
	flags = append(flags, "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-o", program,
		filepath.Join(folder, "main.c"), "-lm")
	out, err := exec.CommandContext(t.Context(), compiler, flags...).CombinedOutput()
	require.NoError(t, err, string(out))
	ask := exec.CommandContext(t.Context(), program)
	var input strings.Builder
	for _, s := range series {
		input.WriteString(strings.Trim(fmt.Sprint(s), "[]") + "\n")
	}
	ask.Stdin = strings.NewReader(input.String())
	raw, err := ask.Output()
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(raw)), "\n")
}

// ofLengths trains a classifier of recordings of two lengths, some of the labels wrong.
func ofLengths(t *testing.T, columns, short, long int, config training.Patch) *models.Classifier {
	t.Helper()
	var series [][]float32
	var labels, sensors []string
	for i := range 45 {
		one := drawn(100+i, []int{short, long}[i%2], columns)
		if i%9 == 0 {
			one[0] = float32(math.NaN())
		}
		label := i
		if i%5 == 0 { // wrong, so that probabilities are not all next to zero and one
			label++
		}
		series, labels = append(series, one), append(labels, []string{`"a\`, "b??/", "grün"}[label%3])
	}
	for c := range columns {
		sensors = append(sensors, fmt.Sprint("sensor ", c))
	}
	raw, err := datasets.NewSeries("waves", series, sensors, labels)
	require.NoError(t, err)
	d, err := datasets.Make(raw, datasets.Split{Train: loop.Indices(42), Test: []int{42, 43, 44}})
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "run")
	config["model"] = "transforms"
	_, err = training.Train(t.Context(), backendtest.Go(t), config, training.Options{Dir: dir, Data: d})
	require.NoError(t, err)
	c, err := models.Load(dir, models.LoadOptions{Backend: backendtest.Go(t)})
	require.NoError(t, err)
	return c
}

// A C compiler's program says what Classify says.
func TestC(t *testing.T) {
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no C compiler")
	}
	for _, of := range []struct {
		columns, short, long int
		transforms           string
	}{
		{1, 58, 60, "minirocket,hydra,power"},
		{3, 58, 60, "minirocket,hydra,power"},
		{2, 40, 90, "minirocket,hydra,power"}, // stretched, too
		{3, 33, 33, "power"},
		{1, 33, 33, "hydra"},
	} {
		t.Run(fmt.Sprint(of), func(t *testing.T) {
			c := ofLengths(t, of.columns, of.short, of.long, training.Patch{"transforms": of.transforms})
			c.Calibration = &models.Calibration{Temperature: 1.3}
			var series [][]float32
			for i := range 20 {
				series = append(series, drawn(i, []int{of.short, of.long}[i/3%2], of.columns))
			}
			series = append(series, drawn(1, 5, of.columns), drawn(2, 1, of.columns))
			want := predicted(t, c, series)
			large := drawn(3, of.long, of.columns)
			for at := range large {
				large[at] *= 1e37
			}
			lines := inC(t, c, append(series, drawn(0, of.long+1, of.columns), large))
			require.Len(t, lines, len(series)+2)
			assert.Equal(t, "-1 - 0 0 0", lines[len(series)], "longer than any in training")
			_, err := c.ClassifySeries(t.Context(), [][]float32{large})
			if of.transforms == "hydra" { // the roots of its sums are numbers
				require.NoError(t, err)
			} else {
				messagetest.Names(t, err, "values … large")
				assert.Equal(t, "-1 - 0 0 0", lines[len(series)+1], "no probabilities")
			}
			worst := 0.0
			for i := range series {
				var best int
				var name string
				var p [3]float64
				_, err := fmt.Sscanln(lines[i], &best, &name, &p[0], &p[1], &p[2])
				require.NoError(t, err)
				require.Equal(t, c.ClassNames[best], name)
				for k, x := range p {
					worst = max(worst, math.Abs(x-want[3*i+k]))
					require.LessOrEqual(t, want[3*i+k], want[3*i+best], "series %d", i)
				}
			}
			assert.Less(t, worst, 1e-4)
			t.Log(c.PredictedBy(), worst, want[:12])
		})
	}
}

// What is not finite counts as the column's mean of the training.
func TestCOfGaps(t *testing.T) {
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no C compiler")
	}
	c := ofLengths(t, 2, 30, 30, training.Patch{"transforms": "power"})
	means := make([]float64, 2)
	for i := range 42 {
		for at, x := range drawn(100+i, 30, 2) {
			means[at%2] += float64(x) / (42 * 30)
		}
	}
	series, mean := drawn(1, 30, 2), drawn(1, 30, 2)
	for at, x := range map[int]float64{6: math.NaN(), 7: math.Inf(1), 20: math.Inf(-1)} {
		series[at], mean[at] = float32(x), float32(means[at%2])
	}
	lines := inC(t, c, [][]float32{series, mean})
	p := probabilitiesOf(t, lines)
	assert.InDeltaSlice(t, p[1], p[0], 1e-3)
	assert.NotContains(t, lines[0], "nan")
}

// A compiler that takes all numbers for finite, or joins and reorders sums, makes a program that says the same of
// numbers that are not finite, tiny or too large.
func TestCUnderFlags(t *testing.T) {
	c := ofLengths(t, 2, 40, 90, training.Patch{"transforms": "minirocket,hydra,power"})
	nan, infinite := float32(math.NaN()), float32(math.Inf(1))
	odd := func(values ...float32) []float32 {
		one := drawn(1, 60, 2)
		for i, x := range values {
			one[10+7*i] = x
		}
		return one
	}
	series := [][]float32{drawn(0, 40, 2), drawn(5, 90, 2), odd(nan), odd(infinite), odd(-infinite),
		odd(nan, infinite, -infinite),
		odd(math.SmallestNonzeroFloat32, -1e-40, 1e-39), odd(1e-6), odd(1000), slices.Repeat([]float32{nan}, 120)}
	tooLarge := [][]float32{odd(3e38), odd(-3e38, 3e38), odd(1e30)}
	want := probabilitiesOf(t, compiledBy(t, c, append(series, tooLarge...), compilers(t)[0], "-O0"))
	require.NotContains(t, want[:len(series)], []float64{0, 0, 0}, "each has a class")
	require.Equal(t, slices.Repeat([][]float64{{0, 0, 0}}, len(tooLarge)), want[len(series):], "none has")
	for _, compiler := range compilers(t) {
		for _, flags := range []string{"-O0", "-O1 -ffast-math", "-O2", "-O2 -ffinite-math-only",
			"-O3 -ffp-contract=fast", "-Os",
			"-Os -ffast-math", "-O3 -ffast-math", "-Ofast"} {
			t.Run(compiler+" "+flags, func(t *testing.T) {
				got := probabilitiesOf(t, compiledBy(t, c, append(series, tooLarge...), compiler, strings.Fields(flags)...))
				for i := range want {
					assert.InDeltaSlice(t, want[i], got[i], 1e-5, "series %d", i)
				}
			})
		}
	}
}

// The first lines of the file say how many bytes its constants and its variables take, as an object file has them.
func TestCSaysItsSize(t *testing.T) {
	for _, of := range []struct {
		columns, short, long int
		transforms           string
	}{
		{1, 58, 60, "minirocket,hydra,power"},
		{2, 40, 90, "minirocket,hydra,power"}, // stretched, too
		{3, 33, 33, "power"},
		{1, 33, 33, "hydra"},
	} {
		folder := t.TempDir()
		path := filepath.Join(folder, "model.c")
		require.NoError(t, Write(path,
			ofLengths(t, of.columns, of.short, of.long, training.Patch{"transforms": of.transforms})))
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		found := regexp.MustCompile(`(\d+) bytes of constants, .* and (\d+) bytes of RAM`).FindStringSubmatch(string(text))
		require.Len(t, found, 3)
		object := filepath.Join(folder, "model.o")
		out, err := exec.CommandContext(t.Context(), compilers(t)[0], "-std=c99", "-Os", "-fno-inline", "-c", "-o", object,
			path).CombinedOutput()
		require.NoError(t, err, string(out))
		constants, variables := sectionsOf(t, object)
		for stated, is := range map[string]int{found[1]: constants, found[2]: variables} {
			bytes, err := strconv.Atoi(stated)
			require.NoError(t, err)
			assert.InDelta(t, is, bytes, 1024, "arrays begin at multiples of 32 bytes, and code has constants of its own")
		}
	}
}

// sectionsOf returns the bytes of an object file's constants and of its variables.
func sectionsOf(t *testing.T, path string) (constants, variables int) {
	t.Helper()
	object, err := elf.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, object.Close()) }()
	for _, section := range object.Sections {
		switch {
		case section.Type == elf.SHT_NOBITS:
			variables += int(section.Size)
		case section.Flags&elf.SHF_ALLOC != 0 && section.Flags&elf.SHF_EXECINSTR == 0 &&
			!strings.HasPrefix(section.Name, ".eh_frame"):
			constants += int(section.Size)
		}
	}
	return constants, variables
}

// compilers returns the C compilers that are there. Without one the test is skipped.
func compilers(t *testing.T) (found []string) {
	t.Helper()
	for _, name := range []string{"gcc", "clang", "cc"} {
		if _, err := exec.LookPath(name); err == nil && (name != "cc" || found == nil) {
			found = append(found, name)
		}
	}
	if found == nil {
		t.Skip("there is no C compiler")
	}
	return found
}

// probabilitiesOf reads the lines of inC.
func probabilitiesOf(t *testing.T, lines []string) (all [][]float64) {
	t.Helper()
	for _, line := range lines {
		p := make([]float64, 3)
		_, err := fmt.Sscan(line, new(int), new(string), &p[0], &p[1], &p[2])
		require.NoError(t, err, line)
		all = append(all, p)
	}
	return all
}

// What has no form in C is named, with what to do.
func TestCRefuses(t *testing.T) {
	const instead = " has no form in C; train without it: ccp train --model transforms --set " +
		"transforms=minirocket,hydra,power"
	for name, c := range map[string]*models.Classifier{
		"the network":          classifier(t, variants["logistic"]),
		"the transform forest": ofLengths(t, 1, 30, 30, training.Patch{"transforms": "power,forest"}),
		"the transform values": ofLengths(t, 1, 30, 30, training.Patch{"transforms": "power,values"}),
	} {
		require.EqualError(t, Write(filepath.Join(t.TempDir(), "model.c"), c), name+instead)
	}
}
