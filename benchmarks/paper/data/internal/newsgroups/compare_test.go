package newsgroups

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCompare writes what the protocol makes of each message of 20 Newsgroups, for testdata/compare.py, which compares it
// with scikit-learn. CCP_NEWSGROUPS is the folder of the messages, CCP_COMPARE the file to write. Its columns, separated by
// tabs, are the message's path, the sha256 of its body, and the sha256 of its counted words, each with a newline.
func TestCompare(t *testing.T) {
	folder, path := os.Getenv("CCP_NEWSGROUPS"), os.Getenv("CCP_COMPARE")
	if folder == "" || path == "" {
		t.Skip("set CCP_NEWSGROUPS and CCP_COMPARE to compare with scikit-learn")
	}
	messages, err := fs.Glob(os.DirFS(folder), "20news-bydate-t*/*/*")
	require.NoError(t, err)
	require.NotEmpty(t, messages)
	file, err := os.Create(path)
	require.NoError(t, err)
	out := bufio.NewWriter(file)
	for _, name := range messages {
		message, err := fs.ReadFile(os.DirFS(folder), name)
		require.NoError(t, err)
		body := body(message)
		var counted strings.Builder
		for _, word := range cut(body) {
			if isCounted(word) {
				counted.WriteString(word + "\n")
			}
		}
		fmt.Fprintf(out, "%s\t%x\t%x\n", name, sha256.Sum256(body), sha256.Sum256([]byte(counted.String())))
	}
	require.NoError(t, out.Flush())
	require.NoError(t, file.Close())
}
