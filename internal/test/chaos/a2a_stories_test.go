package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"errand/internal/core"
	"errand/internal/ownerkey"
)

// A client of A2A has sent Sasha, who asks which day. It answers into its task, and reads
// what has come of it.
var askedOverA2A = &story{
	text: "good evening", tasks: 1,
	done: func(t core.Task) bool { return t.State == core.Completed && t.Way == core.WayNone },
	delivered: func(seen []string) bool {
		return slices.Equal(seen, []string{"you said good evening"})
	},
	then: func(ctx context.Context, w *world, _ <-chan struct{}) {
		if !w.greeted(ctx) {
			return
		}
		message := func(id, task, text string) string {
			return fmt.Sprintf(`{"message":{"messageId":%q,"taskId":%q,"role":"ROLE_USER","parts":[{"text":%q}]},"configuration":{"returnImmediately":true}}`, id, task, text)
		}
		sent := w.callA2A(ctx, "SendMessage", message("m-a2a", "", asksDay))
		w.a2aTask(ctx, sent.Task.ID, "TASK_STATE_INPUT_REQUIRED")
		if again := w.callA2A(ctx, "SendMessage", message("m-a2a", "", asksDay)); again.Task.ID != sent.Task.ID {
			w.t.Errorf("the message that begun %s, once more, has begun %s", sent.Task.ID, again.Task.ID)
		}
		w.callA2A(ctx, "SendMessage", message("m-a2a-answer", sent.Task.ID, "Monday"))
		if done := w.a2aTask(ctx, sent.Task.ID, "TASK_STATE_COMPLETED"); !strings.Contains(string(done.Artifacts), "two trains go to Oslo") {
			w.t.Errorf("what came of it is %s", done.Artifacts)
		}
	},
	end: func(_ context.Context, w *world) {
		if n := w.ledger.called("sasha: report on ask which day, told Monday"); n < 1 {
			w.t.Errorf("Sasha was not told what the client has answered: %q", w.ledger.made())
		}
	},
}

type a2aTask struct {
	ID        string
	Status    struct{ State string }
	Artifacts json.RawMessage
}

// a2aTask waits until a task is in a state, as its client reads it.
func (w *world) a2aTask(ctx context.Context, id, state string) a2aTask {
	for {
		t := w.callA2A(ctx, "GetTask", fmt.Sprintf(`{"id":%q}`, id)).a2aTask
		if t.Status.State == state {
			return t
		}
		if !w.pause(ctx) {
			w.t.Errorf("the task of the client is %s, want %s", t.Status.State, state)
			return t
		}
	}
}

// callA2A makes a call until it is answered, as a client does whose errand is away.
func (w *world) callA2A(ctx context.Context, method, params string) (result struct {
	Task a2aTask
	a2aTask
}) {
	var err error
	for {
		if err = w.tryA2A(ctx, method, params, &result); err == nil {
			return result
		}
		if !w.pause(ctx) {
			w.t.Errorf("%s was never answered: %v", method, err)
			return result
		}
	}
}

func (w *world) tryA2A(ctx context.Context, method, params string, result any) error {
	key, err := ownerkey.Read(filepath.Join(w.dir, "data"))
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+w.listen+"/a2a/sasha", bytes.NewReader([]byte(
		`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`)))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("A2A-Version", "1.0")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var answer struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return fmt.Errorf("%s: %w", resp.Status, err)
	}
	if answer.Error != nil {
		return fmt.Errorf("%s: %s", resp.Status, answer.Error.Message)
	}
	return json.Unmarshal(answer.Result, result)
}
