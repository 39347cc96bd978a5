package main

import (
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/clusterpool/ccp/cmd/inputs"
	"github.com/parquet-go/parquet-go"
)

func TestMain(m *testing.M) {
	if args := os.Getenv("CCP_BEAM_ARGS"); args != "" { // a worker, which a test may kill
		os.Args = append(os.Args[:1], strings.Fields(args)...)
		main()
		return
	}
	flag.Parse()
	beam.Init()
	os.Exit(m.Run())
}

// moves returns a recording of falls or rises, with a gap, as the rows of a table.
func moves(i int) (rows []row) {
	slope := float64(2*(i%2)-1) / 4
	for m := range 9 + i%4 {
		t := float64(m)
		head := 1 + slope*t + math.Cos(float64(i+m))/5
		r := row{Sample: fmt.Sprintf("r%05d.csv", i), Hip: slope*t + math.Sin(float64(i*m))/5, Head: &head,
			Pulse: 60 + 5*math.Sin(float64(i+2*m))}
		if m == 3 {
			r.Head = nil
		}
		rows = append(rows, r)
	}
	return rows
}

type row struct {
	Sample string   `parquet:"sample"`
	Hip    float64  `parquet:"hip"`
	Head   *float64 `parquet:"head,optional"`
	Pulse  float64  `parquet:"pulse"`
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write writes a recording to a file of its own.
func write(t *testing.T, folder string, i int) {
	t.Helper()
	text := "hip,head,pulse\n"
	for _, r := range moves(i) {
		head := ""
		if r.Head != nil {
			head = strconv.FormatFloat(*r.Head, 'g', -1, 64)
		}
		text += fmt.Sprintf("%v,%s,%v\n", r.Hip, head, r.Pulse)
	}
	must(t, os.MkdirAll(folder, 0o755))
	must(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("r%05d.csv", i)), []byte(text), 0o644))
}

// predicted returns the lines of a job's predictions as ccp predict writes them: without the file in front and the
// notes at the end.
func predicted(t *testing.T, pattern string) (lines []string) {
	t.Helper()
	reader := csv.NewReader(strings.NewReader(strings.Join(sorted(t, pattern), "")))
	reader.FieldsPerRecord = -1
	rows, err := reader.ReadAll()
	must(t, err)
	for _, row := range rows {
		if len(row) < 6 {
			t.Fatalf("%.300q was refused", row)
		}
		lines = append(lines, record(row[1:len(row)-1]...))
	}
	slices.Sort(lines)
	return lines
}

// sorted returns the lines of files that match a pattern, without a heading.
func sorted(t *testing.T, pattern string) (lines []string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	must(t, err)
	for _, file := range files {
		content, err := os.ReadFile(file)
		must(t, err)
		for line := range strings.Lines(string(content)) {
			if !strings.HasPrefix(line, "name,class,") {
				lines = append(lines, line)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// programIn returns a way to run the program in a folder, which ends the test if the program fails.
func programIn(t *testing.T, folder string) func(args ...string) {
	t.Helper()
	program := os.Getenv("CCP_PROGRAM")
	if program == "" {
		program = filepath.Join(t.TempDir(), "ccp")
		output, err := exec.Command("go", "build", "-C", "../..", "-o", program, "./cmd/ccp").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, output)
		}
		t.Setenv("CCP_PROGRAM", program)
	}
	return func(args ...string) {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir = folder
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("ccp %v: %v: %s", args, err, output)
		}
	}
}

// A pipeline predicts what ccp predict does, of CSV files, a Parquet table and an .npz file. CCP_PROGRAM is the
// program; it is built if that is not set. CCP_RECORDINGS is the number of recordings.
func TestAsPredict(t *testing.T) {
	t.Setenv("GOMLX_BACKEND", "go")
	folder := t.TempDir()
	ccp := programIn(t, folder)
	n := 500
	if text := os.Getenv("CCP_RECORDINGS"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		must(t, err)
	}
	for i := range 40 {
		write(t, filepath.Join(folder, "known", []string{"fall", "rise"}[i%2]), i)
	}
	ccp("data", "import", "known", "--out", "known.npz", "--scale", "--origin", "hip")
	ccp("train", "--data", "known.npz", "--checkpoint", "run", "--epochs", "2", "--set", "frames=8")
	var table []row
	for i := range n {
		write(t, filepath.Join(folder, "new"), i)
		table = append(table, moves(i)...)
	}
	must(t, parquet.WriteFile(filepath.Join(folder, "table.parquet"), table))
	for _, input := range []string{"new", "table.parquet", "known.npz"} {
		t.Run(input, func(t *testing.T) {
			ccp("predict", "--checkpoint", "run", input, "--out", input+".predicted")
			files, wrong := []string{filepath.Join(folder, input)}, 0
			if input == "new" {
				broken := filepath.Join(folder, "broken.csv")
				must(t, os.WriteFile(broken, []byte("hip,head,pulse\n1,x,3\n"), 0o644))
				files, wrong = []string{filepath.Join(folder, input, "*.csv"), broken}, 1
			}
			out := filepath.Join(folder, input+".out")
			count, err := run(context.Background(), "prism", filepath.Join(folder, "run"), out, 3, files)
			must(t, err)
			if reasons := sorted(t, filepath.Join(out, "refused-*")); count != wrong || len(reasons) != wrong {
				t.Fatalf("%d refused, by %q; want %d", count, reasons, wrong)
			}
			got, want := predicted(t, filepath.Join(out, "predictions-*")), sorted(t, filepath.Join(folder, input+".predicted"))
			if !slices.Equal(got, want) || len(got) == 0 {
				t.Fatalf("%d lines such as %.3q; ccp predict has %d lines such as %.3q", len(got), got[:1], len(want), want[:1])
			}
			_, err = run(context.Background(), "prism", filepath.Join(folder, "run"), out, 2, files)
			if err == nil || !strings.Contains(err.Error(), "earlier run") {
				t.Fatalf("files of an earlier run would be taken for this one's: %v", err)
			}
		})
	}
	t.Run("a checkpoint that comes late", func(t *testing.T) { // or a network that hands it out at the second attempt
		late := filepath.Join(folder, "late")
		if _, err := load(late); err == nil {
			t.Fatal("there is none")
		}
		must(t, os.CopyFS(late, os.DirFS(filepath.Join(folder, "run"))))
		_, err := load(late)
		must(t, err)
	})
	t.Run("a killed worker", func(t *testing.T) { killed(t, folder, n) })
	t.Run("a bundle that fails", func(t *testing.T) { // the runner begins it anew, on the same DoFn or on another
		f, series := classifyFn{Checkpoint: filepath.Join(folder, "run"), Shards: 1}, []Series{}
		reader := readFn{Checkpoint: f.Checkpoint}
		must(t, reader.Setup())
		all, _, err := inputs.Recordings(t.Context(), []string{filepath.Join(folder, "known.npz")}, reader.form, true)
		must(t, err)
		for _, r := range all {
			series = append(series, Series{Name: r.Name, Values: r.Series})
		}
		var names []string
		emit := func(_ int, line string) { names = append(names, strings.Split(line, ",")[1]) }
		refuse := func(_ int, line string) { t.Error(line) }
		for _, bundle := range [][]Series{series[:len(series)/2], series} {
			f.StartBundle(t.Context(), emit, refuse)
			for _, s := range bundle {
				must(t, f.ProcessElement(t.Context(), s, emit, refuse))
			}
		}
		must(t, f.FinishBundle(t.Context(), emit, refuse))
		slices.Sort(names)
		if len(names) != len(series) || len(slices.Compact(names)) != len(series) {
			t.Fatalf("%d lines of %d recordings", len(names), len(series))
		}
	})
}

// killed has two workers at one Prism, each a process with half of the recordings that folder/new has, and kills the
// second one while it reads and while it writes. The first one does not notice, nothing of the second one is taken for
// a result, and the same command does all of its half.
func killed(t *testing.T, folder string, n int) {
	free, err := net.Listen("tcp", "localhost:0")
	must(t, err)
	port := free.Addr().(*net.TCPAddr).Port
	must(t, free.Close())
	_, err = prism.CreateJobServer(t.Context(), prism.Options{Port: port})
	must(t, err)
	worker := func(out, files string) *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Dir = folder
		cmd.Env = append(os.Environ(),
			fmt.Sprintf("CCP_BEAM_ARGS=--runner=universal --endpoint=localhost:%d --environment_type=LOOPBACK "+
				"--checkpoint run --shards 200 --out %s %s", port, out, files))
		must(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		return cmd
	}
	begin := time.Now()
	wait := func(what string, done func() bool) {
		t.Helper()
		for ; !done(); time.Sleep(time.Millisecond) {
			if time.Since(begin) > 2*time.Minute {
				t.Fatalf("no %s after two minutes", what)
			}
		}
	}
	pipe := filepath.Join(folder, "new", "r00001.csv") // a file that comes to an end when the test wants it
	content, err := os.ReadFile(pipe)
	must(t, err)
	headings, rows, _ := strings.Cut(string(content), "\n")
	// more than a pipe holds: who has written it knows that the worker reads it
	headings += "," + strings.Repeat("x", 1<<18) + "\n"
	rows = strings.ReplaceAll(rows, "\n", ",\n")
	must(t, os.Remove(pipe))
	must(t, syscall.Mkfifo(pipe, 0o644))
	reads := func() (end *os.File) {
		wait("reader", func() bool {
			end, err = os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0)
			if err != nil {
				return false
			}
			must(t, end.SetDeadline(begin.Add(2*time.Minute)))
			if _, err := end.WriteString(headings); err != nil { // it only asked for the size
				_ = end.Close()
				return false
			}
			return true
		})
		return end
	}
	ends := func(end *os.File) {
		_, err := end.WriteString(rows)
		must(t, errors.Join(err, end.Close()))
	}
	result := filepath.Join(folder, "odd")
	parts := func(pattern string) []string {
		found, err := filepath.Glob(filepath.Join(result+".part-*", pattern))
		must(t, err)
		return found
	}
	even := worker("even", "new/*[02468].csv")
	for _, while := range []string{"reading", "writing"} {
		odd := worker("odd", "new/*[13579].csv")
		end := reads()
		if while == "writing" {
			ends(end)
			wait("shard", func() bool { return len(parts("*.csv"))+len(sorted(t, filepath.Join(result, "*"))) > 0 })
		}
		must(t, odd.Process.Kill())
		_ = odd.Wait()
		if while == "reading" {
			must(t, end.Close())
		}
		t.Logf("killed while %s, with %d shards of 200", while, len(parts("*.csv")))
		if got := len(sorted(t, filepath.Join(result, "*"))); got != 0 && (while == "reading" || got != n/2) {
			t.Fatalf("a worker that was killed while %s has left a result with %d lines", while, got)
		}
	}
	must(t, os.RemoveAll(result)) // the machine may be so busy that the worker had finished before it was killed
	for _, old := range parts("") {
		must(t, os.RemoveAll(old))
	}
	odd := worker("odd", "new/*[13579].csv")
	end := reads()
	// as another worker of this job leaves it that dies
	dead := filepath.Join(parts("")[0], "predictions-00000-of-00200.csv.0123abcd")
	must(t, os.WriteFile(dead, []byte("r00001"), 0o644))
	ends(end)
	must(t, errors.Join(odd.Wait(), even.Wait()))
	got, want := predicted(t, filepath.Join(folder, "[eo]*", "*")), sorted(t, filepath.Join(folder, "new.predicted"))
	if !slices.Equal(got, want) {
		t.Fatalf("%d lines; ccp predict has %d", len(got), len(want))
	}
}
