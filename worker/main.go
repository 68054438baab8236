// Command worker is errand's long-running process: "errand serve" and nothing else.
package main

import (
	"os"

	"errand/internal/app"
)

func main() { os.Exit(app.Main(os.Args[0], os.Args[1:])) }
