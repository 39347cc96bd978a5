package skeleton

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ParseNWUCLA reads a file of NW-UCLA in JSON, {"file_name": …, "skeletons": `[frames][20][3]`, "label": 1 to 10}: one body,
// seen in every frame. label is as in the file. The error names the frame and the joint.
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
