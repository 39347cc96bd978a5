package download

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// entry of an archive; a name that ends in / is a folder.
type entry struct {
	name, content string
	kind          byte // of tar, 0 for a file or folder
}

func tarGz(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	w := tar.NewWriter(zipped)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: 0o600, Size: int64(len(e.content)), Typeflag: tar.TypeReg, Format: tar.FormatPAX}
		if strings.HasSuffix(e.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if e.kind != 0 {
			h.Typeflag = e.kind
		}
		switch h.Typeflag {
		case tar.TypeSymlink, tar.TypeLink:
			h.Linkname, h.Size = e.content, 0
		case tar.TypeXGlobalHeader:
			*h = tar.Header{Typeflag: e.kind, Name: e.name, PAXRecords: map[string]string{"comment": e.content}}
		}
		require.NoError(t, w.WriteHeader(h))
		if h.Size > 0 {
			_, err := w.Write([]byte(e.content))
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	require.NoError(t, zipped.Close())
	return out.Bytes()
}

func gzipped(t testing.TB, content string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write([]byte(content))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

// put writes an archive to a folder of its own.
func put(t testing.TB, name string, raw []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, raw, 0o644))
	return path
}

// tree lists the files below a folder with their contents, and its empty folders.
func tree(t testing.TB, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if !d.IsDir() {
			raw, err := os.ReadFile(path)
			out[name] = string(raw)
			return err
		}
		if inside, err := os.ReadDir(path); err != nil || len(inside) > 0 {
			return err
		}
		out[name+"/"] = ""
		return nil
	}))
	return out
}

func TestUnpack(t *testing.T) {
	entries := []entry{{name: "./"}, {name: "a/"}, {name: "a/one.txt", content: "1"},
		{name: "a/b/two.txt", content: "22"}, {name: "empty/"}, {name: "nothing"}}
	want := map[string]string{"a/one.txt": "1", "a/b/two.txt": "22", "empty/": "", "nothing": ""}
	comment := entry{name: "comment", content: "made by hand", kind: tar.TypeXGlobalHeader}
	for name, raw := range map[string][]byte{
		"x.tar.gz": tarGz(t, append([]entry{comment}, entries...)...),
		"x.TGZ":    tarGz(t, entries...),
	} {
		folder := filepath.Join(t.TempDir(), "new", "folder")
		require.NoError(t, Unpack(t.Context(), put(t, name, raw), folder), name)
		assert.Equal(t, want, tree(t, filepath.Join(filepath.Dir(folder), "folder")), name)
		assert.Equal(t, []string{"folder"}, names(t, filepath.Dir(folder)), name)
		info, err := os.Stat(folder)
		require.NoError(t, err)
		assert.Equal(t, fs.FileMode(0o555), info.Mode().Perm()&^0o222, "others may read it")
	}
	folder := t.TempDir() // an empty one is no hindrance
	require.NoError(t, Unpack(t.Context(), put(t, "x.tgz", tarGz(t, entry{name: "values.csv", content: "1,2"})), folder))
	assert.Equal(t, map[string]string{"values.csv": "1,2"}, tree(t, folder))
}

// TestUnpackRefuses: nothing is left in the place or beside it, and nothing is written elsewhere.
func TestUnpackRefuses(t *testing.T) {
	file := entry{name: "good", content: "good"}
	large := entry{name: "large", content: strings.Repeat("x", 9000)}
	flipped := tarGz(t, file)
	flipped[len(flipped)-6] ^= 0xff // of the checksum
	short := tarGz(t, large)
	for _, c := range []struct {
		name, archive string
		raw           []byte
		want          string
	}{
		{"climbing", "x.tar.gz", tarGz(t, file, entry{name: "../evil", content: "x"}), "path escapes from parent"},
		{"climbing later", "x.tar.gz", tarGz(t, file, entry{name: "a/../../evil", content: "x"}), "escapes from parent"},
		{"climbing folder", "x.tar.gz", tarGz(t, file, entry{name: "../evil/"}), "escapes from parent"},
		{"absolute", "x.tar.gz", tarGz(t, file, entry{name: "/tmp/evil", content: "x"}), "escapes from parent"},
		{"no name", "x.tar.gz", tarGz(t, file, entry{content: "x"}), "."},
		{"symbolic link", "x.tar.gz", tarGz(t, file, entry{name: "link", content: "/tmp", kind: tar.TypeSymlink}),
			`"link" … file … folder`},
		{"hard link", "x.tar.gz", tarGz(t, file, entry{name: "link", content: "good", kind: tar.TypeLink}),
			"file … folder"},
		{"device", "x.tar.gz", tarGz(t, file, entry{name: "null", kind: tar.TypeChar}), "file … folder"},
		{"twice", "x.tar.gz", tarGz(t, file, file), "good: file exists"},
		{"a file as folder", "x.tar.gz", tarGz(t, file, entry{name: "good/inside", content: "x"}), "good"},
		{"damaged", "x.tar.gz", flipped, "invalid checksum"},
		{"cut short", "x.tar.gz", short[:len(short)/2], "unexpected EOF"},
		{"not gzip", "x.tar.gz", []byte("text"), "get it again"},
		{"empty", "x.tar.gz", nil, "get it again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			parent := t.TempDir()
			err := Unpack(t.Context(), put(t, c.archive, c.raw), filepath.Join(parent, "outer", "folder"))
			messagetest.Names(t, err, c.want)
			assert.ErrorContains(t, err, c.archive)
			assert.Empty(t, names(t, filepath.Join(parent, "outer")))
			assert.Subset(t, []string{"outer"}, names(t, parent))
		})
	}
}

func TestUnpackSparesWhatIsThere(t *testing.T) {
	archive := put(t, "x.tar.gz", tarGz(t, entry{name: "good", content: "good"}))
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "mine"), nil, 0o644))
	for _, place := range []string{folder, filepath.Join(folder, "mine")} {
		err := Unpack(t.Context(), archive, place)
		messagetest.Names(t, err, place+" … empty folder … move")
	}
	assert.Equal(t, map[string]string{"mine": ""}, tree(t, folder))
	require.ErrorIs(t, Unpack(t.Context(), filepath.Join(folder, "none.tar.gz"), filepath.Join(folder, "new")),
		os.ErrNotExist)
	assert.Equal(t, []string{"mine"}, names(t, folder))

	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.ErrorIs(t, Unpack(ctx, archive, filepath.Join(folder, "new")), context.Canceled)
	assert.Equal(t, []string{"mine"}, names(t, folder))
}

// FuzzUnpack: whatever an archive holds, it writes within its folder.
func FuzzUnpack(f *testing.F) {
	entries := []entry{{name: "a/"}, {name: "a/b", content: "text"}, {name: "../c", content: "x"}}
	f.Add(tarGz(f, entries[:2]...))
	f.Add(tarGz(f, entries...))
	f.Add(gzipped(f, "text"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		parent := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(parent, "outer"), 0o755))
		archive := put(t, "x.tar.gz", raw)
		err := Unpack(t.Context(), archive, filepath.Join(parent, "outer", "folder"))
		require.Equal(t, []string{"outer"}, names(t, parent))
		if err != nil {
			require.Empty(t, names(t, filepath.Join(parent, "outer")))
			return
		}
		require.Equal(t, []string{"folder"}, names(t, filepath.Join(parent, "outer")))
	})
}

// FuzzUnpackTar packs arbitrary tar headers, which mutations of gzip seldom reach.
func FuzzUnpackTar(f *testing.F) {
	f.Add("a", "text", byte(tar.TypeReg), "b")
	f.Add("../a", "text", byte(tar.TypeReg), "a/b")
	f.Add("a", "../..", byte(tar.TypeSymlink), "a/b")
	f.Add("a/", "", byte(tar.TypeDir), "a")
	f.Fuzz(func(t *testing.T, name, content string, kind byte, second string) {
		var out bytes.Buffer
		zipped := gzip.NewWriter(&out)
		w := tar.NewWriter(zipped)
		for _, h := range []*tar.Header{{Name: name, Linkname: content, Size: int64(len(content)), Typeflag: kind},
			{Name: second, Typeflag: tar.TypeReg}} {
			if h.Typeflag == tar.TypeSymlink || h.Typeflag == tar.TypeLink || h.Typeflag == tar.TypeDir {
				h.Size = 0
			}
			if w.WriteHeader(h) != nil {
				t.Skip()
			}
			if h.Size > 0 {
				_, _ = w.Write([]byte(content))
			}
		}
		_ = w.Close()
		require.NoError(t, zipped.Close())
		parent := t.TempDir()
		_ = Unpack(t.Context(), put(t, "x.tar.gz", out.Bytes()), filepath.Join(parent, "folder"))
		require.Subset(t, []string{"folder"}, names(t, parent))
	})
}

func ExampleUnpack() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	archive := filepath.Join(dir, "greeting.tar.gz")
	file, err := os.Create(archive)
	if err != nil {
		fmt.Println(err)
		return
	}
	zipped := gzip.NewWriter(file)
	w := tar.NewWriter(zipped)
	fmt.Println(w.WriteHeader(&tar.Header{Name: "words/hello.txt", Mode: 0o644, Size: 5}))
	fmt.Fprint(w, "hello")
	fmt.Println(w.Close(), zipped.Close(), file.Close())
	fmt.Println(Unpack(context.Background(), archive, filepath.Join(dir, "greeting")))
	raw, _ := os.ReadFile(filepath.Join(dir, "greeting", "words", "hello.txt"))
	fmt.Println(string(raw))
	// Output:
	// <nil>
	// <nil> <nil> <nil>
	// <nil>
	// hello
}
