package npz

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// maxDeflate is the best ratio that deflate can reach; a member that claims more is lying about its size.
const maxDeflate = 1032

// File is an open .npz archive. Its methods may be called from several goroutines at once.
type File struct {
	path    string
	names   []string
	others  []string // of members that are no arrays
	members map[string]*zip.File
	archive io.Closer
}

// Open opens a .npz archive and reads its list of arrays; Array reads the arrays themselves. The caller closes it.
func Open(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, (&File{path: path}).Errorf("%w", err)
	}
	return openFile(path, file)
}

// openFile reads the list of arrays of an open file, which it closes after an error.
func openFile(path string, file interface {
	io.ReaderAt
	io.Seeker
	io.Closer
}) (*File, error) {
	f, err := open(path, file, file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return f, nil
}

// Read is Open for an archive in memory, which messages call path.
func Read(path string, content []byte) (*File, error) {
	return open(path, bytes.NewReader(content), io.NopCloser(nil))
}

// open lists the members of a zip archive. An array is a member whose name ends in .npy, or whose content begins as
// such a file does: numpy reads both.
func open(path string, from interface {
	io.ReaderAt
	io.Seeker
}, closer io.Closer) (*File, error) {
	f := &File{path: path, members: map[string]*zip.File{}, archive: closer}
	size, err := from.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, f.Errorf("%w", err)
	}
	archive, err := zip.NewReader(from, size)
	if begin := make([]byte, 4); errors.Is(err, zip.ErrFormat) {
		if _, err := from.ReadAt(begin, 0); err == nil && string(begin) == "PK\x03\x04" {
			return nil, f.Errorf("the end of the archive is missing; copy or write the file again")
		}
		return nil, f.Errorf("not an .npz (zip) archive; write it with numpy.savez")
	}
	if err != nil {
		return nil, f.Errorf("%w", err)
	}
	for _, member := range archive.File {
		array, named := strings.CutSuffix(member.Name, ".npy")
		switch {
		case strings.HasSuffix(member.Name, "/"): // a folder
			continue
		case !named && !holdsArray(member):
			f.others = append(f.others, member.Name)
			continue
		}
		if f.members[array] != nil {
			return nil, f.Errorf("array %q occurs twice; write the file again", array)
		}
		f.members[array] = member
		f.names = append(f.names, array)
	}
	return f, nil
}

// holdsArray reports that a member begins as an array does, whatever its name: numpy goes by that alone, and other
// writers leave out the .npy. A member that cannot be unpacked counts as one, so that whoever asks for it is told.
func holdsArray(member *zip.File) bool {
	r, err := member.Open()
	if err != nil || member.Flags&encrypted != 0 {
		return true
	}
	defer r.Close()
	begin := make([]byte, len(magic))
	_, err = io.ReadFull(r, begin)
	return string(begin) == magic || err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF)
}

// encrypted is the flag of a member that has a password.
const encrypted = 1

// Others returns the names of the members that are no arrays, in the order of the archive.
func (f *File) Others() []string { return slices.Clone(f.others) }

// Close closes the archive. Arrays that were read stay valid.
func (f *File) Close() error { return f.archive.Close() }

// FileError is an error in a file, whose name is in front of it.
type FileError struct {
	Path string
	Err  error
}

// Error names the file first.
func (e *FileError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns the error without the file's name.
func (e *FileError) Unwrap() error { return e.Err }

// Errorf formats an error, and puts the file's name in front unless an error in it names the file. Callers use it when
// an array's content is wrong.
func (f *File) Errorf(format string, values ...any) error {
	err := fmt.Errorf(format, values...)
	ofFile, named := errors.AsType[*FileError](err)
	ofSystem, opened := errors.AsType[*fs.PathError](err)
	if named && ofFile.Path == f.path || opened && ofSystem.Path == f.path {
		return err
	}
	return &FileError{f.path, err}
}

// Names returns the names of the arrays in the order of the archive.
func (f *File) Names() []string { return slices.Clone(f.names) }

// Has reports whether there is an array of that name.
func (f *File) Has(name string) bool { return f.members[name] != nil }

// Array reads one array. Errors name the file and the array.
func (f *File) Array(name string) (*Array, error) { return f.array(name, nil) }

// Scan looks at the numbers of an array while it is read. It gets the array's shape, and returns what is then called
// with the numbers in C order, some at a time, or nil if it does not want to see them.
type Scan func(shape []int) func(some []float32)

// Narrow reads one array as Array does, but its numbers as float32: the wider ones are never in memory together. scan
// sees the numbers on their way.
func (f *File) Narrow(name string, scan Scan) (*Array, error) { return f.array(name, scan) }

// array reads one array; with a scan, its numbers as float32.
func (f *File) array(name string, scan Scan) (*Array, error) {
	member := f.members[name]
	if member == nil {
		return nil, f.Errorf("no array %q; it has %s", name, strings.Join(f.names, ", "))
	}
	a, err := readMember(member, scan)
	if err != nil {
		return nil, f.Errorf("array %q: %w", name, err)
	}
	return a, nil
}

// readMember unpacks an array. Before it allocates, it refuses a size that cannot be: deflate makes at most maxDeflate
// bytes of one.
func readMember(member *zip.File, scan Scan) (*Array, error) {
	if member.Flags&encrypted != 0 {
		return nil, errors.New("has a password; write the file without one")
	}
	size, compressed := member.UncompressedSize64, member.CompressedSize64
	most := compressed
	if member.Method == zip.Deflate {
		most = (compressed + 1) * maxDeflate
	}
	if member.Method != zip.Store && member.Method != zip.Deflate {
		return nil, fmt.Errorf("is packed by method %d of zip, not by deflate (LZMA is 14, bzip2 12, zstd 93); "+
			"write the file again with numpy.savez_compressed",
			member.Method)
	}
	if compressed > 1<<50 || size > most {
		return nil, fmt.Errorf("claims %d bytes in %d compressed bytes; the file is damaged", size, compressed)
	}
	r, err := member.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var from io.Reader = r
	if size > aheadBlocks*aheadSize {
		ahead := readAhead(r)
		defer ahead.end()
		from = ahead
	}
	buffered := bufio.NewReaderSize(from, 1<<16)
	a, err := readNPY(buffered, int64(size), scan)
	if err != nil {
		return nil, err
	}
	// zip compares the checksum at the end.
	if _, err := buffered.ReadByte(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the end is not where it should be (%v); the file is damaged", err)
	}
	return a, nil
}

// Source gives arrays by name: a [File], or a wrapper that notes which arrays were read.
type Source interface {
	Has(name string) bool
	Array(name string) (*Array, error)
}

// Vector reads an array of one dimension and n elements. A negative n allows any number. `of` is the word for the
// elements in an error.
func Vector(from Source, name string, n int, of string) (*Array, error) {
	a, err := from.Array(name)
	switch {
	case err != nil:
		return nil, err
	case len(a.Shape) == 1 && (n < 0 || a.Shape[0] == n):
		return a, nil
	case n < 0:
		return nil, fmt.Errorf("%s has shape %v; want one dimension", name, a.Shape)
	case len(a.Shape) != 1 && a.Len() == n:
		return nil, fmt.Errorf("%s has shape %v; want [%d], the number of %s: flatten it (%[1]s.ravel())",
			name, a.Shape, n, of)
	}
	return nil, fmt.Errorf("%s has shape %v; want [%d], the number of %s: the lengths must agree", name, a.Shape, n, of)
}

// Elements reads a [Vector] and converts its elements, by (*Array).Ints for example.
func Elements[T any](from Source, name string, n int, of string, convert func(*Array) ([]T, error)) ([]T, error) {
	a, err := Vector(from, name, n, of)
	if err != nil {
		return nil, err
	}
	values, err := convert(a)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return values, nil
}

// Element returns the name of element i, row-major, of an array: "features[3,0,1]".
func (a *Array) Element(name string, i int) string {
	index := make([]string, len(a.Shape))
	for axis := len(a.Shape) - 1; axis >= 0; axis-- {
		index[axis] = fmt.Sprint(i % a.Shape[axis])
		i /= a.Shape[axis]
	}
	return name + "[" + strings.Join(index, ",") + "]"
}

// Unfit says that v is no finite float32, and what to do instead of storing it.
func Unfit(v float64, instead string) string {
	if v-v == 0 {
		instead = "divide the values by a power of ten, or " + instead
	}
	return fmt.Sprintf("%v, which is not a finite float32, at most 3.4e38; %s", v, instead)
}

// shown is the number of wrong elements that an error names one by one.
const shown = 3

// Wrong collects the errors of one array's elements.
type Wrong struct {
	errs  []error // of the first few
	count int
}

// Add counts a wrong element. It formats the error only of the first few.
func (w *Wrong) Add(format string, values ...any) {
	w.count++
	if w.count <= shown {
		w.errs = append(w.errs, fmt.Errorf(format, values...))
	}
}

// Err returns the errors of the array of that name, nil if there are none.
func (w *Wrong) Err(name string) error {
	if more := w.count - len(w.errs); more > 0 {
		return errors.Join(append(w.errs, fmt.Errorf("%s: %d more elements are wrong in the same way", name, more))...)
	}
	return errors.Join(w.errs...)
}
