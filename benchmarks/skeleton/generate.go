package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// What real recordings are like: 30 frames a second, a few seconds long, a fifth of the actions with two people.
const (
	fewestFrames = 35
	mostFrames   = 135
	joints       = 25
)

// generate writes recordings to a folder, as NTU RGB+D has them, and returns their size in bytes. Files that are there already
// are taken as they are.
func generate(dir string, files int) (size int64, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	for i := range files {
		// Every camera, performer and action, in turn; a new setup when they are through.
		name := fmt.Sprintf("S%03dC%03dP%03dR%03dA%03d.skeleton", 1+i/14400%17, 1+i%3, 1+i/180%40, 1+i/7200%2, 1+i/3%60)
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err != nil {
			if err := os.WriteFile(path, recording(rand.New(rand.NewPCG(uint64(i), 1))), 0o644); err != nil {
				return 0, err
			}
		}
		info, err := os.Stat(path)
		if err != nil {
			return 0, err
		}
		size += info.Size()
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.skeleton"))
	if err == nil && len(found) != files {
		err = fmt.Errorf("%s holds %d recordings, not %d; give another --dir", dir, len(found), files)
	}
	return size, err
}

// recording is the text of a recording with one body, or two.
func recording(rng *rand.Rand) []byte {
	frames, bodies := fewestFrames+rng.IntN(mostFrames-fewestFrames), 1
	if rng.IntN(5) == 0 {
		bodies = 2
	}
	text := fmt.Appendf(nil, "%d\r\n", frames)
	for frame := range frames {
		text = fmt.Appendf(text, "%d\r\n", bodies)
		for body := range bodies {
			text = fmt.Appendf(text, "7205759403793%04d 0 1 1 1 1 0 %.7g %.7g 2\r\n%d\r\n", body, rng.NormFloat64(), rng.NormFloat64(), joints)
			for joint := range joints {
				sway := 0.3 * math.Sin(float64(frame+10*joint)/15)
				for _, v := range []float64{float64(body) + sway + 0.1*float64(joint%5), 0.9 - 0.07*float64(joint), 3 + sway,
					277, 191, 1036, 519, -0.2, 0.05, 0.97, -0.12} {
					text = strconv.AppendFloat(text, v+0.01*rng.NormFloat64(), 'g', 7, 64)
					text = append(text, ' ')
				}
				text = append(text, "2\r\n"...)
			}
		}
	}
	return text
}
