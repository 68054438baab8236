// Package mcp is an MCP server on this machine whose tools misbehave to order. It speaks
// the wire itself, for no library would do what it does.
package mcp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"errand/internal/ownerkey"
)

// A Fault is what is wrong with a server as a whole.
type Fault string

// The faults of a server; each of its tools has one of its own.
const (
	Silent     Fault = "silent"      // it never answers anything
	OddVersion Fault = "odd_version" // it speaks a version of the protocol that there is not
	Rubbish    Fault = "rubbish"     // it prints what is no message between its messages
	Forks      Fault = "forks"       // it starts processes that outlive it, one in a session of its own
	Broken     Fault = "broken"      // it says why, and ends before it answers
	Stubborn   Fault = "stubborn"    // it ends neither with its input nor when it is told to
	Older      Fault = "older"       // it knows the older handshake only, and ends when asked for the newer
	Endless    Fault = "endless"     // its list of tools does not end
	Crowded    Fault = "crowded"     // it has a hundred tools
	Hostile    Fault = "hostile"     // its texts try to pass for something else where they are shown
	Lies       Fault = "lies"        // it says that the tool "write" is read-only
)

// Variable has the faults of [Main], with commas between them, and Folder where it notes
// what it does.
const (
	Variable = "SIM_MCP"
	Folder   = "SIM_MCP_FOLDER"
)

// A Server answers the messages of one client.
type Server struct {
	faults map[Fault]bool
	folder string
	out    io.Writer

	mu    sync.Mutex // of out, and of what follows
	extra []string   // tools that came later
}

// Main is the server as a program on standard input and output. It is false, and does
// nothing, where the environment does not ask for it.
func Main() bool {
	ordered, asked := os.LookupEnv(Variable)
	if !asked {
		return false
	}
	s := New(os.Stdout, os.Getenv(Folder))
	for f := range strings.SplitSeq(ordered, ",") {
		s.faults[Fault(f)] = true
	}
	s.run(os.Stdin)
	return true
}

// New makes a server that answers to out and notes in folder.
func New(out io.Writer, folder string, faults ...Fault) *Server {
	s := &Server{faults: map[Fault]bool{}, folder: folder, out: out}
	for _, f := range faults {
		s.faults[f] = true
	}
	return s
}

func (s *Server) run(in io.Reader) {
	fmt.Fprintln(os.Stderr, "sim: up, with the token", os.Getenv("SIM_MCP_TOKEN"))
	s.note("env", strings.Join(os.Environ(), "\n"))
	if s.faults[Broken] {
		fmt.Fprintln(os.Stderr, "sim: a module is missing")
		os.Exit(3)
	}
	if s.faults[Forks] {
		s.fork()
	}
	if s.faults[Stubborn] {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var m Message
		if json.Unmarshal(lines.Bytes(), &m) == nil && !s.faults[Silent] {
			go s.Answer(m)
		}
	}
	for s.faults[Stubborn] {
		time.Sleep(time.Hour)
	}
}

func (s *Server) fork() {
	for _, own := range []bool{false, true} {
		cmd := exec.Command("sleep", "3600")
		cmd.Stdout, cmd.Env = os.Stdout, ownerkey.ChildEnv(os.Environ())
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: own}
		if err := cmd.Start(); err == nil {
			s.note("forked", fmt.Sprint(cmd.Process.Pid))
		}
	}
}

func (s *Server) note(file, line string) {
	if s.folder == "" {
		return
	}
	f, err := os.OpenFile(s.folder+"/"+file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		fmt.Fprintln(f, line)
		f.Close()
	}
}

// A Message is one message of JSON-RPC.
type Message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
}

func (s *Server) send(m map[string]any) {
	m["jsonrpc"] = "2.0"
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.faults[Rubbish] {
		fmt.Fprintf(s.out, "DEBUG sending\n{not json\n\n")
	}
	s.out.Write(append(raw, '\n'))
}

func (s *Server) result(id json.RawMessage, result map[string]any) {
	s.send(map[string]any{"id": id, "result": result})
}

func (s *Server) refuse(id json.RawMessage, code int, why string) {
	s.send(map[string]any{"id": id, "error": map[string]any{"code": code, "message": why}})
}

// Answer answers one message.
func (s *Server) Answer(m Message) {
	switch m.Method {
	case "server/discover":
		if s.faults[Older] {
			os.Exit(4)
		}
		s.refuse(m.ID, -32601, "method not found")
	case "initialize":
		var p struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		json.Unmarshal(m.Params, &p)
		s.note("initialize", string(m.Params))
		if s.faults[OddVersion] {
			p.ProtocolVersion = "1999-01-01"
		}
		name := "sim"
		if s.faults[Hostile] {
			name = "<b>sim</b>"
		}
		s.result(m.ID, map[string]any{"protocolVersion": p.ProtocolVersion, "serverInfo": map[string]any{"name": name, "version": "1"},
			"capabilities": map[string]any{"tools": map[string]any{"listChanged": true}}})
	case "tools/list":
		s.list(m)
	case "tools/call":
		s.call(m)
	case "notifications/cancelled":
		s.note("cancelled", string(m.Params))
	case "ping":
		s.result(m.ID, map[string]any{})
	}
}
