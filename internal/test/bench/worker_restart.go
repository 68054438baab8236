package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"errand/internal/core"
	"errand/internal/llm/scripted"
	"errand/internal/test/sim/models"
	"errand/internal/tools"
)

// A ledger is what became of questions, counted from outside: by the model, which agents
// have call it, and by who answers over the API.
type ledger struct {
	Asked    int // were open before the process was killed
	Answered int // answers that were taken
	Told     int // tasks whose agent was told the answer to its own question
	Doubled  int // answers that were taken or told a second time
	Lost     int // questions whose agent was never told, or whose task did not complete
	ready    time.Duration
	all      time.Duration // until all had completed, from when the process was started again
}

func (l ledger) print(out io.Writer) {
	fmt.Fprintf(out, "\n%d tasks that wait for an answer, the process killed (-9) and started again (ready after %.1f s):\n", l.Asked, l.ready.Seconds())
	fmt.Fprintf(out, "asked %d, answered %d, told %d, doubled %d, lost %d; all had completed %.1f s after the restart\n", l.Asked, l.Answered, l.Told, l.Doubled, l.Lost, l.all.Seconds())
}

const restartChats = 50

// restartWorker has tasks wait for answers in another process, kills that with SIGKILL with
// all that it consists of, and starts it again on what it has left. Then it answers every
// question, each twice: the second answer must not count.
func restartWorker(ctx context.Context, o Options, dir string) (l ledger, err error) {
	model := &askingModel{told: map[string]int{}}
	server := httptest.NewServer(models.Serve(scripted.Func(model.answer)))
	defer server.Close()
	data := filepath.Join(dir, "restarted")
	env, api, err := alone(data, server.URL)
	if err != nil {
		return l, err
	}
	first, err := spawn(ctx, o, env, api)
	if err != nil {
		return l, err
	}
	open, err := waitingIn(ctx, data, api, o.Waiting)
	first.kill()
	if err != nil {
		return l, fmt.Errorf("have tasks wait: %w", err)
	}
	l.Asked = len(open)
	begin := time.Now()
	second, err := spawn(ctx, o, env, api)
	if err != nil {
		return l, err
	}
	defer second.kill()
	l.ready = time.Since(begin)
	var taken, again atomic.Int64
	var all errgroup.Group
	all.SetLimit(8)
	for task, question := range open {
		all.Go(func() error {
			for i, counted := range []*atomic.Int64{&taken, &again} {
				body := fmt.Sprintf(`{"text":"%s of %s"}`, []string{"Monday", "Tuesday"}[i], task)
				resp, err := asOwner(ctx, data, http.MethodPost, api+"/api/questions/"+string(question)+"/answer", body)
				if err == nil {
					resp.Body.Close()
					counted.Add(1)
				} else if i == 0 {
					return err
				}
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		return l, fmt.Errorf("answer: %w", err)
	}
	completed := map[core.TaskID]bool{}
	wait := until(ctx, func() (bool, error) {
		for chat := range restartChats {
			list, err := read[core.Task](ctx, data, api+"/api/tasks?limit=1000&chat="+chatOf(chat))
			if err != nil {
				return false, err
			}
			for _, t := range list {
				if t.State == core.Completed {
					completed[t.ID] = true
				}
			}
		}
		return len(completed) >= len(open), nil
	})
	l.all = time.Since(begin)
	l.Answered, l.Doubled = int(taken.Load()), int(again.Load())
	for task := range open {
		n := model.times(string(task))
		l.Told += min(n, 1)
		l.Doubled += max(n-1, 0)
		if n == 0 || !completed[task] {
			l.Lost++
		}
	}
	if l.Lost == 0 {
		return l, wait
	}
	return l, nil // what is lost is what is measured
}

func chatOf(i int) string { return fmt.Sprintf("restarted%d", i%restartChats) }

// waitingIn begins tasks, and returns the question that each of them waits with once all do.
func waitingIn(ctx context.Context, data, api string, n int) (map[core.TaskID]core.QuestionID, error) {
	for i := range n {
		body := fmt.Sprintf(`{"agent":"sasha","text":%q,"chat":%q}`, whichDay, chatOf(i))
		resp, err := asOwner(ctx, data, http.MethodPost, api+"/api/tasks", body)
		if err != nil {
			return nil, err
		}
		resp.Body.Close()
	}
	open := map[core.TaskID]core.QuestionID{}
	err := until(ctx, func() (bool, error) {
		for chat := range restartChats {
			list, err := read[core.Question](ctx, data, api+"/api/questions?limit=1000&chat="+chatOf(chat))
			if err != nil {
				return false, err
			}
			for _, q := range list {
				open[q.Task] = q.ID
			}
		}
		return len(open) == n, nil
	})
	return open, err
}

func read[T any](ctx context.Context, data, url string) (list []T, err error) {
	resp, err := asOwner(ctx, data, http.MethodGet, url, "")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return list, json.NewDecoder(resp.Body).Decode(&list)
}

// askingModel is a model whose sub-agents ask the person, and report what they are told. It
// counts for each task how often its agent was told the answer that was given first.
type askingModel struct {
	mu   sync.Mutex
	told map[string]int // by task
}

func (m *askingModel) times(task string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.told[task]
}

func (m *askingModel) answer(_ context.Context, t *scripted.Turn) scripted.Answer {
	_, rest, _ := strings.Cut(t.System, subAgentPrompt)
	task := taskID.FindString(rest)
	if task == "" { // the agent of the conversation tells what came of a task
		return scripted.Answer{Text: "done"}
	}
	if !t.Called(tools.AskUser) {
		return called(tools.AskUser, `{"question":"Which day?"}`)
	}
	if answers := t.Results(tools.AskUser); len(answers) > 0 && strings.Contains(answers[len(answers)-1], "Monday of "+task) {
		m.mu.Lock()
		m.told[task]++
		m.mu.Unlock()
	}
	return scripted.Answer{Text: "done"}
}
