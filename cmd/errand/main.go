// Command errand is all of errand in one program: "errand serve" runs it, and the
// other commands talk to one that runs. The tag nodevserver leaves out the embedded
// Temporal server, which is most of it.
package main

import (
	"os"

	_ "golang.org/x/crypto/x509roots/fallback" // an image may have no certificates of authorities

	"errand/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
