package api

import (
	"errand/internal/core"
	"errand/internal/rights"
)

type ListNotesInput struct {
	Agent  string `query:"agent" maxLength:"60" description:"of one agent"`
	Prefix string `query:"prefix" maxLength:"200" description:"of the key"`
	Person
	After
	Limit int `query:"limit" default:"1000" maximum:"1000" description:"at most so many, 1000 by default"`
}

var ListNotes = Op[ListNotesInput, List[core.PersonNote]]{
	Name: "listNotes", Needs: rights.NotesRead, Also: []string{rights.OthersRead}, Route: "GET /api/memory",
	About: "List the notes of agents",
}

type DeleteNoteInput struct {
	Agent  string        `path:"agent" description:"whose note it is"`
	Key    string        `path:"key" description:"its key, escaped"` // may contain slashes
	Person core.PersonID `query:"person" description:"the person it is about, for a master_admin"`
}

// A NoteOut names a note that was forgotten.
type NoteOut struct {
	Agent string `json:"agent"`
	Key   string `json:"key"`
}

var DeleteNote = Op[DeleteNoteInput, NoteOut]{
	Name: "deleteNote", Needs: rights.NotesForget, Also: []string{rights.OthersChange}, Route: "DELETE /api/memory/{agent}/{key}",
	Deeds: []core.Deed{core.DeedNoteForget}, About: "Delete a note", Answer: "deleted",
}
