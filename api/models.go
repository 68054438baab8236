package api

import (
	"errand/internal/core"
	"errand/internal/rights"
)

var CheckModels = Op[None, []core.ModelState]{
	Name: "checkModels", Needs: rights.ModelsCheck, Route: "POST /api/models/check", Rate: RateMessage,
	About: "Call every model once to see whether it answers; each call costs money", Answer: "the results",
}

var CheckRemoteAgents = Op[None, []core.RemoteAgentState]{
	Name: "checkRemoteAgents", Needs: rights.ModelsCheck, Route: "POST /api/agents/check", Rate: RateMessage,
	About:  "Check whether remote agents can take tasks: read the cards of peers, and start coding agents without a task",
	Answer: "the results",
}
