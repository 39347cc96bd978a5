package skeleton

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ntuTrainSubjects are the people that are trained on in cross-subject.
var ntuTrainSubjects = []int{1, 2, 4, 5, 8, 9, 13, 14, 15, 16, 17, 18, 19, 25, 27, 28, 31, 34, 35, 38}

const (
	ntuTestCamera = 1  // of cross-view
	ntuSetups     = 17 // of the set of 60 actions; later ones belong to its successor of 120
)

// NTU is NTU RGB+D with the protocols of Shahroudy et al. (2016). A file's name is SsssCcccPpppRrrrAaaa: setup, camera,
// performer, repetition and action.
var NTU = Source{
	Name:    "ntu",
	Archive: "nturgbd_skeletons_s001_to_s017.zip",
	Example: "S001C001P001R001A001.skeleton",
	Classes: ntuClasses,
	Splits: []Split{
		{CrossSubject, func(t Take) bool { return !slices.Contains(ntuTrainSubjects, t.Subject) }, 40_091, 16_487, 0.3},
		{CrossView, func(t Take) bool { return t.View == ntuTestCamera }, 37_646, 18_932, 0.5},
	},
	Crop:        1,
	Preparation: Preparation{Layout: &KinectV2, Frames: 80, Bodies: 2},
	pattern:     regexp.MustCompile(`S(\d{3})C(\d{3})P(\d{3})R(\d{3})A(\d{3})`),
	take: func(n []int) (Take, bool) {
		setup, camera, performer, action := n[0], n[1], n[2], n[4]
		ours := setup <= ntuSetups && action >= 1 && action <= len(ntuClasses)
		return Take{Class: int32(action - 1), Subject: performer, View: camera}, ours
	},
	parse: func(_ string, content []byte) (*Recording, error) { return ParseNTU(content) },
}

// ntuClasses are the actions A001 to A060.
var ntuClasses = []string{
	"drink water", "eat meal", "brush teeth", "brush hair", "drop", "pick up", "throw", "sit down", "stand up", "clapping",
	"reading", "writing", "tear up paper", "put on jacket", "take off jacket", "put on a shoe", "take off a shoe",
	"put on glasses", "take off glasses", "put on a hat", "take off a hat", "cheer up", "hand waving", "kicking something",
	"reach into pocket", "hopping", "jump up", "phone call", "play with phone", "type on a keyboard",
	"point to something", "taking a selfie", "check time", "rub two hands", "nod head", "shake head", "wipe face",
	"salute",
	"put palms together", "cross hands in front", "sneeze or cough", "staggering", "falling down", "headache",
	"chest pain",
	"back pain", "neck pain", "nausea", "fan self", "punch or slap", "kicking", "pushing", "pat on back", "point finger",
	"hugging", "giving object", "touch pocket", "shaking hands", "walking towards", "walking apart",
}

// The values that a .skeleton file of NTU RGB+D holds for each body and each joint.
const (
	bodyValues   = 10 // the body's id, then what it does with its hands and how it leans
	jointValues  = 12 // x, y, z in metres, then positions in the pictures, an orientation and a state
	kinectBodies = 6  // the most that a Kinect tracks
)

// ParseNTU reads a .skeleton file of NTU RGB+D. It holds the number of frames, and for each frame the number of bodies.
// A body has its id, 9 more values, the number of joints, and 12 values for each joint, x, y and z first. White space
// separates the values. Coordinates may be NaN. The error names the line, the frame and the body.
func ParseNTU(file []byte) (*Recording, error) {
	t := &tokens{text: file}
	frames, err := t.count("the number of frames", len(file))
	if err != nil {
		return nil, err
	}
	r := &Recording{Frames: frames}
	for frame := range frames {
		bodies, err := t.count("the number of bodies", kinectBodies)
		if err != nil {
			return nil, fmt.Errorf("frame %d of %d: %w", frame+1, frames, err)
		}
		for number := range bodies {
			if err := r.parseNTUBody(t, frame); err != nil {
				return nil, fmt.Errorf("frame %d of %d, body %d of %d: %w", frame+1, frames, number+1, bodies, err)
			}
		}
	}
	return r, nil
}

// parseNTUBody reads a body of a frame.
func (r *Recording) parseNTUBody(t *tokens, frame int) error {
	id := t.next()
	body := r.body(id, frame)
	if !t.skip(bodyValues - 1) {
		return t.wrong(nil, "the %d values of a body", bodyValues)
	}
	joints, err := t.count("the number of joints", 1<<10)
	if err != nil {
		return err
	}
	if want := len(KinectV2.Joints); joints != want {
		return fmt.Errorf("%d joints, want %d", joints, want)
	}
	for joint := range joints {
		for axis := range 3 {
			value, err := t.number("xyz"[axis : axis+1])
			if err != nil {
				return fmt.Errorf("joint %d: %w", joint+1, err)
			}
			body.Joints = append(body.Joints, value)
		}
		if !t.skip(jointValues - 3) {
			return fmt.Errorf("joint %d: %w", joint+1, t.wrong(nil, "%d values", jointValues))
		}
	}
	body.Frames = append(body.Frames, frame)
	return nil
}

// body returns the body of an id that has not been seen in this frame yet; a new body if there is none.
func (r *Recording) body(id []byte, frame int) *Body {
	for i := range r.Bodies {
		if body := &r.Bodies[i]; body.ID == string(id) && body.last() < frame {
			return body
		}
	}
	r.Bodies = append(r.Bodies, Body{ID: string(id)})
	return &r.Bodies[len(r.Bodies)-1]
}

// tokens reads a text of words and numbers separated by white space.
type tokens struct {
	text []byte
	at   int // the end of the last token
}

// next returns the next token; empty at the end of the text.
func (t *tokens) next() []byte {
	for t.at < len(t.text) && t.text[t.at] <= ' ' {
		t.at++
	}
	start := t.at
	for t.at < len(t.text) && t.text[t.at] > ' ' {
		t.at++
	}
	return t.text[start:t.at]
}

// skip skips n tokens; false if the text ends before.
func (t *tokens) skip(n int) bool {
	for range n {
		if len(t.next()) == 0 {
			return false
		}
	}
	return true
}

// count reads a whole number from 0 to most.
func (t *tokens) count(what string, most int) (int, error) {
	token := t.next()
	n, err := strconv.Atoi(string(token))
	if err != nil || n < 0 || n > most {
		return 0, t.wrong(token, "%s from 0 to %d", what, most)
	}
	return n, nil
}

// number reads a number, or NaN in the spellings of several systems.
func (t *tokens) number(what string) (float32, error) {
	token := t.next()
	value, err := strconv.ParseFloat(string(token), 64)
	if err == nil && (math.IsInf(value, 0) || math.Abs(value) <= math.MaxFloat32) {
		return float32(value), nil
	}
	lower := strings.ToLower(string(token))
	for _, spelling := range []string{"nan", "#ind", "#qnan", "#inf"} {
		if len(token) < 24 && strings.Contains(lower, spelling) {
			return float32(math.NaN()), nil
		}
	}
	return 0, t.wrong(token, "%s, a number", what)
}

// wrong is the error for the last token: its line, and what should be there.
func (t *tokens) wrong(token []byte, format string, args ...any) error {
	line := 1 + bytes.Count(t.text[:t.at], []byte("\n"))
	want := fmt.Sprintf(format, args...)
	if len(token) == 0 {
		return fmt.Errorf("line %d: the file ends where it needs %s", line, want)
	}
	return fmt.Errorf("line %d: %.30q where it needs %s", line, token, want)
}
