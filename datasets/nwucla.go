package datasets

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/clusterpool/ccp/datasets/skeleton"
)

// nwuclaFrames is the number of frames of a signal; half of the recordings have 31 frames or fewer.
const nwuclaFrames = 40

// nwuclaArchive is the archive in which the JSON version is usually given out.
const nwuclaArchive = "all_sqe.zip"

// The published sets: the view that is tested, and the people left out of training.
const nwuclaTestView = 3

var nwuclaTestSubjects = []int{9, 10}

// nwuclaActions are the numbers of the actions in file names, in the order of the labels.
var nwuclaActions = []int{1, 2, 3, 4, 5, 6, 8, 9, 11, 12}

var nwuclaClasses = []string{"pick up with one hand", "pick up with two hands", "drop trash", "walk around", "sit down",
	"stand up", "donning", "doffing", "throw", "carry"}

// nwucla is NW-UCLA: name aAA_sSS_eEE_vVV, action, subject, take, view.
var nwucla = skeletons{
	Info: Info{
		Name: "nw-ucla",
		Description: "ten actions of ten people before three of the first Kinects (NW-UCLA Multiview Action 3D), 40 frames of " +
			"20 joints: places, bones and motion, seen from the body",
		Needs:   "the 1,484 files of its skeletons in JSON (a01_s01_e00_v01.json ...), in a folder or as " + nwuclaArchive,
		Licence: "none stated by its authors; cite J. Wang et al., Cross-view Action Modeling, Learning and Recognition, 2014",
		Samples: 1_484, Nodes: nwuclaFrames * 20, Channels: 9, Classes: len(nwuclaClasses),
		Protocols: []string{crossView, crossSubject},
		Folder:    "nw-ucla",
		Ask: "NW-UCLA is given out by its authors: get its skeletons, by way of https://wangjiangb.github.io/my_data.html, " +
			"as JSON (" + nwuclaArchive + ")",
		folders: []string{"nw-ucla", "NW-UCLA/all_sqe", "NW-UCLA", "all_sqe"},
		credit:  "NW-UCLA Multiview Action 3D (J. Wang et al., 2014), no licence stated",
		get:     "the skeletons of NW-UCLA in JSON",
	},
	archive: nwuclaArchive,
	name:    nwuclaName,
	example: "a01_s01_e00_v01.json",
	describe: func(n []int) (recorded, bool) {
		class := slices.Index(nwuclaActions, n[0])
		return recorded{class: int32(class), subject: n[1], view: n[3]}, class >= 0
	},
	parse:       parseNWUCLA,
	preparation: skeleton.Preparation{Layout: &skeleton.KinectV1, Frames: nwuclaFrames, Bodies: 1, Streams: true},
	classes:     nwuclaClasses,
	crop:        0.6,
	mirror:      true,
	splits: []skeletonSplit{
		{crossView, func(r recorded) bool { return r.view == nwuclaTestView }, 1_020, 464, 0.5},
		{crossSubject, func(r recorded) bool { return slices.Contains(nwuclaTestSubjects, r.subject) }, 1_197, 287, 0.3},
	},
}

var nwuclaName = regexp.MustCompile(`a(\d\d)_s(\d\d)_e(\d\d)_v(\d\d)`)

// parseNWUCLA reads a file, whose label must be that of the action in its name.
func parseNWUCLA(name string, content []byte) (*skeleton.Recording, error) {
	recording, label, err := skeleton.ParseNWUCLA(content)
	if err != nil {
		return nil, err
	}
	var action int
	if _, err := fmt.Sscanf(name, "a%02d", &action); err != nil || label < 1 || label > len(nwuclaActions) ||
		nwuclaActions[label-1] != action {
		return nil, fmt.Errorf("label %d is not that of the action in the file's name", label)
	}
	return recording, nil
}
