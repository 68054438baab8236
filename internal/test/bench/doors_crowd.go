package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptrace"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/ownerkey"
	"errand/internal/test/servicetest"
)

// How clients wait.
const (
	overMCP = "MCP: await_task"
	overA2A = "A2A: SubscribeToTask"
	overSSE = "event streams of chats"
)

// waiters is how many wait at once.
const waiters = 1000

// A crowding is the input of the clients' process: the person of each client, and what they wait
// for.
type crowding struct {
	Kind    string    `json:"kind"`
	Base    string    `json:"base"`
	Clients int       `json:"clients"`
	People  []program `json:"people"`
	Of      []string  `json:"of"` // each of the people waits for: a task, or what comes after an event
}

// wait has clients wait, each on a connection of its own from another process, and reads what
// they take of this one. Then it ends what they wait for, and counts who heard of it.
func (d *doors) wait(ctx context.Context, kind string) error {
	c := crowding{Kind: kind, Base: d.base, Clients: waiters, People: d.people}
	for _, p := range d.people {
		of, err := "", error(nil)
		if kind == overSSE {
			of, err = d.chatsSoFar(ctx, p)
		} else {
			of, err = p.delegate(ctx, d.base, wait)
		}
		if err != nil {
			return err
		}
		c.Of = append(c.Of, of)
	}
	if err := settle(ctx); err != nil {
		return err
	}
	before, err := collected()
	if err != nil {
		return err
	}
	clients, err := startClients(d.Options, c)
	if err != nil {
		return err
	}
	defer clients.stop()
	there, err := clients.count("there")
	if err != nil {
		return err
	}
	if err := settle(ctx); err != nil {
		return err
	}
	with, err := collected()
	if err != nil {
		return err
	}
	for i, p := range d.people {
		if kind == overSSE {
			err = d.send(ctx, p)
		} else {
			_, err = servicetest.CancelTask(ctx, d.app.Service, actor.Actor{Person: p.Person, Role: core.Member}, core.TaskID(c.Of[i]), "enough")
		}
		if err != nil {
			return err
		}
	}
	delivered, err := clients.count("told")
	if err != nil {
		return err
	}
	each := func(after, before uint64) float64 { return float64(int64(after)-int64(before)) / waiters / 1024 }
	heap, stacks := each(with.live, before.live), each(with.stacks, before.stacks)
	d.musts.hold(delivered == waiters, "of %d clients that wait at once, %s, %d were not told how it ended", waiters, kind, waiters-delivered)
	d.musts.hold(heap < 50, "each client that waits, %s, takes %.1f kB, and must less than 50", kind, heap)
	fmt.Fprintf(d.Out, "\n%d clients wait at once, %s: %d there, %d told how it ended, %d errors (must: 0)\n", waiters, kind, there, delivered, waiters-delivered)
	_, err = fmt.Fprintf(d.Out, "  each: heap %.1f kB (must: < 50 kB); stacks %.1f kB of %.1f goroutines; resident %.1f kB\n",
		heap, stacks, float64(with.goroutines-before.goroutines)/waiters, float64(with.resident-before.resident)/waiters/1024)
	return err
}

const followed = "crowd"

// chatsSoFar runs a turn in a program's chat, so that the chat exists, and returns its last event.
func (d *doors) chatsSoFar(ctx context.Context, p program) (string, error) {
	key := core.NewSessionKey(core.WebRoute(followed), p.Person)
	if err := d.send(ctx, p); err != nil {
		return "", err
	}
	var last core.Event
	err := until(ctx, func() (bool, error) {
		list, err := d.app.Store.LastEvents(ctx, key, math.MaxInt64, 1)
		if len(list) > 0 {
			last = list[0]
		}
		return last.Type == core.EventReply, err
	})
	return strconv.FormatInt(last.ID, 10), err
}

func (d *doors) send(ctx context.Context, p program) error {
	_, err := d.app.Intake.Accept(ctx, intake.Inbound{Route: core.WebRoute(followed), Person: p.Person, Role: core.Member, Text: "hello"})
	return err
}

// collected is the memory after a collection.
func collected() (memory, error) {
	debug.FreeOSMemory()
	debug.FreeOSMemory() // pools are emptied by the second
	return readMemory()
}

// A clients is the process of the clients, or without a command for one their part of this.
type clients struct {
	out  *bufio.Reader
	stop func()
}

func startClients(o Options, c crowding) (*clients, error) {
	raw, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	if len(o.Clients) == 0 {
		ctx, cancel := context.WithCancel(context.Background()) // until they are stopped
		out, in := io.Pipe()
		go func() { in.CloseWithError(Clients(ctx, strings.NewReader(string(raw)), in)) }()
		return &clients{bufio.NewReader(out), cancel}, nil
	}
	cmd := exec.Command(o.Clients[0], o.Clients[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stderr = ownerkey.ChildEnv(os.Environ()), strings.NewReader(string(raw)), os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the clients: %w", err)
	}
	return &clients{bufio.NewReader(out), process{cmd}.kill}, nil
}

func (c *clients) count(what string) (n int, err error) {
	line, err := c.out.ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("the clients: %w", err)
	}
	if _, err := fmt.Sscanf(line, what+" %d\n", &n); err != nil {
		return 0, fmt.Errorf("the clients say %q: %w", line, err)
	}
	return n, nil
}

// Clients is a process of its own that waits as many clients do. It reads from in who they
// are, and says when all of them are there, and how many were told what they waited for.
func Clients(ctx context.Context, in io.Reader, out io.Writer) error {
	var c crowding
	if err := json.NewDecoder(in).Decode(&c); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, quickly)
	defer cancel()
	var there, delivered atomic.Int64
	var all errgroup.Group
	arrived := make(chan struct{}, c.Clients)
	opening := make(chan struct{}, 16) // strangers of one address may have 64 connections
	var failed atomic.Pointer[error]
	for i := range c.Clients {
		opening <- struct{}{}
		all.Go(func() error {
			var once sync.Once
			came := func() {
				once.Do(func() {
					<-opening
					arrived <- struct{}{}
				})
			}
			defer came() // or it failed
			if err := c.wait(ctx, i, func() { there.Add(1); came() }); err != nil {
				failed.CompareAndSwap(nil, &err)
				return nil
			}
			delivered.Add(1)
			return nil
		})
	}
	for range c.Clients {
		<-arrived
	}
	if _, err := fmt.Fprintln(out, "there", there.Load()); err != nil {
		return err
	}
	_ = all.Wait() // they are counted
	if err := failed.Load(); err != nil {
		fmt.Fprintln(os.Stderr, "the first of the clients that failed:", *err)
	}
	_, err := fmt.Fprintln(out, "told", delivered.Load())
	return err
}

// wait is one client. It calls arrive when it is there.
func (c crowding) wait(ctx context.Context, i int, arrive func()) error {
	p, of := c.People[i%len(c.People)], c.Of[i%len(c.People)]
	switch c.Kind {
	case overMCP: // a call that waits says nothing at first
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { time.AfterFunc(50*time.Millisecond, arrive) }})
		resp, err := p.call(ctx, c.Base, "await_task", map[string]any{"task_id": of, "wait_seconds": 45})
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		got, err := resultOf(resp)
		if err == nil && got.State != string(core.Canceled) {
			err = errors.New("the task is " + got.State)
		}
		return err
	case overA2A:
		resp, err := p.post(ctx, c.Base+"/a2a/sasha", map[string]any{"jsonrpc": "2.0", "id": 1, "method": "SubscribeToTask", "params": map[string]any{"id": of}})
		return follow(resp, err, arrive, "TASK_STATE_CANCELED")
	}
	resp, err := p.ask(ctx, http.MethodGet, c.Base+"/api/sessions/"+followed+"/events?after="+of, "")
	return follow(resp, err, arrive, `"type":"reply"`)
}

// follow reads a stream until it says something.
func follow(resp *http.Response, err error, arrive func(), end string) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	arrive()
	return lines(resp, func(line string) (bool, error) { return strings.Contains(line, end), nil })
}
