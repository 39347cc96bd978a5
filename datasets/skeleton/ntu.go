package skeleton

import "fmt"

// The values that a .skeleton file of NTU RGB+D holds for each body and each joint.
const (
	bodyValues   = 10 // the body's id, then what it does with its hands and how it leans
	jointValues  = 12 // x, y, z in metres, then places in the pictures, an orientation and a state
	kinectBodies = 6  // the most that a Kinect tracks
)

// ParseNTU reads a .skeleton file of NTU RGB+D: the number of frames; for each the number of bodies; for each its id and 9
// more values, the number of joints, and 12 values for each joint, x, y, z first. Values are separated by any white space.
// Coordinates may be NaN. The error names the line, the frame and the body.
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

// body is the body of an id that has not been seen in this frame yet; a new one if there is none.
func (r *Recording) body(id []byte, frame int) *Body {
	for i := range r.Bodies {
		if body := &r.Bodies[i]; body.ID == string(id) && body.last() < frame {
			return body
		}
	}
	r.Bodies = append(r.Bodies, Body{ID: string(id)})
	return &r.Bodies[len(r.Bodies)-1]
}
