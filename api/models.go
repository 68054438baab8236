package api

import (
	"errand/internal/core"
	"errand/internal/rights"
)

type CheckModelsInput struct {
	Model string `query:"model" maxLength:"200" description:"only this model, by its key in errand.yaml"`
}

var CheckModels = Op[CheckModelsInput, []core.ModelState]{
	Name: "checkModels", Needs: rights.ModelsCheck, Route: "POST /api/models/check", Rate: RateMessage,
	About: "Try models: a tool call and a picture, in two steps. It costs little, and counts in no budget", Answer: "the states of all models",
}

var CheckRemoteAgents = Op[None, []core.RemoteAgentState]{
	Name: "checkRemoteAgents", Needs: rights.ModelsCheck, Route: "POST /api/agents/check", Rate: RateMessage,
	About:  "Check whether remote agents can take tasks: read the cards of peers, and start coding agents without a task",
	Answer: "the results",
}
