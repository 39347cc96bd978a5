package datasets

import (
	"regexp"
	"slices"

	"github.com/clusterpool/ccp/datasets/skeleton"
)

// ntuFrames is the number of frames of a signal.
const ntuFrames = 80

// ntuArchive is the archive of NTU RGB+D's skeletons as its authors give it out.
const ntuArchive = "nturgbd_skeletons_s001_to_s017.zip"

// The published sets: the people that are trained on, and the camera that is tested.
var ntuTrainSubjects = []int{1, 2, 4, 5, 8, 9, 13, 14, 15, 16, 17, 18, 19, 25, 27, 28, 31, 34, 35, 38}

const ntuTestCamera = 1

// ntuSetups is the number of setups of the set of 60 actions; later ones belong to its successor of 120.
const ntuSetups = 17

// ntu is NTU RGB+D: name SsssCcccPpppRrrrAaaa, setup, camera, performer, repetition, action. Its protocols are those of
// Shahroudy et al. (2016).
var ntu = skeletons{
	Info: Info{
		Name: "ntu",
		Description: "sixty actions of one or two people before the second Kinect (NTU RGB+D), 80 frames of 25 joints: " +
			"places of the joints, seen from the body",
		Needs: "the 56,880 .skeleton files (S001C001P001R001A001.skeleton ...), in a folder or as " + ntuArchive +
			", and the list of the 302 with missing skeletons, as a .txt file whose name holds \"missing\"",
		Licence: "academic use only, on request from the ROSE Lab; cite A. Shahroudy et al., NTU RGB+D, 2016",
		Samples: 56_578, Nodes: ntuFrames * 25, Channels: 6, Classes: len(ntuClasses),
		Protocols: []string{crossSubject, crossView},
		Folder:    "ntu",
		Ask: "NTU RGB+D is given only to those who agree to its terms: ask for " + ntuArchive +
			" at https://rose1.ntu.edu.sg/dataset/actionRecognition/",
		folders: []string{"nturgb+d_skeletons", "ntu/nturgb+d_skeletons", "ntu"},
		credit:  "NTU RGB+D (A. Shahroudy et al., 2016), academic use only",
		get:     "the skeletons of NTU RGB+D from the ROSE Lab, and the list of samples with missing skeletons",
	},
	archive: ntuArchive,
	name:    regexp.MustCompile(`S(\d{3})C(\d{3})P(\d{3})R(\d{3})A(\d{3})`),
	example: "S001C001P001R001A001.skeleton",
	describe: func(n []int) (recorded, bool) {
		setup, camera, performer, action := n[0], n[1], n[2], n[4]
		ours := setup <= ntuSetups && action >= 1 && action <= len(ntuClasses)
		return recorded{class: int32(action - 1), subject: performer, view: camera}, ours
	},
	parse:       func(_ string, content []byte) (*skeleton.Recording, error) { return skeleton.ParseNTU(content) },
	preparation: skeleton.Preparation{Layout: &skeleton.KinectV2, Frames: ntuFrames, Bodies: 2},
	classes:     ntuClasses,
	crop:        1,
	splits: []skeletonSplit{
		{crossSubject, func(r recorded) bool { return !slices.Contains(ntuTrainSubjects, r.subject) }, 40_091, 16_487, 0.3},
		{crossView, func(r recorded) bool { return r.view == ntuTestCamera }, 37_646, 18_932, 0.5},
	},
}

// ntuClasses are the actions A001 to A060.
var ntuClasses = []string{
	"drink water", "eat meal", "brush teeth", "brush hair", "drop", "pick up", "throw", "sit down", "stand up", "clapping",
	"reading", "writing", "tear up paper", "put on jacket", "take off jacket", "put on a shoe", "take off a shoe",
	"put on glasses", "take off glasses", "put on a hat", "take off a hat", "cheer up", "hand waving", "kicking something",
	"reach into pocket", "hopping", "jump up", "phone call", "play with phone", "type on a keyboard",
	"point to something", "taking a selfie", "check time", "rub two hands", "nod head", "shake head", "wipe face", "salute",
	"put palms together", "cross hands in front", "sneeze or cough", "staggering", "falling down", "headache", "chest pain",
	"back pain", "neck pain", "nausea", "fan self", "punch or slap", "kicking", "pushing", "pat on back", "point finger",
	"hugging", "giving object", "touch pocket", "shaking hands", "walking towards", "walking apart",
}
