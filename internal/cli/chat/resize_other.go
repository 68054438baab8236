//go:build !unix

package chat

import "os"

// notifyResize does nothing where no signal says that the terminal has another size: it is
// looked at every second.
func notifyResize(chan os.Signal) (stop func()) { return func() {} }
