// Command recordings writes a set of recordings in the format and in the numbers of NTU RGB+D, at a tenth of the
// frames, into a new folder. Their values are made up: they show what the true set costs to read, split and train on.
//
//	go run ./benchmarks/paper/recordings FOLDER
package main

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// What real recordings of NTU RGB+D are like: 30 frames a second, a few seconds long, a fifth of the actions with two
// people.
const (
	fewestFrames = 35
	mostFrames   = 135
	ntuJoints    = 25
	ntuActions   = 60
	ntuCameras   = 3
)

// The numbers of NTU RGB+D. A group of 180 files holds all actions before all cameras. In ntuTrainTakes groups the
// performer is of the training set of cross-subject. ntuMissing counts the recordings without a skeleton. Its keys say
// whether they are of camera 1, and of a performer to train on.
const (
	ntuRecordings = 316 * ntuActions * ntuCameras
	ntuTrainTakes = 224
)

var ntuMissing = map[[2]bool]int{{true, true}: 21, {true, false}: 7, {false, true}: 208, {false, false}: 66}

var (
	ntuTrainPerformers = []int{1, 2, 4, 5, 8, 9, 13, 14, 15, 16, 17, 18, 19, 25, 27, 28, 31, 34, 35, 38}
	ntuTestPerformers  = []int{3, 6, 7, 10, 11, 12, 20, 21, 22, 23, 24, 26, 29, 30, 32, 33, 36, 37, 39, 40}
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("name a new folder: recordings FOLDER")
	}
	dir := filepath.Join(os.Args[1], "nturgb+d_skeletons")
	err := os.MkdirAll(os.Args[1], 0o755)
	if err == nil {
		err = os.Mkdir(dir, 0o755) // never into a folder that holds real recordings
	}
	var size int64
	if err == nil {
		size, err = write(dir, ntuRecordings, 0.1)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d recordings of %.2f GB in %s\n", ntuRecordings, float64(size)/1e9, dir)
}

// write writes n recordings to a folder, and returns their size in bytes. A recording has a share of the frames of a
// real one. If n is ntuRecordings, the list missing.txt is written, too, and all splits have their published sizes.
func write(dir string, n int, share float64) (size int64, err error) {
	var missing []string
	listed := map[[2]bool]int{}
	for i := range n {
		name, kind := recordingName(i)
		if listed[kind] < ntuMissing[kind] && n == ntuRecordings {
			listed[kind]++
			missing = append(missing, name)
		}
		text := recording(rand.New(rand.NewPCG(uint64(i), 1)), share)
		if err := os.WriteFile(filepath.Join(dir, name+".skeleton"), text, 0o644); err != nil {
			return 0, err
		}
		size += int64(len(text))
	}
	if missing == nil {
		return size, nil
	}
	return size, os.WriteFile(filepath.Join(dir, "missing.txt"), []byte(strings.Join(missing, "\n")+"\n"), 0o644)
}

// recordingName names the i-th recording, and says whether it is of camera 1 and of a performer to train on. Cameras
// take turns, then actions, then performers.
func recordingName(i int) (name string, kind [2]bool) {
	group, camera, action := i/(ntuActions*ntuCameras), 1+i%ntuCameras, 1+i/ntuCameras%ntuActions
	performers, training := ntuTrainPerformers, group < ntuTrainTakes
	if !training {
		group, performers = group-ntuTrainTakes, ntuTestPerformers
	}
	take := group / len(performers)
	return fmt.Sprintf("S%03dC%03dP%03dR%03dA%03d", 1+take/2, camera, performers[group%len(performers)], 1+take%2,
		action), [2]bool{camera == 1, training}
}

// recording is the text of a .skeleton file of one body, or two. It has a share of the frames of a real one.
func recording(rng *rand.Rand, share float64) []byte {
	frames, bodies := int(share*float64(fewestFrames+rng.IntN(mostFrames-fewestFrames))), 1
	if rng.IntN(5) == 0 {
		bodies = 2
	}
	text := fmt.Appendf(nil, "%d\r\n", frames)
	for frame := range frames {
		text = fmt.Appendf(text, "%d\r\n", bodies)
		for body := range bodies {
			text = fmt.Appendf(text, "7205759403793%04d 0 1 1 1 1 0 %.7g %.7g 2\r\n%d\r\n", body, rng.NormFloat64(),
				rng.NormFloat64(), ntuJoints)
			for joint := range ntuJoints {
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
