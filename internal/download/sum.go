package download

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"
)

// sum is a checksum that a file must have.
type sum struct {
	kind string
	hex  string
	hash func() hash.Hash
}

// parseSum reads "sha256:HEX" or "md5:HEX". md5 is for places that publish nothing better: it tells damage, and a forger
// would have to hit a given sum, which is not known to be possible.
func parseSum(text string) (sum, error) {
	kind, digits, _ := strings.Cut(text, ":")
	s := sum{kind: kind, hex: digits}
	switch kind {
	case "sha256":
		s.hash = sha256.New
	case "md5":
		s.hash = md5.New
	case Unpublished:
		return sum{}, nil
	default:
		return s, fmt.Errorf("checksum %q: want sha256:HEX or md5:HEX", text)
	}
	if raw, err := hex.DecodeString(digits); err != nil || len(raw) != s.hash().Size() || strings.ToLower(digits) != digits {
		return s, fmt.Errorf("checksum %q: want %d lower-case hexadecimal digits", text, 2*s.hash().Size())
	}
	return s, nil
}

// of computes the sum of a file; that of an unpublished sum is "", which is its hex.
func (s sum) of(path string) (string, error) {
	if s.hash == nil {
		return "", nil
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := s.hash()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// differs says that a file is not the published one.
type differs struct{ error }

// checkPresent checks a file that was there before.
func (s sum) checkPresent(file File) error {
	found, err := s.of(file.Path)
	if err != nil || found == s.hex {
		return err
	}
	return differs{fmt.Errorf("%s is there, but its %s is %s, that of the published file %s; move it away to have it fetched again",
		file.Path, s.kind, found, s.hex)}
}

// checkFetched checks what has just come.
func (s sum) checkFetched(part string, file File) error {
	found, err := s.of(part)
	if err != nil || found == s.hex {
		return err
	}
	return differs{fmt.Errorf("what came from %s (%d bytes) has %s %s, the published file %s, and was deleted; try again: if it stays so, "+
		"the file has changed, or something on the way changes it", file.URL, sizeOf(part), s.kind, found, s.hex)}
}
