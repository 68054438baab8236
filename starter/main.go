// Command starter is every command of errand, for "go run" without building it. The
// program that is built of the same is cmd/errand.
package main

import (
	"os"

	_ "golang.org/x/crypto/x509roots/fallback" // an image may have no certificates of authorities

	"errand/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
