//go:build unix

package chat

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyResize tells c when the terminal has another size, until stop is called.
func notifyResize(c chan os.Signal) (stop func()) {
	signal.Notify(c, syscall.SIGWINCH)
	return func() { signal.Stop(c) }
}
