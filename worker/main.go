// Command worker is errand's long-running process: "errand serve" and nothing else.
package main

import (
	"os"

	_ "golang.org/x/crypto/x509roots/fallback" // an image may have no certificates of authorities

	"errand/internal/app"
)

func main() { os.Exit(app.Main(os.Args[0], os.Args[1:])) }
