package data

import (
	"archive/zip"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/benchmarks/paper/data/internal/skeleton"
	"github.com/clusterpool/ccp/datasets"
)

// emptyCache gives the test a cache directory of its own.
func emptyCache(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("HOME", dir)
	return dir
}

// moving is the positions of a body's joints in a number of frames, `[frames][joints][3]`, drawn from a seed.
func moving(seed uint64, frames, joints int) (poses [][][3]float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for frame := range frames {
		var pose [][3]float64
		for joint := range joints {
			phase := float64(seed) + float64(frame)/5
			pose = append(pose, [3]float64{0.1*float64(joint%5) + 0.3*math.Sin(phase), 1 - 0.1*float64(joint),
				3 + 0.05*float64(joint%3) + 0.01*rng.NormFloat64()})
		}
		poses = append(poses, pose)
	}
	return poses
}

// ntuText is a .skeleton file of bodies of one id each, all there in all frames.
func ntuText(bodies ...[][][3]float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d\n", len(bodies[0]))
	for frame := range bodies[0] {
		fmt.Fprintf(&b, "%d\n", len(bodies))
		for id, body := range bodies {
			fmt.Fprintf(&b, "7205759403793110%d 0 1 1 1 1 0 0.01 -0.02 2\n25\n", id)
			for _, p := range body[frame] {
				fmt.Fprintf(&b, "%.7g %.7g %.7g 277.4 191.8 1036.2 519.1 -0.2 0.05 0.96 -0.12 2\n", p[0], p[1], p[2])
			}
		}
	}
	return b.String()
}

// writeRecordings writes files, all with one time of change, to a folder.
func writeRecordings(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for name, content := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
		require.NoError(t, os.Chtimes(path, time.Unix(1e9, 0), time.Unix(1e9, 0)))
	}
}

// zipFiles packs files into an archive, in a folder of it.
func zipFiles(t *testing.T, path string, files map[string]string) {
	t.Helper()
	file, err := os.Create(path)
	require.NoError(t, err)
	packer := zip.NewWriter(file)
	for name, content := range files {
		entry, err := packer.Create("folder/" + name)
		require.NoError(t, err)
		_, err = entry.Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, packer.Close())
	require.NoError(t, file.Close())
}

// smallNTU is a set of files: two cameras, two performers of whom one is trained on, four takes of each of five
// actions; the fifth has two bodies.
func smallNTU() map[string]string {
	files := map[string]string{}
	for camera := 1; camera <= 2; camera++ {
		for _, performer := range []int{2, 3} {
			for take := 1; take <= 4; take++ {
				for action := 1; action <= 5; action++ {
					seed := uint64(camera + 10*performer + 100*take + 1000*action)
					bodies := [][][][3]float64{moving(seed, 3+take, 25)}
					if action == 5 {
						bodies = append(bodies, moving(seed+1, 3+take, 25))
					}
					files[fmt.Sprintf("S001C%03dP%03dR%03dA%03d.skeleton", camera, performer, take, action)] = ntuText(bodies...)
				}
			}
		}
	}
	return files
}

// samples reads all samples of a data set.
func samples(d *datasets.Dataset) [][]float32 {
	all := make([][]float32, d.Signals.Len())
	for i := range all {
		all[i] = make([]float32, d.Nodes*d.Channels)
		d.Signals.Read(i, all[i])
	}
	return all
}

func TestNTU(t *testing.T) {
	cache := emptyCache(t)
	dir := t.TempDir()
	files := smallNTU()
	lost, other := "S001C001P001R001A001", "S001C001P002R001A061.skeleton"
	files[lost+".skeleton"] = "2\n0\n0\n"
	files[other] = files["S001C001P002R001A001.skeleton"]
	writeRecordings(t, filepath.Join(dir, "nturgb+d_skeletons"), files)
	writeRecordings(t, dir,
		map[string]string{"samples_with_Missing_skeletons.txt": "The list:\n\n" + lost + "\nS017C003P020R002A060\n"})

	var stages []string
	opts := datasets.Options{HoldOut: true, DataDir: dir, Own: map[string]any{"protocol": skeleton.CrossView},
		Augment: true, Progress: func(doing string, _ float64) { stages = append(stages, doing) }}
	d, err := datasets.Load(t.Context(), "ntu", opts)
	require.NoError(t, err)
	assert.Equal(t, "reading 80 recordings", stages[0])
	assert.Equal(t, []int{80, 2000, 6, 60}, []int{d.Signals.Len(), d.Nodes, d.Channels, d.Classes()})
	assert.Equal(t, 3895, d.Affinity.Edges())
	assert.Equal(t, "head@12", d.NodeNames[12*25+3])
	assert.Equal(t, []int{36, 4, 40}, []int{len(d.Train), len(d.Validation), len(d.Test)})
	messagetest.EachNames(t, d.Raw.Warnings, "cross-view … 40 training … 40 test … 37646 and 18932")
	messagetest.Names(t, d.Notes[0], "Missing_skeletons.txt … 2 recordings … missing")
	messagetest.Names(t, d.Notes[1], "2 of 82 … left out … 1 listed as missing … 1 of another set")
	require.NoError(t, d.Validate())
	for i, label := range d.Labels {
		assert.Equal(t, int32(i%5), label, "files in the order of their names")
		sample := make([]float32, 12_000)
		d.Sample(i, sample)
		for axis, want := range []float32{0, 0, 0} { // mid spine of the first frame
			require.InDelta(t, want, sample[6+axis], 1e-3)
		}
		for j, v := range sample {
			if j%6 >= 3 && i%5 != 4 {
				require.Zero(t, v, "no second body")
			}
		}
		require.Equal(t, i%5 == 4, sample[3] != 0)
		if i%5 != 4 {
			d.Augment(rand.New(rand.NewPCG(1, uint64(i))), sample)
			require.NotZero(t, sample[0])
			require.Zero(t, sample[3])
		}
	}
	for _, i := range d.Test {
		assert.Less(t, i, 40, "camera 1")
	}

	// What is kept is taken, whatever the files now hold; another protocol needs nothing new.
	kept, err := filepath.Glob(filepath.Join(cache, "ccp", "ntu-*.skeletons"))
	require.NoError(t, err)
	if len(kept) == 0 { // not every system has its cache there
		kept, _ = filepath.Glob(filepath.Join(cache, "*", "*", "ccp", "ntu-*.skeletons"))
	}
	require.Len(t, kept, 1)
	first := samples(d)
	name := "S001C001P002R001A001.skeleton"
	writeRecordings(t, filepath.Join(dir, "nturgb+d_skeletons"),
		map[string]string{name: strings.Repeat("x", len(files[name]))})
	stages = nil
	opts.Own = nil
	d, err = datasets.Load(t.Context(), "ntu", opts)
	require.NoError(t, err)
	assert.Empty(t, stages)
	assert.Equal(t, first, samples(d))
	for _, i := range d.Test {
		assert.GreaterOrEqual(t, i%40, 20, "performer 3")
	}
	// A damaged cache is made again, from files that must be readable then.
	content, err := os.ReadFile(kept[0])
	require.NoError(t, err)
	content[len(content)/2] ^= 1
	require.NoError(t, os.WriteFile(kept[0], content, 0o644))
	_, err = datasets.Load(t.Context(), "ntu", opts)
	assert.ErrorContains(t, err, "ntu: "+filepath.Join(dir, "nturgb+d_skeletons")+": "+name+`: line 1: "xxxx`)
	messagetest.Names(t, err, "missing … .txt")
	writeRecordings(t, filepath.Join(dir, "nturgb+d_skeletons"), map[string]string{name: files[name]})
	d, err = datasets.Load(t.Context(), "ntu", opts)
	require.NoError(t, err)
	assert.NotEmpty(t, stages)
	assert.Equal(t, first, samples(d))
}

func TestNTUArchive(t *testing.T) {
	emptyCache(t)
	dir, zipped := t.TempDir(), t.TempDir()
	files := smallNTU()
	writeRecordings(t, dir, files)
	files["readme.txt"] = "hello"
	zipFiles(t, filepath.Join(zipped, skeleton.NTU.Archive), files)
	want, err := datasets.Load(t.Context(), "ntu", datasets.Options{HoldOut: true, DataDir: dir})
	require.NoError(t, err)
	got, err := datasets.Load(t.Context(), "ntu", datasets.Options{HoldOut: true, DataDir: zipped})
	require.NoError(t, err)
	assert.Equal(t, want.Labels, got.Labels)
	assert.Equal(t, samples(want), samples(got))
	assert.Contains(t, got.Provenance, skeleton.NTU.Archive)

	path := filepath.Join(zipped, skeleton.NTU.Archive)
	require.NoError(t, os.Truncate(path, 1000))
	_, err = datasets.Load(t.Context(), "ntu", datasets.Options{HoldOut: true, DataDir: zipped})
	assert.ErrorContains(t, err, "ntu: "+path+": zip:")
	zipFiles(t, path, map[string]string{"readme.txt": "hello"})
	_, err = datasets.Load(t.Context(), "ntu", datasets.Options{HoldOut: true, DataDir: zipped})
	messagetest.Names(t, err, "no recordings … S001C001P001R001A001.skeleton")
}

func TestNTUErrors(t *testing.T) {
	emptyCache(t)
	dir := t.TempDir()
	writeRecordings(t, dir, map[string]string{"S001C001P001R001A061.skeleton": "0",
		"S018C001P001R001A001.skeleton": "0", "S001C001P001R001A002.skeleton": "0"})
	writeRecordings(t, dir, map[string]string{"missing.txt": "S001C001P001R001A002"})
	_, err := datasets.Load(t.Context(), "ntu", datasets.Options{HoldOut: true, DataDir: dir})
	messagetest.Names(t, err, "none of the 3 … "+dir+" … 1 are listed … missing … 2 are of another")
}

// TestKeptInNoCache warns where nothing can be kept, and goes on.
func TestKeptInNoCache(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	dir := t.TempDir()
	writeRecordings(t, dir, smallNTU())
	d, err := datasets.Load(t.Context(), "ntu", datasets.Options{HoldOut: true, DataDir: dir})
	require.NoError(t, err)
	messagetest.Names(t, strings.Join(d.Warnings, "\n"), "cannot be kept")
}

func TestSkeletonSources(t *testing.T) {
	for _, of := range []struct {
		info   datasets.Source
		source *skeleton.Source
		usual  string
	}{{ntu, &skeleton.NTU, datasets.OptionsOf[ntuOptions](nil).Protocol},
		{nwucla, &skeleton.NWUCLA, datasets.OptionsOf[nwuclaOptions](nil).Protocol}} {
		assert.Equal(t, of.source.Splits[0].Name, of.usual)
		for _, split := range of.source.Splits {
			_, err := training.Preview(training.Patch{"data": of.info.Name, "protocol": split.Name})
			require.NoError(t, err)
			assert.Equal(t, of.info.Samples, split.Train+split.Test)
		}
	}
	var _ datasets.Signals = (*skeleton.Signals)(nil)
}
