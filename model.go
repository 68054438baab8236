package errand

import "time"

// A CrowdedAgent has more tools than its model takes with one request.
type CrowdedAgent struct {
	Agent AgentName `json:"agent"`
	Tools int       `json:"tools"`
	Most  int       `json:"most" description:"how many tools the model accepts"`
}

// A ModelState is how a configured model did when it was last called.
type ModelState struct {
	Model   string      `json:"model" description:"its key in errand.yaml"`
	Name    string      `json:"name" description:"what its provider calls it"`
	OK      bool        `json:"ok" description:"also if nothing is known of it yet"`
	Says    string      `json:"says" description:"for people: why it does not answer, or how it did"`
	Checked time.Time   `json:"checked,omitzero"`
	Vision  bool        `json:"vision" description:"it sees pictures, at one of its providers at least"`
	Agents  []AgentName `json:"agents,omitzero" description:"that think with it, of those that the person may talk with"`
}

// A RemoteAgentState says whether the agent of another system can be sent tasks.
type RemoteAgentState struct {
	Agent AgentName `json:"agent"`
	OK    bool      `json:"ok"`
	Says  string    `json:"says,omitempty" description:"why it cannot be"`
}
