// Package coding is a coding agent that speaks ACP and does what its prompt says, line by
// line. Its session is a file, so that another process takes it up where the last was killed.
package coding

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/acp-go-sdk"
)

// Variable is set in the environment of a process that is to be the agent. It names the
// folder in which sessions are kept; "-" keeps none, and takes none up.
const Variable = "SIM_CODING_AGENT"

// Main is the agent, in a process that is to be one; it reports whether this is.
func Main() bool {
	folder := os.Getenv(Variable)
	if folder == "" {
		return false
	}
	a := &agent{folder: folder, cancels: map[acp.SessionId]context.CancelFunc{}}
	ready := make(chan struct{})
	a.conn = func() *acp.AgentSideConnection { <-ready; return a.made }
	a.made = acp.NewAgentSideConnection(a, os.Stdout, os.Stdin)
	close(ready)
	<-a.made.Done()
	return true
}

type agent struct {
	acp.Agent // what errand asks no agent for
	folder    string
	made      *acp.AgentSideConnection
	conn      func() *acp.AgentSideConnection

	mu      sync.Mutex
	cancels map[acp.SessionId]context.CancelFunc
}

var _ acp.AgentLoader = (*agent)(nil)

func (a *agent) Initialize(context.Context, acp.InitializeRequest) (acp.InitializeResponse, error) {
	return acp.InitializeResponse{ProtocolVersion: acp.ProtocolVersionNumber, AgentCapabilities: acp.AgentCapabilities{LoadSession: a.folder != "-"},
		AuthMethods: []acp.AuthMethod{{Agent: &acp.AuthMethodAgent{Id: "sim", Name: "Sim's account", Description: acp.Ptr("run sim login")}}}}, nil
}

func (a *agent) NewSession(context.Context, acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	id := acp.SessionId("sim-" + rand.Text())
	return acp.NewSessionResponse{SessionId: id}, a.keep(id, 0)
}

func (a *agent) LoadSession(ctx context.Context, p acp.LoadSessionRequest) (acp.LoadSessionResponse, error) {
	if _, err := os.Stat(filepath.Join(a.folder, string(p.SessionId))); err != nil {
		return acp.LoadSessionResponse{}, acp.NewInvalidParams(map[string]any{"error": "no such session"})
	}
	// What was said before is told again.
	return acp.LoadSessionResponse{}, a.conn().SessionUpdate(ctx, acp.SessionNotification{SessionId: p.SessionId, Update: acp.UpdateAgentMessageText("said before")})
}

// Cancel leaves a file in the folder in which the agent works.
func (a *agent) Cancel(_ context.Context, p acp.CancelNotification) error {
	if err := os.WriteFile("canceled", []byte(p.SessionId), 0o600); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if cancel := a.cancels[p.SessionId]; cancel != nil {
		cancel()
	}
	return nil
}

// keep notes how many lines of its prompt a session has done. Whoever is killed in it has the
// number from before.
func (a *agent) keep(id acp.SessionId, done int) error {
	if a.folder == "-" {
		return nil
	}
	path := filepath.Join(a.folder, string(id))
	if err := os.WriteFile(path+".new", []byte(strconv.Itoa(done)), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Prompt does what the lines say that begin with ">", from where the session is.
func (a *agent) Prompt(_ context.Context, p acp.PromptRequest) (acp.PromptResponse, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	a.mu.Lock()
	a.cancels[p.SessionId] = cancel
	a.mu.Unlock()
	done := 0
	if kept, err := os.ReadFile(filepath.Join(a.folder, string(p.SessionId))); err == nil {
		done, _ = strconv.Atoi(string(kept))
	}
	text := p.Prompt[0].Text.Text
	n := 0
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), ">")
		if !ok {
			continue
		}
		if n++; n <= done {
			continue
		}
		if err := a.do(ctx, p.SessionId, line, text); ctx.Err() != nil {
			return acp.PromptResponse{StopReason: acp.StopReasonCancelled}, nil
		} else if err != nil {
			return acp.PromptResponse{}, err
		}
		if err := a.keep(p.SessionId, n); err != nil {
			return acp.PromptResponse{}, err
		}
	}
	return acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, nil
}

func (a *agent) do(ctx context.Context, id acp.SessionId, line, prompt string) error {
	word, rest, _ := strings.Cut(line, " ")
	file, what, _ := strings.Cut(rest, " ")
	tell := func(u acp.SessionUpdate) error {
		return a.conn().SessionUpdate(ctx, acp.SessionNotification{SessionId: id, Update: u})
	}
	switch word {
	case "say":
		return tell(acp.UpdateAgentMessageText(rest))
	case "repeat": // its prompt
		return tell(acp.UpdateAgentMessageText(prompt))
	case "environment":
		return tell(acp.UpdateAgentMessageText(strings.Join(os.Environ(), "\n")))
	case "plan":
		return tell(acp.UpdatePlan(acp.PlanEntry{Content: rest, Status: acp.PlanEntryStatusInProgress, Priority: acp.PlanEntryPriorityHigh}))
	case "write":
		if err := tell(acp.StartToolCall(acp.ToolCallId(line), "write "+file, acp.WithStartKind(acp.ToolKindEdit))); err != nil {
			return err
		}
		return os.WriteFile(file, []byte(what), 0o600)
	case "ask": // and then write
		got, err := a.conn().RequestPermission(ctx, asking(id, line, file, what))
		switch {
		case err != nil:
			return err
		case got.Outcome.Selected == nil:
			<-ctx.Done() // the turn is canceled
			return ctx.Err()
		case got.Outcome.Selected.OptionId != "once":
			return tell(acp.UpdateAgentMessageText("refused by " + string(got.Outcome.Selected.OptionId) + ". "))
		}
		return os.WriteFile(file, []byte(what), 0o600)
	case "retract": // what it asks for, once a file is there
		asked, cancel := context.WithCancel(ctx)
		go func() {
			_ = await(ctx, file)
			cancel()
		}()
		_, err := a.conn().RequestPermission(asked, asking(id, line, file, what))
		return tell(acp.UpdateAgentMessageText(fmt.Sprint(err != nil)))
	case "await": // a file
		return await(ctx, rest)
	case "fork": // something that outlives it, unless it is killed
		return fork(rest)
	case "read":
		_, err := a.conn().ReadTextFile(ctx, acp.ReadTextFileRequest{SessionId: id, Path: rest})
		return tell(acp.UpdateAgentMessageText(fmt.Sprint(err != nil)))
	case "fail":
		return &acp.RequestError{Code: -32603, Message: rest}
	case "login":
		return acp.NewAuthRequired(nil)
	case "exit":
		fmt.Fprintln(os.Stderr, rest)
		os.Exit(3)
	case "rubbish":
		for range 1 << 11 {
			fmt.Println(strings.Repeat("rubbish ", 128))
		}
	case "long":
		fmt.Println(`{"jsonrpc":"2.0","method":"session/update","params":"` + strings.Repeat("a", 11<<20) + `"}`)
	case "flood":
		for range 30_000 {
			fmt.Println(`{"jsonrpc":"2.0","method":"session/update","params":{}}`)
		}
	case "stubborn": // it does not hear
		select {}
	}
	return nil
}

func asking(id acp.SessionId, call, file, text string) acp.RequestPermissionRequest {
	return acp.RequestPermissionRequest{SessionId: id,
		ToolCall: acp.ToolCallUpdate{ToolCallId: acp.ToolCallId(call), Title: acp.Ptr("write " + file), Kind: acp.Ptr(acp.ToolKindEdit), RawInput: map[string]any{"file": file, "text": text}},
		Options: []acp.PermissionOption{{Kind: acp.PermissionOptionKindAllowAlways, Name: "Always", OptionId: "always"},
			{Kind: acp.PermissionOptionKindAllowOnce, Name: "Yes", OptionId: "once"}, {Kind: acp.PermissionOptionKindRejectOnce, Name: "No", OptionId: "no"}}}
}

// await waits until a file is there.
func await(ctx context.Context, file string) error {
	for {
		if _, err := os.Stat(file); err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
}
