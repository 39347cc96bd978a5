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

// hashes are the kinds of checksums. md5 is for publishers that give nothing better: it reveals damage, and no forgery that
// hits a given md5 is known.
var hashes = map[string]func() hash.Hash{"sha256": sha256.New, "md5": md5.New}

// parseSum splits "sha256:HEX" or "md5:HEX". Both parts of Unpublished are empty.
func parseSum(text string) (kind, digits string, err error) {
	if text == Unpublished {
		return "", "", nil
	}
	kind, digits, _ = strings.Cut(text, ":")
	create := hashes[kind]
	if create == nil {
		return "", "", fmt.Errorf("checksum %q: want sha256:HEX or md5:HEX", text)
	}
	if raw, err := hex.DecodeString(digits); err != nil || len(raw) != create().Size() || strings.ToLower(digits) != digits {
		return "", "", fmt.Errorf("checksum %q: want %d lower-case hexadecimal digits", text, 2*create().Size())
	}
	return kind, digits, nil
}

// checksum computes a file's checksum of a kind, "" of kind "".
func checksum(path, kind string) (string, error) {
	if kind == "" {
		return "", nil
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := hashes[kind]()
	_, err = io.Copy(h, file)
	return hex.EncodeToString(h.Sum(nil)), err
}
