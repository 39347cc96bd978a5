package datasets

import "encoding/json"

// findingJSON is a finding in JSON: the facts, and the text.
type findingJSON struct {
	Kind      string       `json:"kind"`
	Level     string       `json:"level"`
	Text      string       `json:"text"`
	What      string       `json:"what,omitempty"`
	Class     string       `json:"class,omitempty"`
	Samples   []int        `json:"samples,omitempty"`
	Count     int          `json:"count,omitempty"`
	Accuracy  float64      `json:"accuracy,omitempty"`
	Chance    float64      `json:"chance,omitempty"`
	Artefacts float64      `json:"artefacts,omitempty"`
	Recall    float64      `json:"recall,omitempty"`
	Others    float64      `json:"others,omitempty"`
	Table     []Descriptor `json:"table,omitempty"`
	By        string       `json:"by,omitempty"`
	Random    float64      `json:"random,omitempty"`
	Whole     float64      `json:"whole,omitempty"`
	Seen      float64      `json:"seen,omitempty"`
	Drawn     float64      `json:"drawn,omitempty"`
	Places    [][2]int     `json:"places,omitempty"`
}

// MarshalJSON writes the facts and the text.
func (f Finding) MarshalJSON() ([]byte, error) {
	return json.Marshal(findingJSON{f.Kind, f.Level, f.String(), f.What, f.Class, f.Samples, f.Count, f.Accuracy, f.Chance,
		f.Artefacts, f.Recall, f.Others, f.Table, f.By, f.Random, f.Whole, f.Seen, f.Drawn, f.Places})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *Finding) UnmarshalJSON(raw []byte) error {
	var j findingJSON
	err := json.Unmarshal(raw, &j)
	*f = Finding{Kind: j.Kind, Level: j.Level, What: j.What, Class: j.Class, Samples: j.Samples, Count: j.Count,
		Accuracy: j.Accuracy, Chance: j.Chance, Artefacts: j.Artefacts, Recall: j.Recall, Others: j.Others, Table: j.Table,
		By: j.By, Random: j.Random, Whole: j.Whole, Seen: j.Seen, Drawn: j.Drawn, Places: j.Places, text: j.Text}
	return err
}
