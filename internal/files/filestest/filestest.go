// Package filestest has what several packages need to test how they write files.
package filestest

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// Names lists what a directory holds, in alphabetical order.
func Names(t testing.TB, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// AloneInAProcess runs the calling test again in a process of its own, for a limit that holds for a whole process and
// so for what go test writes, too. It returns true in that process, and false after it, where the test has to return.
func AloneInAProcess(t *testing.T) bool {
	t.Helper()
	const alone = "CCP_TEST_ALONE"
	if os.Getenv(alone) == t.Name() {
		return true
	}
	command := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	command.Env = append(os.Environ(), alone+"="+t.Name())
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name())
	return false
}
