package checkpoint

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/files/filestest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type state struct {
	Step  int       `json:"step"`
	Sums  []float64 `json:"sums"`
	Notes string    `json:"notes"`
}

// variables are values of several types, from a scalar to three axes, the bits of the floats being awkward ones.
func variables() map[string]any {
	return map[string]any{
		"/model/level_1/U": [][]float32{{0.1, -1e-40}, {3e38, 0}},
		"/model/W":         [][][]float64{{{1.0 / 3, 2}, {3, 4}}},
		"/model/count":     int32(-7),
		"/global_step":     int64(1) << 40,
		"/model/mask":      []bool{true, false, true},
		"/optimizer/bytes": []uint8{0, 255},
	}
}

func valuesOf(store *model.Store) map[string]any {
	values := map[string]any{}
	for v := range store.IterVariables() {
		values[v.Path()] = v.MustValue().Value()
	}
	return values
}

// save writes the snapshot KIND-STEP of a single variable that holds the step.
func save(t *testing.T, dir, kind string, step, keep int) {
	t.Helper()
	store := backendtest.Store(t, weights(step))
	require.NoError(t, Save(dir, kind, step, keep, store, state{Step: step}, nil))
}

// weights are the variables that save writes; GoMLX adds the global step where there is none.
func weights(step int) map[string]any {
	return map[string]any{"/model/w": []float32{float32(step)}, "/global_step": int64(step)}
}

func TestSaveAndLoad(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "[run]")
	saved := state{Step: 120, Sums: []float64{0.1, 1e300}, Notes: "ä\n"}
	require.NoError(t, Save(dir, Last, 120, 2, backendtest.Store(t, variables()), saved, nil))
	assert.True(t, Exists(os.DirFS(dir), Last))
	assert.False(t, Exists(os.DirFS(dir), Best))

	for name, store := range map[string]*model.Store{
		"into an empty store": model.NewStore(),
		"over other values": backendtest.Store(t,
			map[string]any{"/model/count": int32(1), "/model/mask": []bool{false, false, false}}),
	} {
		var loaded state
		step, passedOver, err := Load(dir, Last, store, &loaded)
		require.NoError(t, err, name)
		assert.Equal(t, 120, step, name)
		assert.Empty(t, passedOver, name)
		assert.Equal(t, saved, loaded, name)
		assert.Equal(t, variables(), valuesOf(store), name)
		assert.Nil(t, store.Loader(), "%s: no loader is left behind", name)
	}
}

func TestSaveLeavesOutWhatIsSkipped(t *testing.T) {
	dir := t.TempDir()
	err := Save(dir, Best, 3, 1, backendtest.Store(t, variables()),
		nil, func(v *model.Variable) bool { return !strings.HasPrefix(v.Path(), "/model/") })
	require.NoError(t, err)
	store := model.NewStore()
	_, _, err = Load(dir, Best, store, new(any))
	require.NoError(t, err)
	want := variables()
	delete(want, "/global_step")
	delete(want, "/optimizer/bytes")
	assert.Equal(t, want, valuesOf(store))
}

func TestKeepTheNewestOfEachKind(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, Best, 10, 1)
	for _, step := range []int{10, 20, 30, 30} {
		save(t, dir, Last, step, 2)
	}
	assert.Equal(t, []string{"best-00000010", "last-00000020", "last-00000030"}, filestest.Names(t, dir))
	save(t, dir, Best, 20, 1)
	assert.Equal(t, []string{"best-00000020", "last-00000020", "last-00000030"}, filestest.Names(t, dir))
}

// Steps are numbers, not text: the 100,000,000th has a digit more.
func TestManySteps(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, Last, 99_999_999, 2)
	save(t, dir, Last, 100_000_000, 2)
	step, _, err := Load(dir, Last, model.NewStore(), new(state))
	require.NoError(t, err)
	assert.Equal(t, 100_000_000, step)
}

// A run that goes on from an earlier snapshot, or from the beginning, has a new future: the old one must neither hide
// what is saved now nor push it out.
func TestSavingBehindAnAbandonedSnapshot(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, Last, 100, 2)
	save(t, dir, Last, 120, 2)
	save(t, dir, Best, 120, 1)
	save(t, dir, Last, 20, 2)
	save(t, dir, Best, 20, 1)
	for _, kind := range []string{Last, Best} {
		step, _, err := Load(dir, kind, model.NewStore(), new(state))
		require.NoError(t, err)
		assert.Equal(t, 20, step, kind)
	}
}

func TestKilledWritersAreCleanedUp(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, Last, 1, 2)
	others := []string{files.Unfinished + "best-00000002-123", files.Unfinished + "mine.npz-ABC",
		files.Unfinished + "ucla-123"}
	for _, name := range append(others, files.Unfinished+"last-00000002-123") {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, stateName), []byte("{"), 0o600))
	}

	var loaded state
	step, passedOver, err := Load(dir, Last, model.NewStore(), &loaded)
	require.NoError(t, err)
	assert.Equal(t, 1, step)
	assert.Empty(t, passedOver, "what was never renamed is no snapshot")

	save(t, dir, Last, 2, 2)
	assert.Equal(t, append(others, "last-00000001", "last-00000002"), filestest.Names(t, dir),
		"other processes may write the others")
}

// pruned is a directory in which a training saves a better snapshot, and removes the old one, while that is being read.
type pruned struct {
	fs.FS
	save func()
}

func (p pruned) Open(name string) (fs.File, error) {
	if strings.HasSuffix(name, "best-00000001/"+manifestName) {
		p.save()
	}
	return p.FS.Open(name)
}

func TestSnapshotRemovedWhileItIsRead(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, Best, 1, 1)
	store := model.NewStore()
	step, passedOver, err := Read(pruned{os.DirFS(dir), func() { save(t, dir, Best, 2, 1) }}, dir, Best, nil, store,
		new(state))
	require.NoError(t, err)
	assert.Equal(t, 2, step)
	assert.Empty(t, passedOver)
	assert.Equal(t, weights(2), valuesOf(store))
}

func TestDamagedSnapshotsArePassedOver(t *testing.T) {
	binary := func(t *testing.T, snapshot string) string {
		found, err := filepath.Glob(filepath.Join(snapshot, "*.bin"))
		require.NoError(t, err)
		require.Len(t, found, 1)
		return found[0]
	}
	for name, c := range map[string]struct {
		damage func(t *testing.T, snapshot string)
		says   string
	}{
		"truncated weights": {func(t *testing.T, s string) { require.NoError(t, os.Truncate(binary(t, s), 3)) },
			".bin has 3 bytes"},
		"flipped byte": {func(t *testing.T, s string) { flip(t, binary(t, s), 0) }, ".bin … 12 bytes … SHA-256"},
		"weights gone": {func(t *testing.T, s string) { require.NoError(t, os.Remove(binary(t, s))) }, ".bin: "},
		"manifest gone": {func(t *testing.T,
			s string) {
			require.NoError(t, os.Remove(filepath.Join(s, manifestName)))
		}, "manifest.json: … open"},
		"half a manifest": {func(t *testing.T,
			s string) {
			require.NoError(t, os.Truncate(filepath.Join(s, manifestName), 40))
		}, "manifest.json: unexpected end"},
		"empty manifest": {func(t *testing.T, s string) { write(t, filepath.Join(s, manifestName), "{}") }, "manifest.json"},
		"half a state": {func(t *testing.T,
			s string) {
			require.NoError(t, os.Truncate(filepath.Join(s, stateName), 9))
		}, "state.json has 9 bytes"},
		"empty directory": {func(t *testing.T, s string) {
			require.NoError(t, os.RemoveAll(s))
			require.NoError(t, os.Mkdir(s, 0o755))
		}, "manifest.json: … open"},
		"another's name": {func(t *testing.T, s string) {
			require.NoError(t, os.Rename(filepath.Join(filepath.Dir(s), "last-00000001"), s+"x"))
			require.NoError(t, os.RemoveAll(s))
			save(t, filepath.Dir(s), Last, 1, 2)
			require.NoError(t, os.Rename(s+"x", s))
		}, "manifest.json"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			save(t, dir, Last, 1, 2)
			save(t, dir, Last, 2, 2)
			newest := filepath.Join(dir, "last-00000002")
			c.damage(t, newest)

			var loaded state
			store := model.NewStore()
			step, passedOver, err := Load(dir, Last, store, &loaded)
			require.NoError(t, err)
			assert.Equal(t, 1, step)
			assert.Equal(t, state{Step: 1}, loaded)
			assert.Equal(t, weights(1), valuesOf(store))
			require.Len(t, passedOver, 1)
			messagetest.Names(t, passedOver[0], newest+" … damaged … "+c.says)
		})
	}
}

// Whichever byte of the manifest changes, what is loaded is what was saved, or the snapshot before.
func TestEveryByteOfTheManifestCounts(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, Last, 1, 2)
	save(t, dir, Last, 2, 2)
	path := filepath.Join(dir, "last-00000002", manifestName)
	info, err := os.Stat(path)
	require.NoError(t, err)
	whole := 0
	for at := range info.Size() {
		flip(t, path, at)
		var loaded state
		store := model.NewStore()
		step, _, err := Load(dir, Last, store, &loaded)
		require.NoError(t, err)
		require.Equal(t, state{Step: step}, loaded, "byte %d", at)
		require.Equal(t, weights(step), valuesOf(store), "byte %d", at)
		if step == 2 {
			whole++
		}
		flip(t, path, at)
	}
	assert.Less(t, whole, int(info.Size()/10))
}

func TestNoneLeft(t *testing.T) {
	dir := t.TempDir()
	_, passedOver, err := Load(filepath.Join(dir, "absent"), Last, model.NewStore(), new(state))
	require.ErrorIs(t, err, ErrNone)
	assert.Empty(t, passedOver)
	assert.False(t, Exists(os.DirFS(filepath.Join(dir, "absent")), Last))

	save(t, dir, Last, 1, 2)
	save(t, dir, Last, 2, 2)
	for _, name := range []string{"last-00000001", "last-00000002"} {
		require.NoError(t, os.Remove(filepath.Join(dir, name, manifestName)))
	}
	store := model.NewStore()
	_, passedOver, err = Load(dir, Last, store, new(state))
	require.ErrorIs(t, err, ErrNone)
	assert.Len(t, passedOver, 2)
	assert.ErrorContains(t, err, filepath.Join(dir, "last-00000001"))
	assert.ErrorContains(t, err, filepath.Join(dir, "last-00000002"))
	assert.Zero(t, store.NumVariables())
	assert.True(t, Exists(os.DirFS(dir), Last), "damaged, but there")
}

func TestForeignNamesAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	foreign := []string{"last", "last-", "last-1", "last--0000001", "last-+0000009", "last-00000009.bak", "notes"}
	for _, name := range foreign {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	}
	write(t, filepath.Join(dir, "last-00000099"), "a file")
	assert.False(t, Exists(os.DirFS(dir), Last))
	save(t, dir, "last-best", 3, 1)
	save(t, dir, Last, 4, 1)
	save(t, dir, Last, 5, 1)
	step, passedOver, err := Load(dir, Last, model.NewStore(), new(state))
	require.NoError(t, err)
	assert.Equal(t, 5, step)
	assert.Empty(t, passedOver)
	step, _, err = Load(dir, "last-best", model.NewStore(), new(state))
	require.NoError(t, err)
	assert.Equal(t, 3, step)

	require.NoError(t, Remove(dir))
	assert.ElementsMatch(t, append(foreign, "last-00000099", "last-best-00000003"), filestest.Names(t, dir))
}

func TestReadOnlyDirectory(t *testing.T) {
	if os.Geteuid() < 1 {
		t.Skip("root may write anywhere, and on Windows anybody may write in a folder that is read-only")
	}
	dir := t.TempDir()
	save(t, dir, Last, 1, 2)
	require.NoError(t, os.Chmod(dir, 0o555))
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	err := Save(dir, Last, 2, 2, model.NewStore(), state{}, nil)
	require.ErrorIs(t, err, os.ErrPermission)
	assert.ErrorContains(t, err, dir)
	require.ErrorContains(t, files.WriteJSON(filepath.Join(dir, "a.json"), 1), filepath.Join(dir, "a.json"))
	step, _, err := Load(dir, Last, model.NewStore(), new(state))
	require.NoError(t, err)
	assert.Equal(t, 1, step)
}

// The same with a file where the directory should be, which root cannot write to either.
func TestUnusableDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "precious")
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		require.ErrorContains(t, Save(dir, Last, 2, 2, model.NewStore(), state{}, nil), file)
		_, _, err := Load(dir, Last, model.NewStore(), new(state))
		require.ErrorContains(t, err, file)
	}
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "precious", string(raw))
}

func TestSaveThatFailsLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, Last, 1, 1)
	err := Save(dir, Last, 2, 1, backendtest.Store(t, variables()), make(chan int), nil)
	require.ErrorContains(t, err, stateName)
	var unsupported *json.UnsupportedTypeError
	require.ErrorAs(t, err, &unsupported)
	assert.Equal(t, []string{"last-00000001"}, filestest.Names(t, dir))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// flip changes the lowest bit of the byte at a position; twice changes nothing.
func flip(t *testing.T, path string, at int64) {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	raw[at] ^= 1
	require.NoError(t, os.WriteFile(path, raw, 0o644))
}

// Variables with a shape that is none, or of more memory than there is, are damage like any other.
func TestBadShapes(t *testing.T) {
	for _, shape := range []string{"-1", "4611686018427387904", "1099511627776", "4294967296, 4294967296", "2"} {
		dir := t.TempDir()
		save(t, dir, Last, 1, 1)
		folder := filepath.Join(dir, "last-00000001")
		name, err := only(os.DirFS(folder), "json")
		require.NoError(t, err)
		raw, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		changed := regexp.MustCompile(`("Dimensions": \[)\s*1\s*\]`).ReplaceAll(raw, []byte("${1}"+shape+"]"))
		require.NotEqual(t, raw, changed)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), changed, 0o600))
		require.NoError(t, os.Remove(filepath.Join(folder, manifestName)))
		require.NoError(t, writeManifest(folder, 1, dir))
		_, passedOver, err := Load(dir, Last, model.NewStore(), new(state))
		require.ErrorIs(t, err, ErrNone, shape)
		assert.Contains(t, passedOver[0], "last-00000001 is damaged: ", shape)
	}
}
