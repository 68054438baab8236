// Command starter is errand for people and scripts: it talks to a running worker
// over HTTP.
package main

import (
	"os"

	"errand/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
