// Command beam classifies recordings in files by Apache Beam: on one machine, or on a cluster's workers.
//
//	go run . --checkpoint RUN --out FOLDER 'recordings/*.csv' more.npz 'more/*.parquet'
//
// Beam's own flags choose the runner, such as --runner=flink --endpoint=localhost:8099. Without them it is Prism in
// this process.
package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io/fs"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/clusterpool/ccp/cmd/inputs"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/models"
)

var (
	checkpoint = flag.String("checkpoint", "", "`FOLDER` of the checkpoint, where each worker can read it")
	out        = flag.String("out", "", "`FOLDER` that appears when all is written")
	shards     = flag.Int("shards", 1, "`NUMBER` of files of predictions")
)

func init() {
	register.DoFn4x1[context.Context, fileio.FileMetadata, func(Series), func(int, string), error](&readFn{})
	register.DoFn4x1[context.Context, Series, func(int, string), func(int, string), error](&classifyFn{})
	register.DoFn2x1[int, func(*string) bool, error](&writeFn{})
	register.Emitter1[Series]()
	register.Emitter2[int, string]()
	register.Iter1[string]()
}

func main() {
	flag.Parse()
	beam.Init() // a worker's process stays in here
	if *checkpoint == "" || *out == "" || flag.NArg() == 0 || *shards < 1 || *jobopts.Async {
		log.Fatal("want --checkpoint RUN --out FOLDER FILES…, at least one of --shards, and no --async; " +
			"FILES are paths or patterns such as 'recordings/*.csv'")
	}
	refused, err := run(context.Background(), cmp.Or(*runners.Runner, "prism"), *checkpoint, *out, *shards, flag.Args())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d recordings or files were refused; %s has the reasons\n", refused, filepath.Join(*out, "refused-*.csv"))
}

// run classifies the recordings in files and returns how many recordings and files are refused. The workers write into
// a folder of this job's own, which gets the name out when the job is done: what another job left, or a worker of it
// still writes, is never taken for it.
func run(ctx context.Context, runner, checkpoint, out string, shards int, files []string) (refused int, err error) {
	if _, err := os.Lstat(out); err == nil {
		return 0, fmt.Errorf("%s exists, perhaps of an earlier run; name another folder", out)
	}
	part := fmt.Sprintf("%s.part-%08x", filepath.Clean(out), rand.Uint32())
	if err := os.MkdirAll(part, 0o777); err != nil {
		return 0, err
	}
	defer os.RemoveAll(part)
	p, s := beam.NewPipelineWithRoot()
	found := fileio.MatchAll(s, beam.CreateList(s, files), fileio.MatchEmptyDisallow())
	// Files go to all workers, and so do a large file's recordings.
	series, unread := beam.ParDo2(s, &readFn{Checkpoint: checkpoint}, beam.Reshuffle(s, found))
	lines, unusable := beam.ParDo2(s, &classifyFn{Checkpoint: checkpoint, Shards: shards}, beam.Reshuffle(s, series))
	beam.ParDo0(s, &writeFn{filepath.Join(part, "predictions"), shards}, beam.GroupByKey(s, lines))
	beam.ParDo0(s, &writeFn{filepath.Join(part, "refused"), 1}, beam.GroupByKey(s, beam.Flatten(s, unread, unusable)))
	if _, err := beam.Run(ctx, runner, p); err != nil {
		return 0, err
	}
	written, err := os.ReadDir(part)
	for _, file := range written {
		if filepath.Ext(file.Name()) != ".csv" { // a worker died while it wrote, and another one wrote the shard
			err = errors.Join(err, os.Remove(filepath.Join(part, file.Name())))
		}
	}
	if reasons, missing := os.Open(filepath.Join(part, "refused-00000-of-00001.csv")); missing == nil {
		defer reasons.Close()
		all, wrong := csv.NewReader(reasons).ReadAll()
		refused, err = len(all), errors.Join(err, wrong)
	}
	if err != nil {
		return 0, err
	}
	return refused, os.Rename(part, out)
}

// Series is a recording as the classifier takes it: time points evenly spaced, no gaps, the sensors in the training
// data's order.
type Series struct {
	File, Name string
	Values     []float32
	Notes      []string // what a person should know of it
}

// readFn reads recordings from files, and makes series of them as ccp predict does.
type readFn struct {
	Checkpoint string
	form       *recording.Form
}

// Setup reads what the training's recordings were like.
func (f *readFn) Setup() error {
	m, _, err := models.ReadMetadata(f.Checkpoint)
	if err == nil && m.Form == nil {
		err = recording.ErrNoForm
	}
	f.form = m.Form
	return err
}

// ProcessElement reads a file. A file with a fault is refused, but one that the disk or the network does not give is an
// error, after which the runner tries again. What is to know of a file stands with each of its recordings.
func (f *readFn) ProcessElement(ctx context.Context, file fileio.FileMetadata, emit func(Series),
	refuse func(int, string)) error {
	all, about, err := inputs.Recordings(ctx, []string{file.Path}, f.form, true)
	if _, missing := errors.AsType[*fs.PathError](err); missing {
		return err
	} else if err != nil {
		refuse(0, record(file.Path, "", err.Error()))
	}
	for _, r := range all {
		name := r.Name
		r.Name = "" // which the line has
		values, notes, err := f.form.Series(r)
		if err != nil {
			refuse(0, record(file.Path, name, err.Error()))
			continue
		}
		emit(Series{File: file.Path, Name: name, Values: values, Notes: slices.Concat(about, notes)})
	}
	return nil
}

// classifyFn classifies series, many at a time.
type classifyFn struct {
	Checkpoint string
	Shards     int
	batch      []Series
}

// loaded has the classifiers of the process, by their checkpoints: a runner makes as many classifyFn as it has threads.
var loaded sync.Map

func load(checkpoint string) (*models.Classifier, error) {
	once, _ := loaded.LoadOrStore(checkpoint, sync.OnceValues(func() (*models.Classifier, error) {
		return models.Load(checkpoint, models.LoadOptions{})
	}))
	c, err := once.(func() (*models.Classifier, error))()
	if err != nil {
		loaded.Delete(checkpoint) // the runner tries again
	}
	return c, err
}

// StartBundle forgets what a bundle that failed has left.
func (f *classifyFn) StartBundle(_ context.Context, _, _ func(int, string)) { f.batch = f.batch[:0] }

// ProcessElement classifies when a batch is full.
func (f *classifyFn) ProcessElement(ctx context.Context, s Series, emit, refuse func(int, string)) error {
	f.batch = append(f.batch, s)
	if len(f.batch) < 1024 {
		return nil
	}
	return f.FinishBundle(ctx, emit, refuse)
}

// FinishBundle classifies the batch, so that nothing of a bundle that the runner takes for done is still here.
func (f *classifyFn) FinishBundle(ctx context.Context, emit, refuse func(int, string)) error {
	defer func() { f.batch = f.batch[:0] }()
	classifier, err := load(f.Checkpoint)
	if err != nil || len(f.batch) == 0 {
		return err
	}
	recordings := make([]recording.Recording, len(f.batch))
	for i, s := range f.batch {
		recordings[i] = recording.Recording{Series: s.Values, Notes: s.Notes}
	}
	predictions, err := classifier.ClassifyRecording(ctx, recordings...)
	reasons := map[int]string{}
	if wrong, ok := errors.AsType[*models.SignalError](err); ok && predictions != nil {
		for _, w := range append(wrong.More, wrong) {
			reasons[w.Index] = w.Reason
		}
	} else if err != nil {
		return err
	}
	for i, p := range predictions {
		if reason, wrong := reasons[i]; wrong {
			refuse(0, record(f.batch[i].File, f.batch[i].Name, reason))
			continue
		}
		cells := []string{f.batch[i].File, f.batch[i].Name, p.Name}
		for _, share := range append([]float64{p.Probability}, p.Probabilities...) {
			cells = append(cells, strconv.FormatFloat(share, 'g', 7, 64))
		}
		cells = append(cells, strings.Join(p.Warnings, "; "))
		// a repeated bundle puts it into the same file
		shard := crc32.ChecksumIEEE([]byte(f.batch[i].File+f.batch[i].Name)) % uint32(f.Shards)
		emit(int(shard), record(cells...))
	}
	return nil
}

// record is a line of CSV.
func record(cells ...string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(cells) // a strings.Builder takes all
	w.Flush()
	return b.String()
}

// writeFn writes a file of lines in order. Its bytes depend on the lines only, and its name appears when all are there:
// to write it twice is to write it once.
type writeFn struct {
	Path   string
	Shards int
}

// ProcessElement writes a shard.
func (f *writeFn) ProcessElement(shard int, lines func(*string) bool) error {
	var all []string
	for line := ""; lines(&line); {
		all = append(all, line)
	}
	slices.Sort(all)
	path := fmt.Sprintf("%s-%05d-of-%05d.csv", f.Path, shard, f.Shards)
	part := fmt.Sprintf("%s.%08x", path, rand.Uint32()) // two workers may write the same shard
	if err := os.WriteFile(part, []byte(strings.Join(all, "")), 0o666); err != nil {
		return err
	}
	return os.Rename(part, path)
}
