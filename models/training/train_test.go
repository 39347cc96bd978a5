package training

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTrainLearns(t *testing.T) {
	data := writeRing(t, 200)
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		dir := filepath.Join(t.TempDir(), "run")
		var epochs []Epoch
		steps, begun := 0, 0
		result, err := Train(context.Background(), backend,
			ringConfig(data), Options{Dir: dir, Command: "the command", Backend: "name", Observer: Observer{
				Step: func(p Progress) {
					assert.Equal(t, steps/ringSteps+1, p.Epoch)
					assert.Equal(t, steps%ringSteps+1, p.Step)
					assert.Equal(t, ringSteps, p.Steps)
					assert.True(t, isFinite(p.Loss) && isFinite(p.Objective) && p.Accuracy >= 0 && p.Accuracy <= 1)
					steps++
				},
				Epoch: func(e Epoch) { epochs = append(epochs, e) },
				Begin: func(_ Config, d *datasets.Dataset, spec models.Spec, from, total int) {
					begun++
					assert.Equal(t, [3]int{ringNodes, 0, ringEpochs * ringSteps}, [3]int{d.Nodes, from, total})
				},
			}})
		require.NoError(t, err)
		assert.Equal(t, 1, begun)
		assert.Equal(t, ringEpochs*ringSteps, steps)
		assert.Greater(t, result.Test.Accuracy, 0.8, "chance is 0.25")
		assert.Greater(t, result.Validation.Accuracy, 0.8)
		assert.Equal(t, ringEpochs, result.Epochs)
		assert.Equal(t, steps, result.Steps)
		assert.Len(t, result.Objective, 2)
		assert.InDelta(t, 0.5, result.Objective[1], 1e-5, "C of a single cluster")
		// U, W, b, α, β of both levels, two dense layers, scale and offset of three batch norms
		assert.Equal(t, 12*4+4*3*6+6+2+4*1+3*6*8+8+2+8*8+8+8*4+4+2*(6+8+8), result.Parameters)
		assert.Len(t, epochs, ringEpochs)
		assert.Equal(t, epochs[result.BestEpoch-1].Validation, result.Validation)

		assert.ElementsMatch(t, []string{".lock", "best-000000" + pad(result.BestEpoch*ringSteps), "config.json",
			"data.json", "graph.npz", "hierarchy", "history.csv",
			fmt.Sprintf("last-%08d", steps-ringSteps), fmt.Sprintf("last-%08d", steps), "model.json", "result.json"},
			listDir(t, dir))
		var written Result
		require.NoError(t, files.ReadJSON(filepath.Join(dir, resultFile), &written))
		assert.Equal(t, result, written)
		f, err := os.Open(filepath.Join(dir, historyFile))
		require.NoError(t, err)
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		require.NoError(t, err)
		require.Len(t, rows, 1+ringEpochs)
		assert.Equal(t, []string{"epoch", "train_loss", "train_accuracy", "validation_loss", "validation_accuracy",
			"seconds", "input_wait",
			"objective_1", "objective_2"}, rows[0])

		c, err := models.Load(dir, models.LoadOptions{Backend: backend})
		require.NoError(t, err)
		assert.Equal(t, "the command", c.Command)
		assert.Equal(t, result.Parameters, c.Parameters(), "counted in a classifier just loaded")
		d, err := LoadFor(t.Context(), c.Metadata, previewed(ringConfig(data)), datasets.Options{})
		require.NoError(t, err)
		test, err := Evaluate(c, d, d.Test, 64)
		require.NoError(t, err)
		assert.Equal(t, result.Test, Score{Loss: test.Loss, Accuracy: test.Accuracy},
			"the test score is that of the best epoch's weights")
	})
}

// The test score belongs to the epoch that did best, not to the last one.
func TestTheBestEpochIsTested(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	c["schedule"], c["learning_rate"], c["epochs"] = "constant", 0.3, 12 // too high: it gets worse again
	dir := t.TempDir()
	result := trainIn(t, backend, c, dir)
	require.Less(t, result.BestEpoch, result.Epochs, "the test needs a run whose last epoch is not its best")
	classifier, err := models.Load(dir, models.LoadOptions{Backend: backend})
	require.NoError(t, err)
	d, err := LoadFor(t.Context(), classifier.Metadata, previewed(c), datasets.Options{})
	require.NoError(t, err)
	test, err := Evaluate(classifier, d, d.Test, 64)
	require.NoError(t, err)
	validation, err := Evaluate(classifier, d, d.Validation, 64)
	require.NoError(t, err)
	assert.Equal(t, Score{Loss: test.Loss, Accuracy: test.Accuracy}, result.Test)
	assert.Equal(t, &Score{Loss: validation.Loss, Accuracy: validation.Accuracy}, result.Validation)
}

func TestSeeds(t *testing.T) {
	backend := backendtest.Go(t) // on XLA, TestResume compares two runs of one seed
	c := ringConfig(writeRing(t, 200))
	c["epochs"] = 1
	first, second, other := t.TempDir(), t.TempDir(), t.TempDir()
	trainIn(t, backend, c, first)
	trainIn(t, backend, c, second)
	requireSameRun(t, first, second)
	c["seed"] = 2
	trainIn(t, backend, c, other)
	of1, _ := snapshotOf(t, first, checkpoint.Last)
	of2, _ := snapshotOf(t, other, checkpoint.Last)
	assert.ElementsMatch(t, weightPaths(of1), weightPaths(of2))
	for _, path := range weightPaths(of1) {
		// Batch normalisation cancels the bias before it, which so has no gradient and stays zero.
		cancelled := strings.HasSuffix(path, "/b") && path != "/model/classes/b"
		same := strings.HasSuffix(path, "/batch_norm/steps") || strings.Contains(path, "/held_") // with so few nodes
		if !same && !cancelled {
			assert.NotEqual(t, of1[path], of2[path], path)
		}
	}
}

func TestFinishedRunIsNotTrainedAgain(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	c["epochs"] = 1
	dir := t.TempDir()
	result := trainIn(t, backend, c, dir)
	again, err := Train(context.Background(), backend, c,
		Options{Dir: dir, Observer: Observer{Step: func(Progress) { t.Error("a step") }}})
	require.NoError(t, err)
	assert.True(t, again.Resumed)
	again.Resumed = false
	assert.Equal(t, result, again)

	c["epochs"], c["seed"] = 2, 3
	_, err = Train(context.Background(), backend, c, Options{Dir: dir})
	require.ErrorContains(t, err, dir+" holds a run with other settings (epochs was 1, is 2")
	delete(c, "epochs")
	delete(c, "seed")
	_, err = Train(context.Background(), backend, c, Options{Dir: dir})
	require.ErrorContains(t, err, "(epochs was 1, is ", "what is left to the data counts, too")
	c["epochs"], c["ccp_dropout"] = 1, 0.5
	_, err = Train(context.Background(), backend, c, Options{Dir: dir})
	require.ErrorContains(t, err, "(ccp_dropout was 0, is 0.5)")
}

func TestOneTrainingInADirectory(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	c["epochs"] = 1
	dir := t.TempDir()
	tried := false
	_, err := Train(context.Background(), backend, c, Options{Dir: dir, Observer: Observer{Step: func(Progress) {
		if !tried {
			tried = true
			_, err := Train(context.Background(), backend, c, Options{Dir: dir})
			assert.ErrorContains(t, err, "another process is training in "+dir)
		}
	}}})
	require.NoError(t, err)
	assert.True(t, tried)
}

func TestFewSamples(t *testing.T) {
	backend := backendtest.Go(t)
	marks := []int64{1, 1, 1, 1, 2, 2, 2, 2}
	c := ringConfig(writeRing(t, 16, marks...))
	c["batch"] = 64
	result := trainIn(t, backend, c, t.TempDir())
	assert.Equal(t, ringEpochs, result.Steps, "one batch of all 8 samples an epoch")
	assert.Equal(t, ringEpochs, result.Epochs)
}

// A split without validation samples gets some of the training samples.
func TestNoValidationSplit(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 80, 2, 2, 2, 2, 2, 2, 2, 2))
	c["epochs"] = 1
	var notices []string
	result, err := Train(context.Background(), backend, c,
		Options{Dir: t.TempDir(), Observer: Observer{Notice: func(n Notice) { notices = append(notices, n.String()) }}})
	require.NoError(t, err)
	assert.Equal(t, 1, result.BestEpoch)
	require.NotEmpty(t, notices)
	assert.Contains(t, notices[0], "data: split marks no validation sample (1): held out 9 training samples")
}

// What a check of the data would have said is said before a training of one's own file, too.
func TestOdditiesAreTold(t *testing.T) {
	path := writeRing(t, 80, 0, 0, 0, 0, 0, 0, 2, 2)
	file, err := npz.Open(path)
	require.NoError(t, err)
	var arrays []npz.Named
	for _, name := range file.Names() {
		a, err := file.Array(name)
		require.NoError(t, err)
		if values, is := a.Data.([]float32); is && name == "features" {
			copy(values[len(values)/80*6:len(values)/80*7], values) // the first test sample is the first one
		}
		arrays = append(arrays, npz.Named{Name: name, Array: a})
	}
	require.NoError(t, file.Close())
	require.NoError(t, npz.Write(path, arrays))
	c := ringConfig(path)
	c["epochs"] = 1
	var notices []string
	_, err = Train(t.Context(), backendtest.Go(t), c,
		Options{Dir: t.TempDir(), Observer: Observer{Notice: func(n Notice) { notices = append(notices, n.String()) }}})
	require.NoError(t, err)
	assert.Contains(t, strings.Join(notices, "\n"), "warning: 1 test samples are training samples, too (sample 6 is "+
		"sample 0)")
}

// Where nothing is held out for validation, each epoch counts as better than the one before.
func TestWithoutValidationTheLastEpochIsBest(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	d, err := datasets.Load(t.Context(), c["data"].(string), datasets.Options{})
	require.NoError(t, err)
	d.HeldOut = -1
	result, err := Train(context.Background(), backend, c, Options{Data: d, Dir: t.TempDir()})
	require.NoError(t, err)
	assert.Equal(t, ringEpochs, result.BestEpoch)
	assert.Nil(t, result.Validation)
	assert.Greater(t, result.Test.Accuracy, 0.8)
}

func TestTrainErrors(t *testing.T) {
	backend := backendtest.Go(t)
	data := writeRing(t, 200)
	for want, change := range map[string]func(c Patch){
		"epochs=-1":                                func(c Patch) { c["epochs"] = -1 },
		"data set \"nothing\" is not known":        func(c Patch) { c["data"] = "nothing" },
		"level 1: \"4\" is not CLUSTERSxFILTERS/L": func(c Patch) { c["levels"] = "4" },
		"level 2: L=5 exceeds its 4 nodes":         func(c Patch) { c["levels"] = "4x6/4,1x8/5" },
		"hidden layer 1: its width is \"0\"":       func(c Patch) { c["hidden"] = []int{0, 8} },
		"ccp_padding=node: it must be one of":      func(c Patch) { c["ccp_padding"] = "node" },
	} {
		c := ringConfig(data)
		change(c)
		dir := filepath.Join(t.TempDir(), "run")
		_, err := Train(context.Background(), backend, c, Options{Dir: dir})
		assert.ErrorContains(t, err, want)
		assert.NotContains(t, err.Error(), ".go:", "no stack trace")
		assert.NoDirExists(t, dir, "found before anything is written")
	}
}

func TestTrainInAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	_, err := Train(context.Background(), backendtest.Go(t), ringConfig(writeRing(t, 200)), Options{Dir: file})
	require.EqualError(t, err, file+" is not a directory")
}

// What fails in our own hook, here a snapshot that cannot be written, comes back as it was.
func TestTheHooksErrorComesBackUnwrapped(t *testing.T) {
	c := ringConfig(writeRing(t, 200))
	dir := t.TempDir()
	_, err := Train(context.Background(), backendtest.Go(t), c,
		Options{Dir: dir, Observer: Observer{Step: func(p Progress) {
			if p.Step == ringSteps && p.Epoch == 2 {
				require.NoError(t, os.Remove(filepath.Join(dir, historyFile)))
				require.NoError(t, os.MkdirAll(filepath.Join(dir, historyFile, "in the way"), 0o755))
			}
		}}})
	require.ErrorContains(t, err, historyFile)
	assert.True(t, strings.HasPrefix(err.Error(), "write "), err)
}

// The first step of a process, which compiles, is kept apart from the seconds of the training.
func TestCompileSeconds(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	c["epochs"] = 2
	dir := t.TempDir()
	var compiled []string
	observer := Observer{Compile: func() { compiled = append(compiled, "compile") }, Step: func(p Progress) {
		if len(compiled) == 1 {
			assert.Zero(t, p.PerSecond, "nothing but compilation so far")
		} else if len(compiled) == 3 {
			assert.Positive(t, p.PerSecond)
		}
		compiled = append(compiled, "step")
	}}
	result, err := Train(context.Background(), backend, c, Options{Dir: dir, Observer: observer})
	require.NoError(t, err)
	assert.Equal(t, []string{"compile", "step", "step"}, compiled[:3])
	assert.Positive(t, result.CompileSeconds)
	assert.Positive(t, result.Seconds)

	interrupted := t.TempDir()
	trainUntil(t, backend, c, interrupted, 1)
	var last trainState
	_, _, err = checkpoint.Load(interrupted, checkpoint.Last, model.NewStore(), &last)
	require.NoError(t, err)
	assert.Positive(t, last.Compile)
	assert.Zero(t, last.Sums.Timed)
	again := trainIn(t, backend, c, interrupted)
	assert.Greater(t, again.CompileSeconds, last.Compile, "both processes compiled")
}

func TestDescribeHierarchy(t *testing.T) {
	assert.Equal(t, "C 50.8 + 15.7 + 0.5 = 67.0; coverage 100 99 31%",
		describe(&ccp.Hierarchy{Objective: []float64{50.8, 15.7, 0.5}, Coverage: []float64{1, 0.9999, 0.3125}}))
	assert.Equal(t, "C 0.5; coverage 100%", describe(&ccp.Hierarchy{Objective: []float64{0.5}, Coverage: []float64{1}}))
}

// A star's leaves have no rank in clusters without the hub, and a training names them and what helps.
func TestNodesThatNoClusterReads(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var edges []affinity.Edge
	for i := 1; i < 40; i++ {
		edges = append(edges, affinity.Edge{I: 0, J: i, Weight: 1})
	}
	star, err := affinity.New(40, edges)
	require.NoError(t, err)
	prepared := func(size int) string {
		h, err := ccp.Prepare(star).Level(10, size).Level(1, 9).Hierarchies(2).Done(t.Context())
		require.NoError(t, err)
		return unreadOf(h)
	}
	assert.Regexp(t,
		`^no neighbourhood holds \d\d% of its nodes, whose signals are lost; nodes \d+, .* and \d+ more have no links `+
			`within their own cluster, as where one node, a hub,`, prepared(9))
	assert.Empty(t, prepared(40), "a neighbourhood of all nodes")
	assert.Empty(t, unreadOf(&ccp.Hierarchy{Objective: []float64{0.5}, Coverage: []float64{1}}))
}

// A search for a hierarchy is told of, and can be interrupted.
func TestPreparingIsInterrupted(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	c := ringConfig(writeRing(t, 200))
	c["ccp_hierarchy"] = ccp.Prepared
	ctx, cancel := context.WithCancel(context.Background())
	var told []int
	var notices []string
	observer := Observer{
		Begin:   func(Config, *datasets.Dataset, models.Spec, int, int) { told = append(told, 0) },
		Prepare: func(level int, done, objective float64) { told = append(told, level); cancel() },
		Notice:  func(n Notice) { notices = append(notices, n.String()) },
	}
	_, err := Train(ctx, backendtest.Go(t), c, Options{Dir: t.TempDir(), Observer: observer})
	require.ErrorIs(t, err, ErrInterrupted)
	require.EqualError(t, err, "interrupted before the first step: give the same command to start again")
	assert.Equal(t, []int{0, 1}, told)

	observer.Prepare = nil
	_, err = Train(context.Background(), backendtest.Go(t), c, Options{Dir: t.TempDir(), Observer: observer})
	require.NoError(t, err)
	assert.Regexp(t, `^hierarchy prepared: C \d\.\d \+ 0\.5 = \d\.\d; coverage 100 75%$`, notices[len(notices)-1])
}

func pad(step int) string { return string([]byte{byte('0' + step/10), byte('0' + step%10)}) }

func listDir(t testing.TB, dir string) (names []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
