package datasets

import (
	"archive/zip"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLoadErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		opts Options
		want string
	}{
		{"imagenet", Options{}, `"imagenet" … not known … digits`},
		{"", Options{}, `"" … not known`},
		{"digits", Options{KNN: 4}, "digits … knn=4 … graph … fixed"},
		{"digits", Options{KNN: -1}, "knn=-1"},
		{"digits", Options{Validation: 1}, "validation=1 … [0, 1)"},
		{"digits", Options{Validation: -0.5}, "validation=-0.5"},
		{"digits", Options{Validation: math.NaN()}, "validation=NaN"},
	} {
		_, err := Load(t.Context(), c.name, c.opts)
		messagetest.Names(t, err, c.want)
	}
}

func ExampleLoad() {
	d, err := Load(context.Background(), "digits", Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Signals.Len(), d.Nodes, d.Channels, d.Classes(), d.Affinity.Edges())
	fmt.Println(len(d.Train), len(d.Validation), len(d.Test))
	// Output:
	// 1797 64 1 10 210
	// 1438 0 359
}

func TestAcceptsOfFiles(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "mine.npz")
	file, err := os.Create(archive)
	require.NoError(t, err)
	require.NoError(t, zip.NewWriter(file).Close())
	require.NoError(t, file.Close())
	for want, opts := range map[string]Options{
		"mine.npz … protocol=cross-view … no such option … registered": {
			Own: map[string]any{"protocol": "cross-view"}},
	} {
		_, err := Load(t.Context(), archive, opts)
		messagetest.Names(t, err, want)
		_, err = CheckNPZ(archive, opts)
		messagetest.Names(t, err, want)
	}
	require.NoError(t, Source{Name: "a.NPZ"}.Accepts(Options{KNN: 3}))
	_, err = Load(t.Context(), filepath.Join(t.TempDir(), "mine.npz"), Options{HoldOut: true})
	messagetest.Names(t, err, "mine.npz … no such file … numpy.savez")
}

// eyes are the options of the source in TestRegister.
type eyes struct {
	Protocol string `param:"protocol" default:"one-eyed" rule:"one of one-eyed|cross-eyed"`
	Weighed  bool   `param:"weighed"`
}

// TestRegister: what is registered is listed before the user's own file, and loaded as the options ask.
func TestRegister(t *testing.T) {
	before := sources
	t.Cleanup(func() { sources = before })
	dir, protocol := t.TempDir(), ""
	s := Source{Name: "mine", Folders: []string{"mine"}, Get: "the file from me", Files: []File{{Name: "mine.bin"}},
		Options: eyes{},
		Place:   func(dirs []string) string { return "" },
		Load: func(_ context.Context, dirs []string, o Options) (*Raw, error) {
			assert.Equal(t, []string{filepath.Join(dir, "mine"), dir}, dirs)
			if o.Seed == 1 {
				return nil, fs.ErrNotExist
			}
			assert.Equal(t, eyes{cmp.Or(protocol, "one-eyed"), protocol != ""}, OptionsOf[eyes](o.Own))
			return digits.Load(t.Context(), nil, o)
		}}
	Register(s)
	listed := Names()
	assert.Equal(t, []string{"mine", "PATH.npz"}, []string{listed[len(listed)-2].Name, listed[len(listed)-1].Name})
	protocol = "cross-eyed"
	d, err := Load(t.Context(), "mine",
		Options{DataDir: dir, HoldOut: true, Own: map[string]any{"protocol": "cross-eyed", "weighed": "true"}})
	require.NoError(t, err)
	assert.Equal(t, []any{"mine", 1258, 180, 359}, []any{d.Name, len(d.Train), len(d.Validation), len(d.Test)})
	_, err = Load(t.Context(), "mine", Options{DataDir: dir, Seed: 1})
	require.ErrorIs(t, err, fs.ErrNotExist)
	messagetest.Names(t, err, "mine … get the file from … ccp data get mine … --data-dir "+dir)
	for want, opts := range map[string]Options{
		"mine … graph … fixed … knn=2 … .npz":               {KNN: 2},
		"mine … test … fixed … fold=1/5 … digits, .npz":     {Fold: Fold{1, 5}},
		"mine … tfidf=true … no such option":                {Own: map[string]any{"tfidf": true}},
		"mine … protocol=cross-view … one-eyed, cross-eyed": {Own: map[string]any{"protocol": "cross-view"}},
		"mine … weighed=2 … true or false":                  {Own: map[string]any{"weighed": 2}},
	} {
		_, err = Load(t.Context(), "mine", opts)
		require.ErrorIs(t, err, ErrOptions)
		messagetest.Names(t, err, want)
	}
	for _, wrong := range []Source{s, {Name: "digits", Load: s.Load}, {Load: s.Load}, {Name: "a.npz", Load: s.Load},
		{Name: "nothing"}} {
		assert.Panics(t, func() { Register(wrong) }, wrong.Name)
	}
}

// A file that is no data set may be tables or a recorder's: the error says what makes a data set of each.
func TestLoadOfRecordings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s1.edf")
	require.NoError(t, os.WriteFile(file, []byte("0"), 0o644))
	_, err := Load(t.Context(), file, Options{})
	messagetest.Names(t, err, "s1.edf … data import … s1.edf … clusterpool.read … s1.edf")
}
