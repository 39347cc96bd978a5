package npz

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

func allUTF8(texts []string) bool {
	for _, text := range texts {
		if !utf8.ValidString(text) {
			return false
		}
	}
	return true
}

func TestRoundTrip(t *testing.T) {
	arrays := []Named{
		{Name: "b", Array: &Array{Shape: []int{2}, Data: []bool{true, false}}},
		{Name: "i1", Array: &Array{Shape: []int{1}, Data: []int8{-128}}},
		{Name: "i2", Array: &Array{Shape: []int{1}, Data: []int16{-32768}}},
		{Name: "i4", Array: &Array{Shape: []int{2}, Data: []int32{-1, 1 << 30}}},
		{Name: "i8", Array: &Array{Shape: []int{1}, Data: []int64{-1 << 62}}},
		{Name: "u1", Array: &Array{Shape: []int{2, 2}, Data: []uint8{1, 2, 3, 255}}},
		{Name: "u2", Array: &Array{Shape: []int{1}, Data: []uint16{65535}}},
		{Name: "u4", Array: &Array{Shape: []int{1}, Data: []uint32{1 << 31}}},
		{Name: "u8", Array: &Array{Shape: []int{1}, Data: []uint64{1 << 63}}},
		{Name: "f4", Array: &Array{Shape: []int{3, 1}, Data: []float32{1.5, -0.25, 0}}},
		{Name: "f8", Array: &Array{Shape: []int{1}, Data: []float64{1e-300}}},
		{Name: "text", Array: &Array{Shape: []int{3}, Data: []string{"", "Zürich", "🙂"}}},
		{Name: "scalar", Array: &Array{Shape: []int{}, Data: []float64{3}}},
		{Name: "none", Array: &Array{Shape: []int{0}, Data: []string{}}},
	}
	path := filepath.Join(t.TempDir(), "a.npz")
	require.NoError(t, Write(path, arrays))
	f, err := Open(path)
	require.NoError(t, err)
	defer f.Close()
	for i, want := range arrays {
		assert.Equal(t, want.Name, f.Names()[i])
		a, err := f.Array(want.Name)
		require.NoError(t, err)
		assert.Equal(t, want.Array, a)
	}
}

func TestWriteErrors(t *testing.T) {
	ok := &Array{Shape: []int{1}, Data: []int64{1}}
	for _, c := range []struct {
		want   string
		arrays []Named
	}{
		{`"x" … [3] … 3 elements … 2`, []Named{{Name: "x", Array: &Array{Shape: []int{3}, Data: []int64{1, 2}}}}},
		{`"x" … []int`, []Named{{Name: "x", Array: &Array{Shape: []int{1}, Data: []int{1}}}}},
		{`"x" … [-1] … negative`, []Named{{Name: "x", Array: &Array{Shape: []int{-1}, Data: []int64{1}}}}},
		{`"x" … element 1 … "K\xe4se" … UTF-8`, []Named{{Name: "x", Array: &Array{Shape: []int{2}, Data: []string{"a", "K\xe4se"}}}}},
		{`"x" … empty … twice`, []Named{{Name: "x", Array: ok}, {Name: "x", Array: ok}}},
		{`array name "" is empty`, []Named{{Name: "", Array: ok}}},
	} {
		folder := t.TempDir()
		err := Write(filepath.Join(folder, "a.npz"), c.arrays)
		messagetest.Names(t, err, "a.npz … "+c.want)
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		assert.Empty(t, entries, "no partial file")
	}
	assert.ErrorIs(t, Write(filepath.Join(t.TempDir(), "none", "a.npz"), nil), os.ErrNotExist)
}

func TestOpenErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	_, err := Open(path)
	assert.ErrorIs(t, err, os.ErrNotExist)

	require.NoError(t, os.WriteFile(path, []byte("1,2\n"), 0o644))
	_, err = Open(path)
	messagetest.Names(t, err, "a.npz … .npz … zip")

	file, err := os.Create(path)
	require.NoError(t, err)
	archive := zip.NewWriter(file)
	for _, name := range []string{"x.npy", "notes.txt", "x.npy"} {
		_, err := archive.Create(name)
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	require.NoError(t, file.Close())
	_, err = Open(path)
	messagetest.Names(t, err, `a.npz … "x" … twice`)

	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, whole[:len(whole)/2], 0o644))
	const cut = "a.npz … end … missing"
	_, err = Open(path)
	messagetest.Names(t, err, cut)
	_, err = Read("a.npz", whole[:len(whole)/2])
	messagetest.Names(t, err, cut)
}

// TestDamage changes each byte of an archive in turn: reading must fail or give the same values, never panic.
func TestDamage(t *testing.T) {
	whole, err := os.ReadFile("testdata/csr.npz")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "damaged.npz")
	for i := range whole {
		damaged := append([]byte(nil), whole...)
		damaged[i] ^= 0x41
		require.NoError(t, os.WriteFile(path, damaged, 0o644))
		f, err := Open(path)
		if err != nil {
			assert.ErrorContains(t, err, "damaged.npz")
			continue
		}
		for _, name := range f.Names() {
			a, err := f.Array(name)
			if err == nil && name == "data" {
				assert.Equal(t, []float64{2, 2, 0.5, 0.5, 1}, a.Data, "byte %d", i)
			}
		}
		f.Close()
	}
}

// unreadable is the error of an array in an archive with this member.
func unreadable(t *testing.T, header zip.FileHeader, packed string) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "odd.npz")
	file, err := os.Create(path)
	require.NoError(t, err)
	archive := zip.NewWriter(file)
	header.Name = "x.npy"
	member, err := archive.CreateRaw(&header)
	require.NoError(t, err)
	_, err = member.Write([]byte(packed))
	require.NoError(t, err)
	require.NoError(t, archive.Close())
	require.NoError(t, file.Close())
	f, err := Open(path)
	require.NoError(t, err)
	defer f.Close()
	_, err = f.Array("x")
	return err
}

// TestMembersWithoutTheEnding reads what other writers leave: numpy takes a member for an array by its first bytes
// alone.
func TestMembersWithoutTheEnding(t *testing.T) {
	one, err := os.ReadFile("testdata/v1.npy")
	require.NoError(t, err)
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	for _, member := range []struct{ name, content string }{{"series", string(one)}, {"labels.npy", string(one)},
		{"notes.txt", "by hand"}, {"b/", ""},
		{"b/deep", string(one)}, {"nothing", ""}} {
		w, err := archive.Create(member.name)
		require.NoError(t, err)
		_, err = w.Write([]byte(member.content))
		require.NoError(t, err)
	}
	w, err := archive.CreateRaw(&zip.FileHeader{Name: "packed", Method: 93, CompressedSize64: 3, UncompressedSize64: 9})
	require.NoError(t, err)
	_, err = w.Write([]byte("abc"))
	require.NoError(t, err)
	require.NoError(t, archive.Close())
	f, err := Read("go.npz", b.Bytes())
	require.NoError(t, err)
	assert.Equal(t, []string{"series", "labels", "b/deep", "packed"}, f.Names())
	assert.Equal(t, []string{"notes.txt", "nothing"}, f.Others())
	for _, name := range f.Names()[:3] {
		a, err := f.Array(name)
		require.NoError(t, err)
		assert.Equal(t, []int{2, 3, 4}, a.Shape)
	}
	_, err = f.Array("packed")
	messagetest.Names(t, err, `"packed" … method 93`)

	b.Reset()
	archive = zip.NewWriter(&b)
	for _, name := range []string{"x", "x.npy"} {
		w, err := archive.Create(name)
		require.NoError(t, err)
		_, err = w.Write(one)
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	_, err = Read("go.npz", b.Bytes())
	assert.ErrorContains(t, err, `array "x" occurs twice`)
}

func TestPassword(t *testing.T) {
	messagetest.Names(t, unreadable(t, zip.FileHeader{Flags: 1, CompressedSize64: 4, UncompressedSize64: 4}, "abcd"),
		`odd.npz … "x" … password`)
}

// Python can pack by methods that Go has not.
func TestOtherMethods(t *testing.T) {
	messagetest.Names(t, unreadable(t, zip.FileHeader{Method: 14, UncompressedSize64: 100}, ""),
		`odd.npz … "x" … method 14 … deflate … numpy.savez_compressed`)
}

func TestClaimedSize(t *testing.T) {
	messagetest.Names(t,
		unreadable(t, zip.FileHeader{Method: zip.Deflate, CompressedSize64: 4, UncompressedSize64: 1 << 40}, "abcd"),
		`"x" … 1099511627776 bytes … 4 compressed`)
}

func FuzzOpen(f *testing.F) {
	for _, name := range []string{"plain.npz", "packed.npz", "refused.npz", "csr.npz"} {
		seed, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(f, err)
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "a.npz")
		require.NoError(t, os.WriteFile(path, content, 0o600))
		file, err := Open(path)
		if err != nil {
			require.ErrorContains(t, err, "a.npz: ")
			return
		}
		defer file.Close()
		for _, name := range file.Names() {
			if a, err := file.Array(name); err == nil {
				require.NotEqual(t, "<nil>", a.Kind())
			}
		}
	})
}

func ExampleOpen() {
	f, err := Open("testdata/csr.npz") // Written by scipy.sparse.save_npz.
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	indices, err := f.Array("indices")
	if err != nil {
		fmt.Println(err)
		return
	}
	columns, err := indices.Ints()
	fmt.Println(indices.Kind(), indices.Shape, columns, err)
	// Output: int32 [5] [1 0 2 1 2] <nil>
}

func ExampleWrite() {
	folder, err := os.MkdirTemp("", "npz")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	err = Write(filepath.Join(folder, "ring.npz"), []Named{
		{Name: "edges", Array: &Array{Shape: []int{3, 2}, Data: []int64{0, 1, 1, 2, 2, 0}}},
		{Name: "class_names", Array: &Array{Shape: []int{2}, Data: []string{"left", "right"}}},
	})
	fmt.Println(err)
	// Output: <nil>
}
