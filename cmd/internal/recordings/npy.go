package recordings

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/clusterpool/ccp/internal/npz"
)

// readArray reads an array `[timepoints, sensors, axes]`, or `[timepoints, sensors]` for one axis. It names the sensors
// 0, 1, 2, …
func readArray(_ *job, from source, h hints) (c content, err error) {
	a, err := npz.ReadNPYFile(from.path)
	if err != nil {
		return c, err
	}
	if len(a.Shape) < 2 || len(a.Shape) > 3 || slices.Contains(a.Shape, 0) {
		return c, fmt.Errorf("%s: the array has shape %v; want [timepoints, sensors, axes], none of them 0",
			from.path, a.Shape)
	}
	sensors := counted("", a.Shape[1])
	switch axes := a.Shape[2:]; {
	case !h.byHand:
	case len(axes) == 1 && axes[0] > 1 || len(h.Take) != a.Shape[1]:
		return c, fmt.Errorf("%s: the array has shape %v; want a recording [timepoints, sensors] of the training's "+
			"%d sensors", from.path, a.Shape, len(h.Take))
	default: // an array has positions, no names
		sensors = h.Take
	}
	c.as, c.columns = "arrays [timepoints, sensors, axes]", crossed(sensors, nil)
	if len(a.Shape) == 3 {
		c.columns = crossed(sensors, counted("", a.Shape[2]))
	}
	values, err := a.Floats()
	for i, v := range values {
		if math.Abs(v) > math.MaxFloat32 {
			return c, fmt.Errorf("%s: %s is %g, which float32 does not hold; store nan for a missing value", from.path,
				a.Element("the array", i), v)
		}
	}
	if err != nil {
		return c, fmt.Errorf("%s: %w", from.path, err)
	}
	x := &sample{source: from, where: from.path, line: 1}
	x.Name, x.Values = filepath.Base(from.path), values
	c.samples = []*sample{x}
	return c, nil
}
