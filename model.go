package errand

import "time"

// A ModelState is how a configured model did when it was last called.
type ModelState struct {
	Model   string    `json:"model"` // its key in errand.yaml
	Name    string    `json:"name"`  // what its provider calls it
	OK      bool      `json:"ok"`    // also if nothing is known of it yet
	Says    string    `json:"says"`  // for people: why it does not answer, or how it did
	Checked time.Time `json:"checked,omitzero"`
}
