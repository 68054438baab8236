package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A variant is one of the two programs that are released. ADR 16 says why there are two.
type variant struct {
	name        string
	tags        string
	license     string // an SPDX identifier
	about       string
	forPackages bool // Debian packages and the image contain it
}

var variants = []variant{
	{name: "errand", license: "GPL-3.0-only", about: "with WhatsApp", forPackages: true},
	{name: "errand-nowhatsapp", tags: "nowhatsapp", license: "Apache-2.0", about: "without WhatsApp"},
}

// A program is errand, built for one platform, with the documents that belong to it.
type program struct {
	variant
	from      *source
	os, arch  string
	binary    file
	legal     []file
	documents []file
}

func (s *source) build(v variant, platform string) (program, error) {
	system, arch, _ := strings.Cut(platform, "/")
	p := program{variant: v, from: s, os: system, arch: arch}
	fmt.Fprintf(os.Stderr, "release: building %s for %s\n", v.name, platform)
	dir, err := os.MkdirTemp("", "errand-release-")
	if err != nil {
		return p, err
	}
	defer os.RemoveAll(dir)
	at := filepath.Join(dir, "errand")
	args := []string{"build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-tags=" + v.tags, "-o", at, "./cmd/errand"}
	if _, err := s.run(p.environment(), "go", args...); err != nil {
		return p, err
	}
	data, err := os.ReadFile(at)
	if err != nil {
		return p, err
	}
	p.binary = file{name: "errand", mode: 0o755, data: data}
	if p.legal, err = p.legalFiles(); err != nil {
		return p, fmt.Errorf("collect the licenses: %w", err)
	}
	p.documents, err = s.documents()
	return p, err
}

// environment makes builds on different machines equal.
func (p program) environment() []string {
	return []string{
		"CGO_ENABLED=0", "GOOS=" + p.os, "GOARCH=" + p.arch, "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off", "GOTOOLCHAIN=go" + p.from.goVersion,
	}
}

// title is the name of the program's archive, without the ending.
func (p program) title() string {
	return strings.Join([]string{p.name, p.from.version, p.os, p.arch}, "_")
}

func (p program) writeArchive(out string) error {
	files := append([]file{p.binary}, p.legal...)
	data, err := tarOf(under(p.title(), append(files, p.documents...)), p.from.time)
	if err != nil {
		return err
	}
	return writeCompressed(filepath.Join(out, p.title()+".tar.gz"), data)
}
