package files_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/test/servicetest"
	"errand/internal/tools/files"
)

// TestSendApprovedFile proves that send_file sends the content that was approved and no other.
func TestSendApprovedFile(t *testing.T) {
	r := newRig(t)
	r.put("plan.md", "# Plan")
	k := r.calls(2)
	send := files.Send(servicetest.SendsFiles(r.store), r.store)
	approved, err := send.BoundArguments(t.Context(), k[0].Place(), `{"path": "plan.md"}`)
	require.NoError(t, err)
	require.Contains(t, approved, `"beginning": "# Plan"`, "the question shows it")
	r.put("plan.md", "# Another plan")
	got, err := send.Run(t.Context(), k[0], json.RawMessage(approved))
	require.NoError(t, err)
	require.Equal(t, "error: it was not sent: the file has changed since it was approved. Call it again to request approval of the new file.", got)
	approved, err = send.BoundArguments(t.Context(), k[1].Place(), `{"path": "plan.md"}`)
	require.NoError(t, err)
	got, err = send.Run(t.Context(), k[1], json.RawMessage(approved))
	require.NoError(t, err)
	require.Contains(t, got, "is being sent to the user in this chat")
}
