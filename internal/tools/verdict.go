package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"errand"
	"errand/internal/store"
)

// SubmitVerdict is the name of the tool that ends a sub-agent's work with its verdict.
const SubmitVerdict = "submit_verdict"

// Verdict is that tool. The store carries it out, with the step that asks for it; only
// agents of a task that is to decide something have it.
func Verdict() Tool {
	return Tool{
		Name: SubmitVerdict,
		Description: "Give your verdict on what this task is to decide. Your work ends with it. Call it once, when you are sure of your answer; " +
			"ABSTAIN where you cannot judge it. Nothing else that you write counts as a verdict.",
		Parameters: json.RawMessage(`{
			"type": "object",
			"properties": {
				"answer": {"type": "string", "enum": ["YES", "NO", "ABSTAIN"]},
				"reasoning": {"type": "string", "description": "why, complete: it is all that is read of your work"},
				"confidence": {"type": "number", "minimum": 0, "maximum": 1, "description": "how sure you are, from 0 to 1"}
			},
			"required": ["answer", "reasoning", "confidence"],
			"additionalProperties": false
		}`),
		By: store.ByVerdict,
	}
}

// ParseSubmitted reads the arguments of [SubmitVerdict], by its schema and no other way.
// The error is for the model to read.
func ParseSubmitted(args string) (errand.GivenVerdict, error) {
	var in struct {
		Answer     *string
		Reasoning  *string
		Confidence *float64
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(args)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return errand.GivenVerdict{}, fmt.Errorf("the arguments are not what the tool takes: %v", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return errand.GivenVerdict{}, errors.New("the arguments are more than one JSON object")
	}
	switch {
	case in.Answer == nil || in.Reasoning == nil || in.Confidence == nil:
		return errand.GivenVerdict{}, errors.New(`"answer", "reasoning" and "confidence" are all needed`)
	case *in.Confidence < 0 || *in.Confidence > 1:
		return errand.GivenVerdict{}, fmt.Errorf("the confidence %v is not between 0 and 1", *in.Confidence)
	case strings.TrimSpace(*in.Reasoning) == "":
		return errand.GivenVerdict{}, errors.New("the reasoning is empty")
	}
	v, ok := errand.ParseVerdict(*in.Answer)
	if !ok {
		return errand.GivenVerdict{}, fmt.Errorf("%q is no answer: write YES, NO or ABSTAIN", errand.Cut(*in.Answer, 40))
	}
	return errand.GivenVerdict{Verdict: v, Reasoning: strings.TrimSpace(*in.Reasoning), Confidence: *in.Confidence}, nil
}
