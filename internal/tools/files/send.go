package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"errand/api"
	"errand/internal/content"
	"errand/internal/ops"
	"errand/internal/store"
	"errand/internal/tools"
)

// Send returns the tool that sends a file of the workspace to the person.
func Send(r *ops.Runner, files tools.Files) tools.Tool {
	return tools.Tool{
		Name: "send_file",
		Description: "Send a file of the workspace to the user's chat. errand sends the version of this moment, even if the file changes before delivery. " +
			"Do not repeat the content of the file in your answer.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {
			"path": {"type": "string", "description": "such as notes/plan.md"},
			"text": {"type": "string", "description": "optional text with the file"}}, "required": ["path"]}`),
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
				Content    tools.FileContent // the approved content
			}](raw)
			if err != nil {
				return "error: " + err.Error(), nil
			}
			sent, err := ops.Do(ctx, r, api.SendFileByTool, call.Actor("send_file"), api.SendFileByToolInput{Key: call.Key, Path: in.Path, Text: in.Text, SHA256: in.Content.SHA256})
			if errors.Is(err, store.ErrChanged) {
				return "error: it was not sent: the file has changed since it was approved. Call it again to request approval of the new file.", nil
			}
			var coded interface{ ErrorCode() string }
			if errors.As(err, &coded) {
				return "error: " + err.Error(), nil
			}
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("%s (%s) is being sent to the user in this chat.", sent.Path, content.Size(sent.File.Size)), nil
		},
	}
}
