package npz

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
	"sync"
)

// digestFile is a file that adds what is read of it to a hash of the whole, so that the arrays of an archive and its
// hash take one reading. It hashes the bytes in their order: those that are read ahead of what is hashed wait until
// Digest reads them again, unless they lie at most nearby bytes further on.
type digestFile struct {
	*os.File
	mu     sync.Mutex
	hash   hash.Hash
	hashed int64 // bytes from the begin of the file that hash has
}

// nearby is the distance over which ReadAt reads what lies between, such as a small array before a large one.
const nearby = 1 << 22

// OpenDigest is Open for an archive whose Digest will be asked for.
func OpenDigest(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, (&File{path: path}).Errorf("%w", err)
	}
	return openFile(path, &digestFile{File: file, hash: sha256.New()})
}

// ReadAt reads as a file does, and hashes what follows on what is hashed.
func (d *digestFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := d.File.ReadAt(p, off)
	d.mu.Lock()
	defer d.mu.Unlock()
	if off > d.hashed && off-d.hashed <= nearby {
		if err := d.hashUpTo(off); err != nil {
			return 0, err
		}
	}
	if end := off + int64(n); off <= d.hashed && end > d.hashed {
		d.hash.Write(p[d.hashed-off : n])
		d.hashed = end
	}
	return n, err
}

// hashUpTo reads and hashes the bytes up to a place.
func (d *digestFile) hashUpTo(end int64) error {
	n, err := io.Copy(d.hash, io.NewSectionReader(d.File, d.hashed, end-d.hashed))
	d.hashed += n
	return err
}

// Digest returns the SHA-256 of the whole file in hexadecimal digits. It reads what no array was read of. The file was
// opened by OpenDigest.
func (f *File) Digest() (string, error) {
	d := f.archive.(*digestFile)
	d.mu.Lock()
	defer d.mu.Unlock()
	info, err := d.Stat()
	if err == nil {
		err = d.hashUpTo(info.Size())
	}
	if err != nil {
		return "", f.Errorf("%w", err)
	}
	return hex.EncodeToString(d.hash.Sum(nil)), nil
}
