package recordings

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/clusterpool/ccp/internal/recording"
)

// ReadUnlabelled reads recordings to classify, as the import that made a form read its own. It returns them with what a
// person should know about the files. Errors name the file and, in a table, the line and the column.
func ReadUnlabelled(ctx context.Context, inputs []string, form *recording.Form) (all []recording.Recording,
	notes []string, err error) {
	o := Options{Zeros: form.Zeros, Unlabelled: true}
	if form.Reading != nil {
		if err := json.Unmarshal(form.Reading, &o.Table); err != nil {
			return nil, nil, fmt.Errorf("the settings of the import cannot be read: %w; import and train again", err)
		}
	}
	s, err := Read(ctx, inputs, o)
	if err != nil {
		return nil, nil, err
	}
	for i, name := range s.names() {
		all = append(all, s.recording(i))
		all[i].Name = name
	}
	return all, s.notes, nil
}
