package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"text/template"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/removed"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute"
	"github.com/spf13/cobra"
)

// shared holds what all commands have: the command line and the common flags.
type shared struct {
	args    []string
	backend string
	offline bool
	json    bool
}

// newRoot returns the program with all its commands and the flags that they share.
func newRoot(args []string) *cobra.Command {
	s := &shared{args: args}
	root := group("ccp", newTrain(s), newEval(s), newPredict(s), newExplain(s), newExport(s), newClusters(s),
		newWatch(s), newReport(s), newServe(s), newCompare(s), newReproduce(s),
		group("data", newDataList(s), newDataGet(s), newDataCheck(s), newDataImport(s)),
		newDoctor(s), newVersion(s))
	root.SilenceErrors, root.SilenceUsage, root.CompletionOptions.HiddenDefaultCmd = true, true, true
	root.SetFlagErrorFunc(flagError)
	root.PersistentPreRunE = needed
	root.PersistentFlags().StringVar(&s.backend, "backend", "", "backend by its `NAME`: go, xla:cpu, xla:cuda or "+
		"xla:/path/plugin.so (default: $GOMLX_BACKEND, else the best for the work)")
	root.PersistentFlags().BoolVar(&s.offline, "offline", false, "never download anything")
	root.PersistentFlags().BoolVar(&s.json, "json", false, "print results as JSON on stdout")
	root.Version = backend.Versions()["ccp"]
	root.SetVersionTemplate("ccp {{.Version}}\n")
	complete(root, args)
	return root
}

// strict adds cobra's own commands, which take any word and succeed, with the errors of ours. Their output is root's.
func strict(root *cobra.Command, args []string) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(args...)
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				if group, rest, _ := root.Find(args); len(rest) > 0 {
					return usage(group, fmt.Errorf("there is no command %q%s", rest[0], meantCommand(group, rest[0])))
				}
				return nil
			}
		case "completion":
			cmd.Args, cmd.RunE = command("completion", "").Args, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// open opens the backend that --backend asks for. out receives notices and progress.
func (s *shared) open(out io.Writer) (compute.Backend, backend.Info, error) {
	status := newStatusLine(out)
	defer status.clear()
	return backend.Open(backend.Options{Name: s.backend, Install: !s.offline, Log: status, Progress: status.download})
}

// loadOptions let the work choose the backend of a checkpoint unless somebody names one. out receives notices and
// progress.
func (s *shared) loadOptions(out io.Writer) (o models.LoadOptions, err error) {
	o.Notice = func(line string) { fmt.Fprintln(out, line) }
	o.Open = sync.OnceValues(func() (compute.Backend, error) {
		b, _, err := s.open(out)
		return b, err
	})
	if s.backend != "" {
		o.Backend, err = o.Open()
	}
	return o, err
}

// load opens the checkpoint in dir to compute so many signals; 0: many.
func (s *shared) load(cmd *cobra.Command, dir string, signals int) (*models.Classifier, error) {
	o, err := s.loadOptions(cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	o.Signals = signals
	c, err := models.Load(dir, o)
	_, unended := training.ReadResult(dir)
	if _, unknown := training.ReadFingerprint(dir); err == nil && errors.Is(unended, fs.ErrNotExist) && unknown == nil {
		o.Notice(fmt.Sprintf("warning: the training in %s has not ended, and what it kept so far is used; its command goes "+
			"on with it", dir))
	}
	return c, cmp.Or(err, cmd.Context().Err())
}

// loading completes the options to load a data set: the folder, a backend that is opened when needed, and a display of
// the progress on stderr. done ends the display.
func (s *shared) loading(cmd *cobra.Command, dataDir string, o datasets.Options) (_ datasets.Options, done func()) {
	status := newStatusLine(cmd.ErrOrStderr())
	o.DataDir, o.Progress = dataFolder(dataDir), status.loading
	o.Backend = func() (compute.Backend, error) {
		b, _, err := s.open(cmd.ErrOrStderr())
		return b, err
	}
	return o, status.clear
}

// warnOtherGraph warns if the graph of a file is not that of the model, as where its nodes are in another order.
func warnOtherGraph(cmd *cobra.Command, file string, own, trained *affinity.Matrix) {
	if own.Hash() != trained.Hash() {
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: the graph of %s is not the one that the model was trained on and "+
			"predicts with: are the nodes in another order?\n", file)
	}
}

// dataOf loads the data set that the run in dir was trained on, or another one that fits its classifier's description
// and graph. Another file without a split is all test.
func (s *shared) dataOf(cmd *cobra.Command, m models.Metadata, graph *affinity.Matrix, dir, dataDir,
	other string) (*datasets.Dataset, error) {
	config, err := training.ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	other, err = absolute(other)
	if err != nil {
		return nil, err
	}
	o, done := s.loading(cmd, dataDir, datasets.Options{})
	defer done()
	another := other != "" && other != config.Name
	if place := newPlace(config.Name, other, o.DataDir, m.Provenance); place != "" {
		config.Name, another = place, false
	}
	if another { // what one source was asked for means nothing to another
		config = training.Config{Name: other, Keep: training.KeepLast}
		o.Whole, o.Graph = true, graph
	}
	d, err := training.LoadFor(cmd.Context(), m, config, o)
	if other == "" && datasets.IsFile(config.Name) && errors.Is(err, fs.ErrNotExist) && cmd.Flags().Lookup("data") != nil {
		err = fmt.Errorf("%w; give its place with --data", err)
	}
	if err == nil && another && m.Form == nil {
		warnOtherGraph(cmd, config.Name, d.Affinity, graph)
	}
	if err != nil || another {
		return d, err
	}
	was, err := training.ReadFingerprint(dir)
	if errors.Is(err, fs.ErrNotExist) { // a checkpoint that was copied without its data's
		err = nil
	}
	if differences := was.Differences(d.Fingerprint()); len(differences) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s differs from what the model was trained on in %s: what follows is of "+
			"the data as it is now\n", config.Name, strings.Join(differences, ", "))
	}
	return d, err
}

// newPlace returns where the file that a run was trained on lies now: at other, which --data names; or without that in
// the data folder, if it is no longer at its name. A file is the same if the provenance of the run's data ends with its
// digest. newPlace returns "" if there is no such file.
func newPlace(name, other, dataDir, provenance string) string {
	place := other
	if _, missing := os.Stat(name); missing != nil && other == "" && datasets.IsFile(name) {
		place = filepath.Join(dataDir, filepath.Base(name))
	}
	digest, _, err := files.Digest(place, sha256.New())
	if err != nil || !strings.HasSuffix(provenance, digest) {
		return ""
	}
	return place
}

// untilSignal ends the command's context at Ctrl-C or SIGTERM. Then it calls notify, and removes the handler: a second
// Ctrl-C kills the process.
func untilSignal(cmd *cobra.Command, notify func()) (end func()) {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	ended := context.AfterFunc(ctx, func() {
		stop()
		notify()
	})
	cmd.SetContext(ctx)
	return func() {
		ended()
		stop()
	}
}

// inFile adds the file to an error that does not name it.
func inFile(path string, err error) error {
	if err == nil || strings.Contains(err.Error(), path) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// resultFiles show the results of the commands as text. Each is a template with the name of its command.
//
//go:embed results
var resultFiles embed.FS

var results = template.Must(template.New("").Funcs(template.FuncMap{
	"confusion": confusion,
	"count":     text.Count,
	"fold":      text.Fold,
	"gone":      func(option string) bool { return removed.Instead(option) != "" }, // in checkpoints alone
	"half":      func(n int) float64 { return float64(n) / 2 },
	"join":      strings.Join,
	"megabytes": text.Megabytes,
	"percent":   func(share float64) float64 { return 100 * share },
	"ratio":     func(a, b int) float64 { return float64(a) / float64(max(1, b)) },
	"seconds":   text.Seconds,
	"short":     func(name string) string { return text.Shorten(name, text.LongestName) },
	"sub":       func(a, b int) int { return a - b },
	"stem":      func(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) },
	"thousands": text.Thousands,
	"value":     func(v *float64) float64 { return *v }, // of what may be unknown
	"words":     strings.Fields,
}).ParseFS(resultFiles, "results/*"))

// render shows a result through a template, its tables laid out by [text.Align], with one line break at the end.
func render(name string, result any) string {
	var b strings.Builder
	if err := results.ExecuteTemplate(&b, name, result); err != nil {
		panic(err) // the templates are part of the program
	}
	return text.Plain(strings.TrimRight(text.Align(b.String()), "\n") + "\n")
}

// print prints a result on stdout: as a line of JSON with --json, else as the text.
func (s *shared) print(cmd *cobra.Command, result any, text string) error {
	if s.json {
		raw, err := json.Marshal(result)
		if err != nil {
			return err
		}
		text = string(raw) + "\n"
	}
	_, err := io.WriteString(cmd.OutOrStdout(), text)
	return err
}

// tell writes the first few of some lines to stderr.
func tell(cmd *cobra.Command, kind string, lines []string) {
	const most = 5
	for _, line := range lines[:min(most, len(lines))] {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", kind, text.Plain(line))
	}
	if len(lines) > most {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: and %d more such lines\n", kind, len(lines)-most)
	}
}
