package main

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

func loadProject(ctx context.Context, env map[string]string) (*types.Project, error) {
	file, err := filepath.Abs("docker-compose.yml")
	if err != nil {
		return nil, err
	}
	return loader.LoadWithContext(ctx, types.ConfigDetails{
		WorkingDir: filepath.Dir(file), ConfigFiles: []types.ConfigFile{{Filename: file}}, Environment: env,
	})
}

// A place is one container of a service, as it is on this machine: an address of its
// own on the loopback, so that every port stays that of docker-compose.yml, and
// folders of this machine for those of the container.
type place struct {
	types.ServiceConfig
	ip    string
	paths map[string]string // of the container, on this machine
	hosts map[string]string // of services, by name
}

func (s *stack) place(service types.ServiceConfig, replica int) place {
	p := place{ServiceConfig: service, ip: s.address(service.Name, replica), paths: maps.Clone(s.files), hosts: map[string]string{}}
	for _, v := range service.Volumes {
		if v.Type == types.VolumeTypeBind {
			p.paths[v.Target] = v.Source
		} else {
			p.paths[v.Target] = filepath.Join(s.dir, v.Source)
		}
	}
	for _, t := range service.Tmpfs {
		p.paths[t+"/"] = filepath.Join(s.dir, fmt.Sprintf("tmp-%s-%d", service.Name, replica)) + "/"
	}
	for name := range s.project.Services {
		p.hosts[name] = s.address(name, 0)
	}
	return p
}

func (s *stack) address(service string, replica int) string {
	names := slices.Sorted(maps.Keys(s.project.Services))
	return s.net + strconv.Itoa(16*(slices.Index(names, service)+1)+replica)
}

// here translates the paths of the container, wherever they stand in a text.
func (p place) here(text string) string {
	var pairs []string
	for _, path := range slices.SortedFunc(maps.Keys(p.paths), func(a, b string) int { return len(b) - len(a) }) {
		pairs = append(pairs, path, p.paths[path])
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// atHost is an address of a service, such as postgres:5432.
var atHost = regexp.MustCompile(`^([a-z-]+)(:\d+)?$`)

// env is the environment of the container, translated: paths, addresses of services,
// and what it listens on.
func (p place) env() []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(p.Environment)) {
		if p.Environment[name] == nil {
			continue
		}
		value := p.here(*p.Environment[name])
		value = strings.ReplaceAll(value, "0.0.0.0", p.ip)
		if m := atHost.FindStringSubmatch(value); m != nil && p.hosts[m[1]] != "" {
			// A name alone is that of a host where the variable says so: "errand" is a user too.
			if m[2] != "" || strings.HasSuffix(name, "_HOST") || strings.HasSuffix(name, "_SEEDS") {
				value = p.hosts[m[1]] + m[2]
			}
		}
		list = append(list, name+"="+value)
	}
	return list
}

func (p place) args(command []string) []string {
	var list []string
	for _, arg := range command {
		list = append(list, p.here(arg))
	}
	return list
}

func (p place) health() []string {
	if p.HealthCheck == nil || len(p.HealthCheck.Test) < 2 || p.HealthCheck.Test[0] != "CMD" {
		return nil
	}
	var list []string
	for _, arg := range p.args(p.HealthCheck.Test[1:]) {
		list = append(list, strings.ReplaceAll(arg, "127.0.0.1", p.ip))
	}
	return list
}

// freeNet finds a part of the loopback that nothing else uses: 127.a.b.
func freeNet() (string, error) {
	for i := range 250 {
		net24 := fmt.Sprintf("127.%d.%d.", 100+os.Getpid()%100, (os.Getpid()/100+i)%250)
		l, err := net.Listen("tcp", net24+"1:7233")
		if err == nil {
			l.Close()
			return net24, nil
		}
	}
	return "", fmt.Errorf("no part of 127.0.0.0/8 is free for port 7233: is a Temporal listening on all addresses?")
}
