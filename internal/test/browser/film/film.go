// Command film takes the moving picture of the README. errand runs, a person sends Sasha on an
// errand, the worker is killed at work, it is started again, and the result comes. All of
// it is the program and its page, in a browser; only the captions are put in.
//
//	go run ./internal/test/browser/film -browser chromium -o docs/chat.gif
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/chromedp/chromedp"

	"errand/internal/ownerkey"
)

// offset shifts the ports of this installation, beside one that may be running.
const offset = "4100"

func main() {
	browser := flag.String("browser", "chromium", "the browser, by its name or path")
	out := flag.String("o", "docs/chat.gif", "where the film goes")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	if err := take(ctx, *browser, *out); err != nil {
		fmt.Fprintln(os.Stderr, "film:", err)
		os.Exit(1)
	}
}

func take(ctx context.Context, browser, out string) error {
	path, err := exec.LookPath(browser)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "errand-film-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	e := &errand{dir: dir, program: filepath.Join(dir, "errand")}
	build := exec.CommandContext(ctx, "go", "build", "-o", e.program, "./cmd/errand")
	build.Env = ownerkey.ChildEnv(os.Environ())
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w: %s", err, text)
	}
	if err := e.start(ctx); err != nil {
		return err
	}
	defer e.kill()

	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WindowSize(width, height))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // it refuses to run as root otherwise
	}
	ctx, cancel := chromedp.NewExecAllocator(ctx, options...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {}))
	defer cancel()
	f := &film{ctx: ctx}
	if err := f.play(e, out); err != nil {
		return err
	}
	return f.write(out)
}

// An errand is an installation in a folder of its own.
type errand struct {
	dir, program string
	worker       *exec.Cmd
}

func (e *errand) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, e.program, append(args, "--port-offset", offset)...)
	c.Dir, c.Env = e.dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + e.dir, "LANG=C.UTF-8"}
	return c
}

// start starts the worker and waits until it answers.
func (e *errand) start(ctx context.Context) error {
	e.worker = e.command(ctx, "serve")
	e.worker.Stderr = os.Stderr
	if err := e.worker.Start(); err != nil {
		return err
	}
	for ctx.Err() == nil {
		if e.command(ctx, "tasks", "list").Run() == nil {
			return nil
		}
		time.Sleep(200 * time.Millisecond)
	}
	return ctx.Err()
}

func (e *errand) kill() {
	e.worker.Process.Signal(syscall.SIGKILL)
	e.worker.Wait()
}

func (e *errand) link(ctx context.Context) (string, error) {
	text, err := e.command(ctx, "open").Output()
	if err != nil {
		return "", fmt.Errorf("errand open: %w", err)
	}
	for word := range strings.FieldsSeq(string(text)) {
		if strings.Contains(word, "/open#") {
			return word, nil
		}
	}
	return "", fmt.Errorf("errand open prints no link: %s", text)
}

// The page as it is filmed.
const (
	width, height = 1000, 760
	everyShot     = 250 * time.Millisecond
)

// A film is the pictures of a browser.
type film struct {
	ctx   context.Context
	shots []shot
}

// A shot is what the page looked like, and for how long.
type shot struct {
	picture image.Image
	stays   time.Duration
}

const message = "ask Sasha to compare night trains to Oslo, in the background"

func (f *film) play(e *errand, out string) error {
	link, err := e.link(f.ctx)
	if err != nil {
		return err
	}
	if err := chromedp.Run(f.ctx, chromedp.EmulateViewport(width, height), chromedp.Navigate(link), chromedp.WaitVisible("#text", chromedp.ByQuery)); err != nil {
		return err
	}
	steps := []func() error{
		func() error { return f.typed(message) },
		func() error { return f.until("Sasha is at work", `#log .task.working`, "Sasha", 30*time.Second) },
		func() error {
			return f.script(`[...document.querySelectorAll("button")].find(b => b.innerText === "No")?.click()`)
		},
		func() error { return f.watch("", 1500*time.Millisecond) },
		func() error { e.kill(); return nil },
		func() error { return f.watch("$ kill -9 $(pidof errand)", 3*time.Second) },
		func() error { return e.start(f.ctx) },
		func() error { return f.until("$ errand serve", `#log .late`, "", time.Minute) },
		func() error { return f.script(`document.querySelector("#log .late").scrollIntoView()`) },
		func() error { return f.watch("the result comes to the chat that asked for it, once", 6*time.Second) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return errors.Join(err, f.write(out+".failed"))
		}
	}
	return nil
}

// script does something on the page that nobody has to see.
func (f *film) script(text string) error { return chromedp.Run(f.ctx, chromedp.Evaluate(text, nil)) }

func (f *film) typed(text string) error {
	for word := range strings.SplitAfterSeq(text, " ") {
		if err := chromedp.Run(f.ctx, chromedp.SendKeys("#text", word, chromedp.ByQuery)); err != nil {
			return err
		}
		if err := f.shoot("", 150*time.Millisecond); err != nil {
			return err
		}
	}
	return f.script(`document.querySelector("#text").form.requestSubmit()`)
}

// until films until something is on the page.
func (f *film) until(caption, at, text string, most time.Duration) error {
	for end := time.Now().Add(most); time.Now().Before(end); {
		var there bool
		script := fmt.Sprintf(`[...document.querySelectorAll(%q)].some(n => n.innerText.includes(%q))`, at, text)
		if err := chromedp.Run(f.ctx, chromedp.Evaluate(script, &there)); err != nil {
			return err
		}
		if there {
			return nil
		}
		if err := f.shoot(caption, everyShot); err != nil {
			return err
		}
	}
	return fmt.Errorf("%q is not on the page within %s", at, most)
}

// watch films for a while.
func (f *film) watch(caption string, long time.Duration) error {
	for end := time.Now().Add(long); time.Now().Before(end); {
		if err := f.shoot(caption, everyShot); err != nil {
			return err
		}
	}
	return nil
}

// shoot takes one picture, with a caption or without, and waits until the next is due. What
// looks like the one before makes that stay longer.
func (f *film) shoot(caption string, stays time.Duration) error {
	began := time.Now()
	script := fmt.Sprintf(`(() => {
		let c = document.getElementById("film");
		if (!c) { c = document.createElement("div"); c.id = "film"; document.body.append(c); }
		c.textContent = %q;
		Object.assign(c.style, {position: "fixed", left: "50%%", top: "1rem", transform: "translateX(-50%%)", whiteSpace: "nowrap", zIndex: 99, padding: ".5rem 1rem",
			borderRadius: ".4rem", background: "#222", color: "#fff", font: "600 15px monospace", display: c.textContent ? "block" : "none"});
	})()`, caption)
	var data []byte
	if err := chromedp.Run(f.ctx, chromedp.Evaluate(script, nil), chromedp.CaptureScreenshot(&data)); err != nil {
		return err
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return err
	}
	f.shots = append(f.shots, shot{picture, stays})
	time.Sleep(stays - time.Since(began))
	return nil
}
