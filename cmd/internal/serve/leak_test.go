package serve

import (
	"bytes"
	"fmt"
	"os"
	"runtime/pprof"
	"testing"
)

// When all tests have run, no goroutine waits for what can never come.
func TestMain(m *testing.M) {
	code := m.Run()
	var leaked bytes.Buffer
	profile := pprof.Lookup("goroutineleak")
	if err := profile.WriteTo(&leaked, 1); err != nil || profile.Count() > 0 {
		fmt.Printf("%d goroutines leaked, error %v\n%s", profile.Count(), err, &leaked)
		code = 1
	}
	os.Exit(code)
}
