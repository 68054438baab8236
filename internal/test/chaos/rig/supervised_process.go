package rig

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"errand/internal/ownerkey"
)

// A SupervisedProcess is a process that plays a part of this same program, which its
// environment names. It is started again when it ends, as an init system does: errand
// ends when its database is away at its start.
type SupervisedProcess struct {
	Name string

	env     []string
	log     *os.File
	noticed func(string) // that it has ended and is started again

	mu     sync.Mutex
	now    *exec.Cmd
	ended  chan struct{} // closed when now has
	up     bool          // it is to run
	closed bool
}

// Supervise starts a process, which logs to a file. noticed is told when it has ended by
// itself.
func Supervise(name, log string, noticed func(string), env ...string) (*SupervisedProcess, error) {
	file, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	s := &SupervisedProcess{Name: name, env: env, log: file, noticed: noticed}
	return s, s.Start()
}

// Log is the file that it logs to.
func (s *SupervisedProcess) Log() string { return s.log.Name() }

// Start starts it, after Kill too.
func (s *SupervisedProcess) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.up = true
	return s.spawn()
}

func (s *SupervisedProcess) spawn() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	cmd, ended := exec.Command(program), make(chan struct{})
	cmd.Env = append(ownerkey.ChildEnv(os.Environ()), s.env...)
	cmd.Stdout, cmd.Stderr = s.log, s.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", s.Name, err)
	}
	s.now, s.ended = cmd, ended
	go func() {
		cmd.Wait()
		close(ended)
		time.Sleep(300 * time.Millisecond) // not as fast as it can: it may end at once
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.up && !s.closed && s.now == cmd {
			s.noticed(s.Name + " has ended, and is started again")
			if err := s.spawn(); err != nil {
				s.noticed(err.Error())
			}
		}
	}()
	return nil
}

// Kill ends it with SIGKILL; it is not started again before Start.
func (s *SupervisedProcess) Kill() {
	s.mu.Lock()
	s.up = false
	cmd, ended := s.now, s.ended
	s.mu.Unlock()
	cmd.Process.Kill()
	<-ended
}

// Signal sends it a signal.
func (s *SupervisedProcess) Signal(sig syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.Process.Signal(sig)
}

// Close ends it for good.
func (s *SupervisedProcess) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.Kill()
	s.log.Close()
}
