package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// released returns the folder that deploy/release has written for this machine's platform.
func released(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("ERRAND_TEST_RELEASE")
	if dir == "" {
		t.Skip("ERRAND_TEST_RELEASE names no folder that deploy/release has written")
	}
	return dir
}

// oneOf returns the only file in dir that a pattern names.
func oneOf(t *testing.T, dir, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v", pattern, found, err)
	}
	return found[0]
}

// TestChecksums proves that SHA256SUMS has every file.
func TestChecksums(t *testing.T) {
	dir := released(t)
	text, err := os.ReadFile(filepath.Join(dir, checksums))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	entries, err := os.ReadDir(dir)
	if err != nil || len(lines) != len(entries)-1 {
		t.Errorf("%d checksums of %d files: %v", len(lines), len(entries)-1, err)
	}
	for _, line := range lines {
		want, name, _ := strings.Cut(line, "  ")
		if got, err := checksum(filepath.Join(dir, name)); err != nil || got != want {
			t.Errorf("%s: %s, want %s: %v", name, got, want, err)
		}
	}
}

// TestArchives proves that the program of each archive starts within a second in an empty folder
// where there is nothing but the program, and that the archive has the licenses that apply.
func TestArchives(t *testing.T) {
	dir := released(t)
	for _, v := range variants {
		root := t.TempDir()
		packed := oneOf(t, dir, v.name+"_*_"+runtime.GOOS+"_"+runtime.GOARCH+".tar.gz")
		unpackCompressed(t, packed, root)
		top := filepath.Join(root, strings.TrimSuffix(filepath.Base(packed), ".tar.gz"))
		checkLegal(t, v, top)
		if err := os.Rename(filepath.Join(top, "errand"), filepath.Join(root, "errand")); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(top); err != nil {
			t.Fatal(err)
		}
		number := strings.Split(filepath.Base(packed), "_")[1]
		out, err := box(t, root, "1000", nil, "/", "/errand", "version").Output()
		if err != nil || !bytes.HasPrefix(out, []byte("errand "+number+"\ncommit   ")) {
			t.Errorf("errand version: %s, %v", out, err)
		}
		fastest := time.Hour
		for i := range 3 {
			work := "work" + strconv.Itoa(i)
			if err := os.Mkdir(filepath.Join(root, work), 0o700); err != nil {
				t.Fatal(err)
			}
			took := start(t, root, "1000", nil, "/"+work, "/errand", "serve")
			t.Logf("%s was ready after %v", v.name, took)
			fastest = min(fastest, took)
		}
		if fastest > time.Second {
			t.Errorf("%s was ready after %v, and may take a second", v.name, fastest)
		}
	}
}

func checkLegal(t *testing.T, v variant, dir string) {
	t.Helper()
	notice, err := os.ReadFile(filepath.Join(dir, "NOTICE.txt"))
	if err != nil {
		t.Fatal(err)
	}
	copying, err := os.ReadFile(filepath.Join(dir, "COPYING"))
	gpl := v.license == "GPL-3.0-only"
	hasText, saysSo := bytes.Contains(copying, []byte("GNU GENERAL PUBLIC LICENSE")), bytes.Contains(notice, []byte("only under the GPL-3.0"))
	if gpl != (err == nil) || gpl != hasText || gpl != saysSo {
		t.Errorf("%s: is it said that it is under %s? %v\n%s", v.name, v.license, err, notice)
	}
	if !bytes.Contains(notice, []byte("_source.tar.gz, from the place")) {
		t.Errorf("%s: the notice does not say where the source is:\n%s", v.name, notice)
	}
	others, err := os.ReadFile(filepath.Join(dir, thirdParty))
	if err != nil || !bytes.Contains(others, []byte("\ngo.temporal.io/server v1")) || bytes.Contains(others, []byte("\n"+libsignal)) != gpl {
		t.Errorf("%s: the licenses of other modules: %v", v.name, err)
	}
}

// TestImage proves that what the image starts is ready in a container, also as a user that the
// image does not know.
func TestImage(t *testing.T) {
	dir, at := released(t), t.TempDir()
	unpackFile(t, oneOf(t, dir, "errand_*_image.tar"), at)
	index, err := layout.ImageIndexFromPath(at)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var image v1.Image
	for _, m := range manifest.Manifests {
		if m.Platform.Architecture == runtime.GOARCH {
			image, err = index.Image(m.Digest)
		}
	}
	if image == nil || err != nil {
		t.Fatalf("no image for %s: %v", runtime.GOARCH, err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	user, _, _ := strings.Cut(config.Config.User, ":")
	for _, uid := range []string{user, "4242"} {
		root := t.TempDir()
		layers := mutate.Extract(image)
		unpack(t, layers, root)
		if err := layers.Close(); err != nil {
			t.Fatal(err)
		}
		checkLegal(t, variants[0], filepath.Join(root, "usr/share/doc/errand"))
		took := start(t, root, uid, config.Config.Env, config.Config.WorkingDir, append(config.Config.Entrypoint, config.Config.Cmd...)...)
		t.Logf("as user %s the image was ready after %v", uid, took)
	}
}

// TestDebianPackage proves that dpkg reads the package, and that its unit starts its program.
func TestDebianPackage(t *testing.T) {
	dir, root := released(t), t.TempDir()
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip(err)
	}
	packed := oneOf(t, dir, "errand_*_"+runtime.GOARCH+".deb")
	if out, err := exec.CommandContext(t.Context(), "dpkg-deb", "--extract", packed, root).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	unit, err := os.ReadFile(filepath.Join(root, "usr/lib/systemd/system/errand.service"))
	if err != nil || !bytes.Contains(unit, []byte("\nExecStart=/usr/bin/errand serve\n")) {
		t.Errorf("%v\n%s", err, unit)
	}
	checkLegal(t, variants[0], filepath.Join(root, "usr/share/doc/errand"))
	if out, err := exec.CommandContext(t.Context(), filepath.Join(root, "usr/bin/errand"), "--version").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// box returns a command in bubblewrap with root as its whole file system, besides /proc, /dev and an
// empty /tmp. It shares this machine's network.
func box(t *testing.T, root, uid string, env []string, folder string, command ...string) *exec.Cmd {
	t.Helper()
	if err := exec.CommandContext(t.Context(), "bwrap", "--unshare-all", "--ro-bind", "/", "/", "true").Run(); err != nil {
		t.Skipf("bubblewrap cannot make a container here: %v", err)
	}
	args := []string{"--unshare-all", "--share-net", "--die-with-parent", "--clearenv", "--uid", uid, "--gid", uid,
		"--bind", root, "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", folder}
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		args = append(args, "--setenv", name, value)
	}
	return exec.CommandContext(t.Context(), "bwrap", append(args, command...)...)
}

// start returns how long the program took until it was ready, and ends it.
func start(t *testing.T, root, uid string, env []string, folder string, command ...string) time.Duration {
	t.Helper()
	offset, address := freePorts(t)
	cmd := box(t, root, uid, env, folder, append(command, "--port-offset", strconv.Itoa(offset))...)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait() // "signal: killed", or it has failed
		cancel()
	}()
	ready := waitReady(ctx, address)
	took := time.Since(began)
	_ = cmd.Process.Kill()
	<-ctx.Done()
	if !ready {
		t.Fatalf("%s does not become ready:\n%s", strings.Join(command, " "), log.String())
	}
	return took
}

func waitReady(ctx context.Context, address string) bool {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", nil)
			if err != nil {
				return false
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				continue
			}
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return true
			}
		}
	}
}

// freePorts returns an offset at which errand's three ports are free, and the address of the first.
func freePorts(t *testing.T) (int, string) {
	t.Helper()
	for offset := 1000; offset < 50000; offset += 100 {
		if isFree(8080+offset) && isFree(7233+offset) && isFree(8233+offset) {
			return offset, fmt.Sprintf("127.0.0.1:%d", 8080+offset)
		}
	}
	t.Fatal("no ports are free")
	return 0, ""
}

func isFree(port int) bool {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return false
	}
	l.Close()
	return true
}

func unpackFile(t *testing.T, name, dir string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpack(t, f, dir)
}

func unpackCompressed(t *testing.T, name, dir string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	unpack(t, r, dir)
}

func unpack(t *testing.T, from io.Reader, dir string) {
	t.Helper()
	for r := tar.NewReader(from); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, filepath.Clean("/"+h.Name))
		if h.FileInfo().IsDir() {
			err = os.MkdirAll(to, h.FileInfo().Mode().Perm())
		} else {
			err = write(to, r, h.FileInfo().Mode())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func write(to string, from io.Reader, mode fs.FileMode) (err error) {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode.Perm())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = io.Copy(f, from)
	return err
}

// TestSameBytes proves that an archive depends on its files only, and not on their order.
func TestSameBytes(t *testing.T) {
	at := time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)
	files := []file{text("b/c", "1"), text("a", "2"), {name: "tmp", mode: fs.ModeDir | fs.ModeSticky | 0o777}}
	one, err := tarOf(files, at)
	if err != nil {
		t.Fatal(err)
	}
	other, err := tarOf([]file{files[2], files[1], files[0]}, at)
	if err != nil || !bytes.Equal(one, other) {
		t.Errorf("the order of files changes the archive: %v", err)
	}
	var names []string
	for r := tar.NewReader(bytes.NewReader(one)); ; {
		h, err := r.Next()
		if err != nil {
			break
		}
		names = append(names, fmt.Sprintf("%s %o %d", h.Name, h.Mode, h.ModTime.Unix()))
	}
	if got, want := strings.Join(names, "\n"), fmt.Sprintf("a 644 %[1]d\nb/ 755 %[1]d\nb/c 644 %[1]d\ntmp/ 1777 %[1]d", at.Unix()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestDocuments proves that the links of the README lead to files of the archive.
func TestDocuments(t *testing.T) {
	files, err := (&source{top: "../.."}).documents()
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, f := range files {
		has[f.name] = true
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`\]\(([^)#:\s]+)(#[^)]*)?\)`).FindAllSubmatch(readme, -1)
	if len(links) < 20 {
		t.Errorf("only %d links were found", len(links))
	}
	for _, m := range links {
		if !has[string(m[1])] {
			t.Errorf("the archive does not have %s", m[1])
		}
	}
}
