package models

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gomlx/compute"
	"github.com/stretchr/testify/require"
)

// BenchmarkFirstAnswer loads each checkpoint that CCP_CHECKPOINTS lists, classifies one signal and closes it.
func BenchmarkFirstAnswer(b *testing.B) {
	for _, dir := range filepath.SplitList(os.Getenv("CCP_CHECKPOINTS")) {
		for _, name := range []string{"", "xla:cpu"} {
			b.Run(filepath.Base(dir)+"/"+name, func(b *testing.B) {
				b.Setenv(compute.ConfigEnvVar, name)
				for b.Loop() {
					c, err := Load(dir)
					require.NoError(b, err)
					_, err = c.Classify(b.Context(), signals(c.Spec, 1, 1))
					require.NoError(b, err)
					require.NoError(b, c.Close())
				}
			})
		}
	}
}
