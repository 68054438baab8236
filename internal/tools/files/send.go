package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"errand/internal/content"
	"errand/internal/store"
	"errand/internal/tools"
)

// A Sender sends a file to the chat that a call is made for, once for its key, and fails with
// [store.ErrChanged] if sha256 is neither empty nor the file's; package service implements it. Errors with an ErrorCode are for the model to read.
type Sender interface {
	SendFileFor(ctx context.Context, call store.Call, path, text, sha256 string) (store.FileSent, error)
}

// Send is the tool that sends a file of the workspace to the person.
func Send(s Sender, files tools.Files) tools.Tool {
	return tools.Tool{
		Name: "send_file",
		Description: "Send a file of the workspace to the person, as a file in their chat. What is sent is the version that is there now, however late it is delivered. " +
			"Do not repeat in your answer what is in the file.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {
			"path": {"type": "string", "description": "such as notes/plan.md"},
			"text": {"type": "string", "description": "a sentence that goes with it; nothing when left out"}}, "required": ["path"]}`),
		Effect: tools.Idempotent, Doing: "doing.send_file",
		Bind: func(ctx context.Context, place string, raw json.RawMessage) (any, error) {
			in, err := tools.Parse[struct{ Path string }](raw)
			if err != nil {
				return nil, tools.CallError(err.Error())
			}
			return tools.LatestContent(ctx, files, place, in.Path)
		},
		Run: func(ctx context.Context, call store.Call, raw json.RawMessage) (string, error) {
			in, err := tools.Parse[struct {
				Path, Text string
				Content    tools.FileContent // that was approved
			}](raw)
			if err != nil {
				return "error: " + err.Error(), nil
			}
			sent, err := s.SendFileFor(ctx, call, in.Path, in.Text, in.Content.SHA256)
			if errors.Is(err, store.ErrChanged) {
				return "error: it was not sent: the file has changed since it was approved. Call it again to ask about the file as it is now.", nil
			}
			var coded interface{ ErrorCode() string }
			if errors.As(err, &coded) {
				return "error: " + err.Error(), nil
			}
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("%s (%s) is on its way to the person, who sees it in this chat.", sent.Path, content.Size(sent.File.Size)), nil
		},
	}
}
