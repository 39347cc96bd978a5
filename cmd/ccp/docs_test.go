package main

import (
	"fmt"
	"go/format"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pages returns the text of each page for users, by its path from the root. The notebook is not one of them: some of
// its commands belong to earlier versions.
func pages(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "benchmarks/*.md", "benchmarks/paper/*.md", "examples/*.md",
		"examples/*/*.md",
		"cmd/ccp/help.txt", "Makefile", ".agents/*.md", ".agents/skills/*/*.md"} {
		paths, err := filepath.Glob(filepath.Join("../..", pattern))
		require.NoError(t, err)
		require.NotEmpty(t, paths, pattern)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			texts[strings.TrimPrefix(filepath.ToSlash(path), "../../")] = string(text)
		}
	}
	return texts
}

var (
	span        = regexp.MustCompile("`([^`]+)`")
	placeholder = regexp.MustCompile(`^[A-Z…][A-Z0-9…]*$`) // the value of a flag that stands for any
	elsewhere   = []string{"--rate", "--data-binary"}      // flags of benchmarks, and of curl, that docs name alone
	otherNames  = []string{"ccp_version", "ccp_panics_total", "ccp_refresh", "ccp_torch", "ccp_jax"}
)

// spans returns the code of a page: each line of its code blocks, a line that ends in a backslash with the next one,
// and each code span.
func spans(text string) (code []string) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	prose, block := "", false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			block = !block
		case block || strings.HasPrefix(line, "  ccp ") || strings.HasPrefix(line, "\tgo run ./cmd/ccp "):
			code = append(code, strings.TrimSpace(line))
		default:
			prose += line
		}
	}
	for _, m := range span.FindAllStringSubmatch(prose, -1) {
		code = append(code, strings.Join(strings.Fields(m[1]), " "))
	}
	return code
}

// commandLines returns the arguments of each command line of ccp in code, such as [train --data mine.npz].
func commandLines(code string) (lines [][]string) {
	code, _, _ = strings.Cut(code, " # ")
	for _, part := range regexp.MustCompile(`&&|\||>`).Split(code, -1) {
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(part), "$ "))
		for len(words) > 1 && (strings.Contains(words[0], "=") || words[0] == "taskset" || words[0] == "-c" ||
			words[0] == "N") {
			words = words[1:]
		}
		if len(words) > 3 && words[2] == "-tags" { // of go run
			words = slices.Delete(words, 2, 4)
		}
		if len(words) > 2 && words[0] == "go" && words[1] == "run" && words[2] == "./cmd/ccp" {
			words = append([]string{"ccp"}, words[3:]...)
		}
		if len(words) > 1 && words[0] == "ccp" {
			for i := range words {
				words[i] = strings.Trim(words[i], `"',`)
			}
			lines = append(lines, words[1:])
		}
	}
	return lines
}

// checkCommand returns an error if a command line names a command, a flag, an option or a value that does not exist.
func checkCommand(args []string) error {
	root := newRoot(args)
	cmd, rest, err := root.Find(args)
	if err != nil || cmd == root {
		return fmt.Errorf("there is no command %q", args[0])
	}
	var given []string
	for i, arg := range rest {
		name, _, _ := strings.Cut(arg, "=")
		if !strings.HasPrefix(arg, "--") {
			if i == 0 || !strings.HasPrefix(rest[i-1], "--") || !placeholder.MatchString(arg) {
				given = append(given, arg)
			}
			continue
		}
		if name == "--help" {
			continue
		}
		if cmd.Flag(name[2:]) == nil {
			return fmt.Errorf("%s has no flag %s", cmd.CommandPath(), name)
		}
		if i+1 < len(rest) && placeholder.MatchString(rest[i+1]) {
			continue
		}
		if i+1 == len(rest) && !strings.Contains(arg, "=") && cmd.Flag(name[2:]).NoOptDefVal == "" {
			continue // A page may name the flag alone.
		}
		given = append(given, arg)
	}
	if err := cmd.ParseFlags(given); err != nil {
		return err
	}
	if cmd.Name() == "compare" {
		names, _ := cmd.Flags().GetStringSlice("models")
		for _, name := range names {
			if !slices.Contains(models.Names(), name) && !placeholder.MatchString(name) {
				return fmt.Errorf("there is no model %q", name)
			}
		}
	}
	if cmd.Name() != "train" {
		return nil
	}
	asked := training.Patch{}
	for option, flag := range flagOf {
		if f := cmd.Flags().Lookup(flag); f.Changed {
			asked[option] = f.Value.String()
		}
	}
	pairs := cmd.Flags().Lookup("set").Value.(pflag.SliceValue).GetSlice()
	for _, arg := range cmd.Flags().Args() {
		if strings.Contains(arg, "=") {
			pairs = append(pairs, arg)
		}
	}
	if err := addSettings(cmd, asked, pairs); err != nil {
		return err
	}
	_, err = training.Preview(asked)
	return err
}

// flagsOf adds the flags of a command and its commands to names.
func flagsOf(cmd *cobra.Command, names map[string]bool) {
	add := func(f *pflag.Flag) { names["--"+f.Name] = true }
	cmd.Flags().VisitAll(add)
	cmd.PersistentFlags().VisitAll(add)
	for _, c := range cmd.Commands() {
		flagsOf(c, names)
	}
}

func TestDocsNameWhatExists(t *testing.T) {
	flags := map[string]bool{"--help": true}
	flagsOf(newRoot(nil), flags)
	reader, err := os.ReadFile("../../python/src/clusterpool/read/__main__.py") // python -m clusterpool.read
	require.NoError(t, err)
	for _, found := range regexp.MustCompile(`add_argument\(\s*"(--[a-z-]+)"`).FindAllSubmatch(reader, -1) {
		flags[string(found[1])] = true
	}
	option := regexp.MustCompile(`^(level_\d+/)?(ccp|readout|batchnorm|resnet|bayes)_[a-z_]+(=\S+)?$`)
	checked := 0
	for path, text := range pages(t) {
		if path == "docs/notebook.md" {
			continue
		}
		for _, code := range spans(text) {
			for _, line := range commandLines(code) {
				checked++
				assert.NoError(t, checkCommand(line), "%s: ccp %s", path, strings.Join(line, " "))
			}
			name, _, _ := strings.Cut(code, " ")
			name, _, _ = strings.Cut(name, "=")
			if strings.HasPrefix(name, "--") && (path == "README.md" || strings.HasPrefix(path, "docs/")) {
				checked++
				assert.True(t, flags[name] || slices.Contains(elsewhere, name), "%s: there is no flag %s", path, name)
			}
			setting := strings.TrimPrefix(code, "--set ")
			if option.MatchString(setting) && !slices.Contains(otherNames, setting) {
				checked++
				assert.NoError(t, checkOption(setting), path)
			}
		}
	}
	assert.Greater(t, checked, 200)
}

// checkOption returns an error if there is no option of this name, or it cannot have the value that is given.
func checkOption(setting string) error {
	name, value, given := strings.Cut(setting, "=")
	values := []string{value}
	if !given {
		// one for each kind of option
		values = []string{"none", "1", "0.5", "20", "true", "rank", "levels", "zeros", "level", "cut", "drawn", "learned",
			"bfloat16"}
	}
	var err error
	for _, value := range values {
		for _, model := range models.Names() {
			err = (&models.Spec{Model: model, Options: models.DefaultOptions()}).Put(name, value)
			if err == nil {
				return nil
			}
		}
	}
	return err
}

func TestDocsCheckFindsMistakes(t *testing.T) {
	for line, mistake := range map[string]string{
		"trian --data digits":                   "no command",
		"train --dat digits":                    "no flag --dat",
		"train --epochs many":                   "many",
		"train --hierarchy best":                "best",
		"train --set ccp_stems=4":               "ccp_stems",
		"train --seed 1 ccp_stems=4":            "ccp_stems",
		"eval --checkpoint DIR --seed 1":        "no flag --seed",
		"compare --data mine.npz --models":      "",
		"compare --models ccp,nosuch":           "nosuch",
		"train --data FILE --set ccp_stem=4":    "",
		"train --data digits --checkpoint RUNS": "",
	} {
		err := checkCommand(strings.Fields(line))
		if mistake == "" {
			assert.NoError(t, err, line)
		} else {
			assert.ErrorContains(t, err, mistake, line)
		}
	}
	assert.Error(t, checkOption("ccp_stems"))
	assert.NoError(t, checkOption("ccp_stem"))
	assert.NoError(t, checkOption("ccp_slots"))
}

func TestDocsLinksLeadSomewhere(t *testing.T) {
	texts := pages(t)
	link := regexp.MustCompile(`\[[^\]]*\]\(([^)\s]+)\)`)
	named := regexp.MustCompile(`docs/[a-z-]+\.md`)
	blocks := regexp.MustCompile("(?s)```.*?```")
	for path, text := range texts {
		for _, m := range link.FindAllStringSubmatch(blocks.ReplaceAllString(text, ""), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			to := path
			if target != "" {
				to = filepath.ToSlash(filepath.Join(filepath.Dir(path), target))
			}
			assert.True(t, exists(to), "%s links to %s", path, to)
			if page, ok := texts[to]; ok && anchor != "" {
				assert.Contains(t, anchors(page), anchor, "%s links to %s", path, m[1])
			}
		}
		for _, name := range named.FindAllString(text, -1) {
			assert.True(t, exists(name), "%s names %s", path, name)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(filepath.Join("../..", path))
	return err == nil
}

// anchors returns the anchors of a page's headings, as GitHub makes them.
func anchors(page string) (names []string) {
	dropped := regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	for line := range strings.Lines(page) {
		if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			heading = dropped.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
			names = append(names, strings.ReplaceAll(heading, " ", "-"))
		}
	}
	return names
}

// The skill for assistants, followed to the letter in an empty module: its programs are written to the files that they
// name, and its commands run, in the order of the page. What would fetch the library, the test replaces by a go.mod
// that has this checkout.
func TestSkillWorks(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles three programs")
	}
	folder := t.TempDir()
	machines(t, folder)
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	ccp, err := program()
	require.NoError(t, err)
	dependencies, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	own := strings.Replace(string(dependencies), "module github.com/clusterpool/ccp", "module example.com/machines", 1) +
		fmt.Sprintf("require github.com/clusterpool/ccp v0.0.0\nreplace github.com/clusterpool/ccp => %s\n", root)
	sums, err := os.ReadFile("../../go.sum")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "go.mod"), []byte(own), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "go.sum"), sums, 0o644))

	var printed strings.Builder
	programs, commands := 0, 0
	for _, block := range regexp.MustCompile("(?s)\n```(go|sh)\n(.*?)```").FindAllStringSubmatch(
		pages(t)[".agents/skills/ccp/SKILL.md"], -1) {
		if block[1] == "go" {
			name, text, ok := strings.Cut(strings.TrimPrefix(block[2], "// "), "\n")
			require.True(t, ok && strings.HasSuffix(name, ".go"),
				"a program begins with a comment that names its file: %s", block[2])
			path := filepath.Join(folder, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
			formatted, err := format.Source([]byte(text))
			require.NoError(t, err, name)
			assert.Equal(t, string(formatted), text, "%s: run gofmt", name)
			programs++
			continue
		}
		for line := range strings.Lines(block[2]) {
			if strings.HasPrefix(line, "go install ") || strings.HasPrefix(line, "go mod ") ||
				strings.HasPrefix(line, "go get ") {
				continue
			}
			command := exec.Command("bash", "-c", line)
			command.Dir = folder
			command.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off",
				"PATH="+filepath.Dir(ccp)+string(os.PathListSeparator)+os.Getenv("PATH"))
			out, err := command.CombinedOutput()
			require.NoError(t, err, "%s%s", line, out)
			printed.Write(out)
			commands++
		}
	}
	assert.Equal(t, []int{4, 9}, []int{programs, commands})
	out := printed.String()
	assert.Contains(t, out, "60 samples in 2 classes")
	assert.Regexp(t, `test accuracy (0\.9|1\.)\d+ by .*; the commonest class alone has 0\.500`, out)
	assert.Equal(t, 2, strings.Count(out, "\nhealthy 0.9"), out) // by both checkpoints
	classes, err := os.ReadFile(filepath.Join(folder, "classes.csv"))
	require.NoError(t, err)
	assert.Regexp(t, `(?s)r000,healthy,.*r001,worn,.*r002,healthy,.*r003,worn,`, string(classes))
	vetted := exec.Command("go", "vet", "./...")
	vetted.Dir, vetted.Env = folder, append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off")
	said, err := vetted.CombinedOutput()
	assert.NoError(t, err, "%s", said)
}

// machines writes what the skill takes for granted: recordings of ten machines that are healthy or whose vibration
// swings, as a table, and four of them again without classes.
func machines(t *testing.T, folder string) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	var readings, unlabelled strings.Builder
	readings.WriteString("sample,time,temperature,vibration,current,state,machine\n")
	unlabelled.WriteString("sample,time,temperature,vibration,current\n")
	for i := range 60 {
		for at := range 20 + i%7 {
			line := fmt.Sprintf("r%03d,%.2f,%.2f,%.3f,%.2f", i, 0.05*float64(at), 60+random.NormFloat64(),
				0.1*random.NormFloat64()+float64(i%2)*math.Sin(float64(at)), 4+0.2*random.NormFloat64())
			fmt.Fprintf(&readings, "%s,%s,m%d\n", line, []string{"healthy", "worn"}[i%2], i/6)
			if i < 4 {
				fmt.Fprintln(&unlabelled, line)
			}
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "readings.csv"), []byte(readings.String()), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "new.csv"), []byte(unlabelled.String()), 0o644))
}
