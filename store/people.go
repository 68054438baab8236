package store

import (
	"time"

	"errand"
)

// A Person is somebody who may talk to errand.
type Person struct {
	ID      errand.PersonID `json:"id"`
	Name    string          `json:"name"`
	Role    errand.Role     `json:"role"`
	Created time.Time       `json:"created"`
}
