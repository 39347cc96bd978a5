package skeleton

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// nwuclaActions are the numbers of the actions in file names, in the order of the labels.
var nwuclaActions = []int{1, 2, 3, 4, 5, 6, 8, 9, 11, 12}

var nwuclaClasses = []string{"pick up with one hand", "pick up with two hands", "drop trash", "walk around", "sit down",
	"stand up", "donning", "doffing", "throw", "carry"}

// NWUCLA is NW-UCLA. A file's name is aAA_sSS_eEE_vVV: action, subject, take and view. Cross-view tests view 3. Half of
// the recordings have 31 frames or fewer.
var NWUCLA = Source{
	Name:    "nw-ucla",
	Archive: "all_sqe.zip",
	Example: "a01_s01_e00_v01.json",
	Classes: nwuclaClasses,
	Splits: []Split{
		{CrossView, func(t Take) bool { return t.View == 3 }, 1_020, 464, 0.5},
		{CrossSubject, func(t Take) bool { return t.Subject == 9 || t.Subject == 10 }, 1_197, 287, 0.3},
	},
	Crop: 0.6, Mirror: true,
	Preparation: Preparation{Layout: &KinectV1, Frames: 40, Whole: true, Bodies: 1, Streams: true, Upright: true},
	pattern:     regexp.MustCompile(`a(\d\d)_s(\d\d)_e(\d\d)_v(\d\d)`),
	take: func(n []int) (Take, bool) {
		class := slices.Index(nwuclaActions, n[0])
		return Take{Class: int32(class), Subject: n[1], View: n[3]}, class >= 0
	},
	parse: func(name string, content []byte) (*Recording, error) {
		recording, label, err := ParseNWUCLA(content)
		var action int
		if err != nil {
			return nil, err
		}
		if _, err := fmt.Sscanf(name, "a%02d", &action); err != nil || label < 1 || label > len(nwuclaActions) ||
			nwuclaActions[label-1] != action {
			return nil, fmt.Errorf("label %d is not that of the action in the file's name", label)
		}
		return recording, nil
	},
}

// ParseNWUCLA reads a file of NW-UCLA in JSON, {"file_name": …, "skeletons": `[frames][20][3]`, "label": 1 to 10}.
// There is one body, which is seen in every frame. The error names the frame and the joint.
func ParseNWUCLA(file []byte) (r *Recording, label int, err error) {
	var content struct {
		Skeletons [][][]float32 `json:"skeletons"`
		Label     int           `json:"label"`
	}
	if err := json.Unmarshal(file, &content); err != nil {
		return nil, 0, fmt.Errorf("not the JSON of a recording: %w", err)
	}
	if len(content.Skeletons) == 0 {
		return nil, 0, errors.New(`no frames in "skeletons"`)
	}
	want := len(KinectV1.Joints)
	body := Body{}
	for frame, pose := range content.Skeletons {
		if len(pose) != want {
			return nil, 0, fmt.Errorf("skeletons[%d] has %d joints, want %d", frame, len(pose), want)
		}
		for joint, place := range pose {
			if len(place) != 3 {
				return nil, 0, fmt.Errorf("skeletons[%d][%d] has %d coordinates, want 3", frame, joint, len(place))
			}
			body.Joints = append(body.Joints, place...)
		}
		body.Frames = append(body.Frames, frame)
	}
	return &Recording{Frames: len(content.Skeletons), Bodies: []Body{body}}, content.Label, nil
}
