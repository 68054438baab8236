package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"errand/internal/core"
	"errand/internal/store"
)

// SubmitVerdict is the name of the tool that submits a sub-agent's verdict and ends its work.
const SubmitVerdict = "submit_verdict"

// Verdict returns the tool [SubmitVerdict]. The store executes it in the step that calls
// it. Only agents of a task that needs a decision have it.
func Verdict() Tool {
	return Tool{
		Name: SubmitVerdict,
		Description: "Submit your verdict on the question of this task. Your work ends with it. Call it once, when you are sure; " +
			"answer ABSTAIN if you cannot judge. Only this call counts as a verdict.",
		Parameters: json.RawMessage(`{
			"type": "object",
			"properties": {
				"answer": {"type": "string", "enum": ["YES", "NO", "ABSTAIN"]},
				"reasoning": {"type": "string", "description": "your complete reasons: nothing else of your work is read"},
				"confidence": {"type": "number", "minimum": 0, "maximum": 1, "description": "how sure you are, from 0 to 1"}
			},
			"required": ["answer", "reasoning", "confidence"],
			"additionalProperties": false
		}`),
		By: store.ByVerdict,
	}
}

// ParseSubmitted parses the arguments of [SubmitVerdict], strictly by its schema. The
// model reads the error.
func ParseSubmitted(args string) (core.GivenVerdict, error) {
	var in struct {
		Answer     *string
		Reasoning  *string
		Confidence *float64
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(args)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return core.GivenVerdict{}, fmt.Errorf("the arguments are not what the tool takes: %v", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return core.GivenVerdict{}, errors.New("the arguments are more than one JSON object")
	}
	switch {
	case in.Answer == nil || in.Reasoning == nil || in.Confidence == nil:
		return core.GivenVerdict{}, errors.New(`"answer", "reasoning" and "confidence" are all needed`)
	case *in.Confidence < 0 || *in.Confidence > 1:
		return core.GivenVerdict{}, fmt.Errorf("the confidence %v is not between 0 and 1", *in.Confidence)
	case strings.TrimSpace(*in.Reasoning) == "":
		return core.GivenVerdict{}, errors.New("the reasoning is empty")
	}
	v, ok := core.ParseVerdict(*in.Answer)
	if !ok {
		return core.GivenVerdict{}, fmt.Errorf("%q is no answer: write YES, NO or ABSTAIN", core.Cut(*in.Answer, 40))
	}
	return core.GivenVerdict{Verdict: v, Reasoning: strings.TrimSpace(*in.Reasoning), Confidence: *in.Confidence}, nil
}
