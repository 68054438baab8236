package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/ownerkey"
	"errand/internal/test/sim/models"
)

const slowly = "say it slowly"

func runVictim(ctx context.Context) error {
	var temporal int
	if _, err := fmt.Sscan(os.Getenv("ERRAND_PROVIDERS_TEMPORAL"), &temporal); err != nil {
		return err
	}
	a, err := start(ctx, os.Getenv("ERRAND_PROVIDERS_DIR"), temporal, os.Stderr)
	if err != nil {
		return err
	}
	for _, agent := range strings.Fields(os.Getenv("ERRAND_PROVIDERS_AGENTS")) {
		if _, err := send(ctx, a, "killed-"+agent, agent, slowly); err != nil {
			return err
		}
	}
	return a.Wait(ctx)
}

func killInCalls(ctx context.Context, dir string, temporal int, subjects []*subject, log io.Writer) error {
	names := make([]string, len(subjects))
	for i, s := range subjects {
		names[i] = s.agent
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(ownerkey.ChildEnv(os.Environ()), roleVariable+"="+victim, "ERRAND_PROVIDERS_DIR="+dir,
		fmt.Sprintf("ERRAND_PROVIDERS_TEMPORAL=%d", temporal), "ERRAND_PROVIDERS_AGENTS="+strings.Join(names, " "))
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		return err
	}
	died := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it is killed, or says itself what is wrong
		close(died)
	}()
	for _, s := range subjects {
		// Its id is kept when the first piece is heard: see the reading of the answer.
		if !s.server.Await(patience, func(c models.Counts) bool { return c.Pieces > 0 || isClosed(died) }) || isClosed(died) {
			err = fmt.Errorf("%s was not called", s.agent)
			break
		}
	}
	if err == nil {
		err = awaitKept(ctx, dir, subjects)
	}
	if kerr := cmd.Process.Kill(); err == nil {
		err = kerr
	}
	<-died
	return err
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func afterKill(ctx context.Context, a *app.App, subjects []*subject) error {
	for _, s := range subjects {
		s.server.Release()
	}
	for _, s := range subjects {
		key := core.NewSessionKey(core.WebRoute("killed-"+s.agent), app.Owner)
		text, err := reply(ctx, a, key)
		if err != nil {
			return fmt.Errorf("%s, killed: %w", s.agent, err)
		}
		if text != "Heard: "+slowly {
			s.row.Kill = "lost: " + text
			continue
		}
		s.row.Kill = fmt.Sprintf("paid %d×", s.server.Counts().Generations)
	}
	return nil
}
