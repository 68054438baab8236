package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"
)

// Programs of the images that Debian may not have: this program answers to their names
// too, and takes what docker-compose.yml and the scripts beside it say to them.
var tools = map[string]func(args []string) error{"nc": netcat, "wget": wget, "temporal": temporalCommand}

func netcat(args []string) error {
	if len(args) != 3 || args[0] != "-z" {
		return fmt.Errorf("nc %s: not known here", strings.Join(args, " "))
	}
	conn, err := net.DialTimeout("tcp", net.JoinHostPort(args[1], args[2]), 2*time.Second)
	if err != nil {
		return err
	}
	return conn.Close()
}

func wget(args []string) error {
	if len(args) != 4 || !slices.Equal(args[:3], []string{"-q", "-O", "/dev/null"}) {
		return fmt.Errorf("wget %s: not known here", strings.Join(args, " "))
	}
	resp, err := (&http.Client{Timeout: 2 * time.Second}).Get(args[3])
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

func temporalCommand(args []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if len(args) < 5 || !slices.Equal(args[:2], []string{"operator", "namespace"}) || args[3] != "--namespace" {
		return fmt.Errorf("temporal %s: not known here", strings.Join(args, " "))
	}
	c, err := client.NewNamespaceClient(client.Options{HostPort: os.Getenv("TEMPORAL_ADDRESS")})
	if err != nil {
		return err
	}
	defer c.Close()
	if args[2] == "describe" {
		_, err := c.Describe(ctx, args[4])
		return err
	}
	if len(args) != 7 || args[2] != "create" || args[5] != "--retention" {
		return fmt.Errorf("temporal %s: not known here", strings.Join(args, " "))
	}
	keep, err := time.ParseDuration(args[6])
	if err != nil {
		return err
	}
	return c.Register(ctx, &workflowservice.RegisterNamespaceRequest{Namespace: args[4], WorkflowExecutionRetentionPeriod: durationpb.New(keep)})
}
