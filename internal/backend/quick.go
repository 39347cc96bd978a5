package backend

import (
	"sync"

	"github.com/gomlx/compute"
)

// Quick reports whether pure Go computes so many multiply-adds sooner than XLA compiles the program for them, which takes
// about 5 s for a training step. Work decides, not time: a command that is given again computes alike.
func Quick(multiplyAdds float64) bool { return multiplyAdds <= quickWork }

// Go returns the pure Go backend, the same for the whole process.
var Go = sync.OnceValues(func() (compute.Backend, error) {
	b, _, err := openGo("")
	return b, err
})
