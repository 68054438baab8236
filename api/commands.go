package api

import "errand/internal/rights"

// A Command is what a person can type after a slash in a chat.
type Command struct {
	Name  string `json:"name"`
	Usage string `json:"usage" description:"how it is typed"`
	About string `json:"about" description:"what it does, in the person's language"`
	Takes bool   `json:"takes,omitempty" description:"words stand behind it"`
}

var ListCommands = Op[None, []Command]{
	Name: "listCommands", Needs: rights.SelfRead, Route: "GET /api/commands",
	About: "List the commands that you may use in a chat", Answer: "in the order of /help",
}
