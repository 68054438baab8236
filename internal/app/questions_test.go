package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/ownerkey"
)

// TestQuestionOverRestarts proves that a question of a sub-agent keeps its id over a
// restart, is answered through the API after it, and that the sub-agent goes on with the
// answer where it was. (In vercel/eve#3103 a request for input had another id after the
// process was killed, so that nobody could answer the one that was shown.)
func TestQuestionOverRestarts(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil)
	key := in.send("asked", do(send("sasha", do(tool("ask_user", map[string]string{"question": "Which day?"})))))
	in.until(key, hasText("Which day?"))
	api := func(method, path, body string) (status int, text string) {
		t.Helper()
		owner, err := ownerkey.Read(in.opts.Config.Data)
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), method, "http://"+in.Address+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+string(owner))
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		got, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(got)
	}
	ask := func() (list []core.Question) {
		t.Helper()
		status, body := api(http.MethodGet, "/api/questions", "")
		if err := json.Unmarshal([]byte(body), &list); err != nil || status != http.StatusOK || len(list) != 1 {
			t.Fatalf("the questions are %d %s (%v)", status, body, err)
		}
		return list
	}
	before := ask()[0]
	in.stop()
	in.start()
	if after := ask()[0]; after.ID != before.ID {
		t.Errorf("%s is %s after the restart", before.ID, after.ID)
	}
	calls := s.Called("sasha")
	if status, body := api(http.MethodPost, "/api/questions/"+string(before.ID)+"/answer", `{"text":"Monday"}`); status != http.StatusOK {
		t.Fatalf("the answer is answered %d %s", status, body)
	}
	in.until(key, hasText("<answer>\nMonday\n</answer>"))
	if n := s.Called("sasha") - calls; n != 1 {
		t.Errorf("after the answer sasha's model is called %d times, want once", n)
	}
	if status, body := api(http.MethodPost, "/api/questions/"+string(before.ID)+"/answer", `{"text":"Tuesday"}`); status != http.StatusConflict || !strings.Contains(body, "Monday") {
		t.Errorf("a second answer is answered %d %s", status, body)
	}
}
