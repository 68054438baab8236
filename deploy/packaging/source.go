package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A source is the commit that is released.
type source struct {
	top       string
	version   string
	commit    string
	time      time.Time // of the commit: every file of a release has it
	goVersion string    // the version of Go in go.mod, which builds the release on every machine
}

func readSource(top string) (*source, error) {
	s := &source{top: top}
	version, err := os.ReadFile(filepath.Join(top, "internal/version/VERSION"))
	if err != nil {
		return nil, err
	}
	s.version = strings.TrimSpace(string(version))
	mod, err := os.ReadFile(filepath.Join(top, "go.mod"))
	if err != nil {
		return nil, err
	}
	line := regexp.MustCompile(`(?m)^go (\S+)$`).FindSubmatch(mod)
	if line == nil {
		return nil, fmt.Errorf("go.mod does not say its version of Go")
	}
	s.goVersion = string(line[1])
	commit, err := s.run(nil, "git", "log", "-1", "--format=%H %cI")
	if err != nil {
		return nil, err
	}
	hash, at, _ := strings.Cut(strings.TrimSpace(string(commit)), " ")
	s.commit = hash
	if s.time, err = time.Parse(time.RFC3339, at); err != nil {
		return nil, err
	}
	s.time = s.time.UTC()
	changed, err := s.run(nil, "git", "status", "--porcelain")
	if err == nil && len(changed) > 0 {
		fmt.Fprintf(os.Stderr, "release: the checkout has changes that are not committed, and the programs will say so\n%s", changed)
		s.commit += "+changes"
	}
	return s, err
}

// run runs a command in the checkout, with variables added to the environment.
func (s *source) run(env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = s.top
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, stderr.Bytes())
	}
	return out, err
}

func (s *source) archiveName() string { return "errand_" + s.version + "_source.tar.gz" }

func (s *source) writeArchive(path string) error {
	data, err := s.run(nil, "git", "archive", "--format=tar", "--prefix=errand_"+s.version+"/", "HEAD")
	if err != nil {
		return err
	}
	return writeCompressed(path, data)
}

// documents returns the files of the checkout that belong into an archive, for people who have
// nothing but it.
func (s *source) documents() ([]file, error) {
	names, err := s.run(nil, "git", "ls-files", "-z", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE",
		"docs/*.md", "docs/*.yaml", "docs/*.gif", "docs/*.png", "docs/*.svg", "deploy/*.service", "deploy/errand.yaml")
	if err != nil {
		return nil, err
	}
	var files []file
	for name := range strings.SplitSeq(strings.TrimRight(string(names), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(s.top, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: name, mode: 0o644, data: data})
	}
	return files, nil
}
