package skeleton

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// collection is n files of NTU's format; file i holds a body i cm to the right.
func collection(n int) *Collection {
	folder := fstest.MapFS{}
	c := &Collection{FS: folder, Parse: func(_ string, content []byte) (*Recording, error) { return ParseNTU(content) },
		Preparation: Preparation{Layout: &KinectV2, Frames: 3, Bodies: 2}}
	for i := range n {
		path := fmt.Sprintf("some/%03d.skeleton", i)
		var frames [][]string
		for frame := range 1 + i%7 {
			frames = append(frames, []string{ntuBody("1", ntuPositions(0.01*float64(i*frame))...)})
		}
		folder[path] = &fstest.MapFile{Data: []byte(ntuFile(frames...)), ModTime: time.Unix(int64(i), 0)}
		c.Files = append(c.Files, File{Path: path, Size: int64(len(folder[path].Data)), Modified: folder[path].ModTime})
	}
	return c
}

func TestPrepare(t *testing.T) {
	c := collection(50)
	var progress []float64
	signals, err := c.Prepare(t.Context(), func(done float64) { progress = append(progress, done) })
	require.NoError(t, err)
	require.Equal(t, 50, signals.Len())
	require.Len(t, progress, 50)
	assert.IsIncreasing(t, progress)
	assert.Equal(t, 1., progress[49])
	for i, file := range c.Files {
		r, err := ParseNTU(c.FS.(fstest.MapFS)[file.Path].Data)
		require.NoError(t, err)
		want := signal(t, c.Preparation, r)
		got := make([]float32, signals.Size(i))
		signals.Read(i, got)
		require.InDeltaSlice(t, want, got, 1e-4, "file %d", i)
	}
	again, err := c.Prepare(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, signals, again)
	none, err := collection(0).Prepare(t.Context(), nil)
	require.NoError(t, err)
	assert.Zero(t, none.Len())
}

func TestPrepareErrors(t *testing.T) {
	c := collection(12)
	folder := c.FS.(fstest.MapFS)
	folder[c.Files[3].Path].Data = folder[c.Files[3].Path].Data[:1000] // cut short after it was listed
	folder[c.Files[5].Path] = &fstest.MapFile{Data: []byte("2\n0\n0\n")}
	c.Files[5].Size = 6
	_, err := c.Prepare(t.Context(), nil)
	messagetest.Names(t, err, fmt.Sprintf("some/003.skeleton: … damaged … 1000 bytes … %d", c.Files[3].Size))
	messagetest.Names(t, err, "some/005.skeleton: … no body … 2 frames")

	c.Files[3].Size = 1000
	folder[c.Files[7].Path].Data = append(folder[c.Files[7].Path].Data, '\n')
	delete(folder, c.Files[8].Path)
	c.Files[9].Size = 1 << 40
	_, err = c.Prepare(t.Context(), nil)
	messagetest.Names(t, err, "some/003.skeleton … frame 1 of 4 … body 1 of 1 … joint 16 … line 20 … ends")
	assert.ErrorContains(t, err, "some/007.skeleton: has changed")
	assert.ErrorContains(t, err, "; and 2 more")

	c = collection(1)
	c.Parse = func(name string, _ []byte) (*Recording, error) { return nil, errors.New("parsed " + name) }
	_, err = c.Prepare(t.Context(), nil)
	assert.EqualError(t, err, "some/000.skeleton: parsed 000.skeleton")
}

// TestKey changes each thing that decides the signals.
func TestKey(t *testing.T) {
	seen := map[Key]string{collection(3).Key(): "as it was"}
	for name, change := range map[string]func(c *Collection){
		"size":     func(c *Collection) { c.Files[1].Size++ },
		"time":     func(c *Collection) { c.Files[1].Modified = time.Unix(99, 1) },
		"name":     func(c *Collection) { c.Files[1].Path = "some/other" },
		"one less": func(c *Collection) { c.Files = c.Files[:2] },
		"order":    func(c *Collection) { c.Files[0], c.Files[1] = c.Files[1], c.Files[0] },
		"frames":   func(c *Collection) { c.Preparation.Frames++ },
		"bodies":   func(c *Collection) { c.Preparation.Bodies++ },
		"streams":  func(c *Collection) { c.Preparation.Streams = true },
		"layout":   func(c *Collection) { c.Preparation.Layout = &KinectV1 },
	} {
		c := collection(3)
		change(c)
		assert.Empty(t, seen[c.Key()], name)
		seen[c.Key()] = name
	}
	elsewhere := collection(3)
	for i := range elsewhere.Files {
		elsewhere.Files[i].Path = elsewhere.Files[i].Name()
	}
	assert.Equal(t, "as it was", seen[elsewhere.Key()], "the folder does not matter")
}

func TestSignals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := NewSignals(3)
	assert.Equal(t, 3, s.Len())
	s.Set(0, []float32{5})
	s.Set(2, make([]float32, 7))
	got := make([]float32, 7)
	for _, largest := range []float32{1, 4.5, 1e-6, 1e38} {
		values := []float32{0, largest, -largest, 0, 0, 0, 0}
		for i := 3; i < 7; i++ {
			values[i] = largest * float32(rng.Float64()*2-1)
		}
		s.Set(1, values)
		s.Read(1, got)
		assert.Zero(t, got[0])
		for i := range got {
			assert.InDelta(t, values[i]/largest, got[i]/largest, 2e-5)
		}
	}
	assert.Equal(t, []int{1, 7, 7}, []int{s.Size(0), s.Size(1), s.Size(2)}, "each has its own length")
	s.Read(2, got)
	assert.Equal(t, make([]float32, 7), got, "zeros stay")
	s.Read(0, got)
	assert.Equal(t, float32(5), got[0])
}

func TestCopies(t *testing.T) {
	s := NewSignals(5)
	for i, values := range [][]float32{{1, 2}, {3, 4}, {1, 2}, {2, 4}, {1, 2}} {
		s.Set(i, values)
	}
	assert.Equal(t, 2, s.Copies([]int{2, 3, 4}, []int{0, 1}), "twice as large is no copy")
	assert.Zero(t, s.Copies([]int{3}, []int{0, 1, 2, 4}))
	assert.Zero(t, s.Copies(nil, []int{0}))
	assert.Zero(t, s.Copies([]int{0}, nil))
}

func TestCache(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.skeletons")
	c := collection(4)
	key := c.Key()
	signals, err := c.Prepare(t.Context(), nil)
	require.NoError(t, err)
	read := func() error {
		got, err := ReadCache(path, key, 4)
		if err == nil {
			require.Equal(t, signals, got)
		}
		return err
	}
	require.ErrorIs(t, read(), os.ErrNotExist)
	require.NoError(t, signals.WriteCache(path, key))
	require.NoError(t, read())
	require.NoError(t, signals.WriteCache(path, key), "over itself")
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing else is left")

	_, err = ReadCache(path, Key{}, 4)
	assert.ErrorContains(t, err, "made from other recordings")
	_, err = ReadCache(path, key, 3)
	assert.ErrorContains(t, err, "made from other recordings")

	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	records := bytes.IndexByte(whole, '\n') + 1
	for _, at := range []int{0, 20, records - 1, records, len(whole) - 1} {
		damaged := append([]byte{}, whole...)
		damaged[at] ^= 4
		require.NoError(t, os.WriteFile(path, damaged, 0o644))
		assert.Error(t, read(), "byte %d", at)
	}
	for _, length := range []int{0, 10, records, len(whole) - 1} {
		require.NoError(t, os.WriteFile(path, whole[:length], 0o644))
		assert.ErrorContains(t, read(), "damaged", "%d bytes", length)
	}
	require.NoError(t, os.WriteFile(path, append(whole, 0), 0o644))
	assert.ErrorContains(t, read(), "damaged")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
	assert.Error(t, signals.WriteCache(filepath.Join(dir, "file", "a"), key), "there is no such folder")
}

// FuzzReadCache reads anything as a cache.
func FuzzReadCache(f *testing.F) {
	s := NewSignals(2)
	s.Set(0, []float32{4})
	s.Set(1, []float32{1, -2, 3})
	path := filepath.Join(f.TempDir(), "a")
	require.NoError(f, s.WriteCache(path, Key{1}))
	whole, err := os.ReadFile(path)
	require.NoError(f, err)
	f.Add(whole)
	f.Add(whole[:50])
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "a")
		require.NoError(t, os.WriteFile(path, content, 0o644))
		if got, err := ReadCache(path, Key{1}, 2); err == nil {
			require.Equal(t, 2, got.Len())
			got.Read(1, make([]float32, got.Size(1)))
		}
	})
}

func ExampleCollection() {
	c := collection(5)
	signals, err := c.Prepare(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	sample := make([]float32, c.Preparation.Nodes()*c.Preparation.Channels())
	signals.Read(4, sample)
	fmt.Println(signals.Len(), c.Preparation.Nodes(), c.Preparation.Channels())
	// Output: 5 75 6
}

// Who gives up waits for no file more, and gets no half of the signals.
func TestPrepareStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	signals, err := collection(5).Prepare(ctx, nil)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Nil(t, signals)
}
