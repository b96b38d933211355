// Command goshmem starts and tests programs that use package shmem, and tells
// what this machine offers them.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/goshmem/goshmem/internal/info"
	"github.com/goshmem/goshmem/launch/launcher"
)

func main() {
	os.Exit(execute(os.Args[1:]))
}

// execute runs the command line and returns the exit status.
func execute(args []string) int {
	root := rootCommand()
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if c == root && !strings.HasPrefix(args[0], "-") { // it is the command that is wrong
			return unknownCommand(c, args[0])
		}
		return usage(c, err)
	})
	root.SetArgs(goStyle(root, args))
	err := root.Execute()
	if err == nil {
		return 0
	}
	if !errors.Is(err, errSilent) {
		fmt.Fprintln(os.Stderr, "goshmem:", strings.TrimRight(err.Error(), "\n"))
	}
	status := 1
	if known := new(launcher.Error); errors.As(err, &known) {
		status = known.Code
	}
	return status
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "goshmem",
		Short: "Run, test and inspect programs that share symmetric memory",
		Long: `Run, test and inspect programs that share symmetric memory.

  goshmem run -n 4 ./examples/ring    four processes of a Go program
  goshmem test -n 1,2,4 ./...         Go tests, each rank a process
  goshmem info                        what can run here, and why
  goshmem doctor                      what may go wrong here, and the cure`,
		Version:       info.ThisBuild().String(),
		Args:          cobra.ArbitraryArgs, // so that a mistyped command is a usage error
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			return c.Help()
		},
	}
	root.SetVersionTemplate("goshmem {{.Version}}\n")
	root.SuggestionsMinimumDistance = 2
	root.AddCommand(runCommand(), testCommand(), infoCommand(), doctorCommand())
	root.AddCommand(perfCommand())
	refuseTopics(root)
	return root
}

// refuseTopics has the command help refuse what is no command, which it would else take
// for the command in front of it.
func refuseTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Args = func(_ *cobra.Command, args []string) error {
				if _, rest, err := root.Find(args); err != nil || len(rest) > 0 {
					return unknownCommand(root, strings.Join(args, " "))
				}
				return nil
			}
		}
	}
}

func unknownCommand(root *cobra.Command, name string) error {
	hint := ""
	if near := root.SuggestionsFor(name); len(near) > 0 {
		hint = ", did you mean " + strings.Join(near, " or ") + "?"
	}
	return usage(root, fmt.Errorf("unknown command %q%s", name, hint))
}

// usage makes a mistake in the command line an error of exit status 2.
func usage(c *cobra.Command, err error) error {
	return &launcher.Error{Code: launcher.StatusUsage, Err: fmt.Errorf("%w (%s --help tells more)", err, c.CommandPath())}
}

// noArgs refuses words behind a command that takes none.
func noArgs(c *cobra.Command, args []string) error {
	if err := cobra.NoArgs(c, args); err != nil {
		return usage(c, err)
	}
	return nil
}
