package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"errand/internal/llm"
	"errand/internal/llm/scripted"
	"errand/internal/ownerkey"
	"errand/internal/test/sim/models"
)

const subAgentPrompt = "You are working on task"

// Scripted serves the scripted model in a process of its own, so that its CPU time counts for
// neither program. It prints its address, and ends when ctx does.
func Scripted(ctx context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/v1\n", l.Addr())
	server := &http.Server{Handler: serveInstant()}
	context.AfterFunc(ctx, func() { server.Close() })
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// serveInstant answers as [instant] does, over the wire.
func serveInstant() http.Handler {
	open := make(chan struct{})
	close(open)
	return models.Serve(&instant{mayReport: open})
}

// serveDone answers everything with "done".
func serveDone() http.Handler {
	return models.Serve(scripted.Func(func(context.Context, *scripted.Turn) scripted.Answer { return scripted.Answer{Text: "done"} }))
}

// startScripted starts such a process, or without a command for it a server in this one.
func startScripted(o Options) (address string, stop func(), err error) {
	if len(o.Model) == 0 {
		server := httptest.NewServer(serveInstant())
		return server.URL + "/v1", server.Close, nil
	}
	cmd := exec.Command(o.Model[0], o.Model[1:]...)
	cmd.Env = ownerkey.ChildEnv(os.Environ())
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, fmt.Errorf("start the scripted model: %w", err)
	}
	stop = process{cmd}.kill
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("start the scripted model: %w", err)
	}
	return strings.TrimSpace(line), stop, nil
}

func overHTTP(address string) (*llm.Client, error) {
	return llm.New(llm.Config{Models: map[string]llm.Model{"default": {
		Providers: []llm.Provider{{Name: "bench", Model: "bench", BaseURL: address}}}}})
}
