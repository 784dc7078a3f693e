// Command collie looks after terminal AI agents on all of a person's machines,
// from a phone. Every machine runs this one program.
package main

import (
	"os"

	"collie/cmd/collie/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
