package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
)

// writeDebianPackage makes a package with the program and its systemd unit. It creates the user and
// /etc/errand, and does not start errand: that needs a model first.
func (p program) writeDebianPackage(out string) (err error) {
	dir, err := os.MkdirTemp("", "errand-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	contents, err := p.debianContents(dir)
	if err != nil {
		return err
	}
	scripts := filepath.Join(p.from.top, "deploy/packaging/debian")
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: p.name, Arch: p.arch, Platform: p.os, Version: p.from.version, MTime: p.from.time, License: p.license,
		Section: "net", Maintainer: "errand", DisableGlobbing: true,
		Description: "AI agents that finish what you ask for\nerrand gives AI agents durable tasks, with Temporal inside.",
		Overridables: nfpm.Overridables{
			Contents: contents, Depends: []string{"passwd"}, Recommends: []string{"ca-certificates"},
			Scripts: nfpm.Scripts{PostInstall: filepath.Join(scripts, "postinst"), PreRemove: filepath.Join(scripts, "prerm")},
		},
	})
	f, err := os.Create(filepath.Join(out, fmt.Sprintf("%s_%s_%s.deb", p.name, p.from.version, p.arch)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return deb.Default.Package(info, f)
}

// debianContents writes what the package installs into dir, because nfpm reads files.
func (p program) debianContents(dir string) (files.Contents, error) {
	var contents files.Contents
	add := func(to string, f file) error {
		from := filepath.Join(dir, fmt.Sprint(len(contents)))
		info := &files.ContentFileInfo{Owner: "root", Group: "root", Mode: f.mode, MTime: p.from.time}
		contents = append(contents, &files.Content{Source: from, Destination: to, FileInfo: info})
		return os.WriteFile(from, f.data, 0o600)
	}
	if err := add("/usr/bin/errand", p.binary); err != nil {
		return nil, err
	}
	for _, f := range append(p.legal, p.documents...) {
		to := path.Join("/usr/share/doc", p.name, f.name)
		if f.name == "deploy/errand.service" {
			f.data = bytes.ReplaceAll(f.data, []byte("/usr/local/bin/errand"), []byte("/usr/bin/errand"))
			to = "/usr/lib/systemd/system/errand.service"
		}
		if err := add(to, f); err != nil {
			return nil, err
		}
	}
	return contents, nil
}
