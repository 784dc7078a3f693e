package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError says in words of its own what is wrong with the value of a flag.
func flagError(command *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		name, wanted := "--"+invalid.GetFlag().Name, ""
		switch invalid.GetFlag().Value.Type() {
		case "int":
			wanted = "a whole number"
		case "duration":
			wanted = "a time such as 10s or 2m"
		case "bool":
			wanted = "true or false"
		}
		if wanted != "" {
			err = fmt.Errorf("%s is %s, not %q", name, wanted, invalid.GetValue())
		}
	}
	return usage(command, err)
}

// positive refuses flags that were given and are below 1.
func positive(command *cobra.Command, names ...string) error {
	for _, name := range names {
		value, err := command.Flags().GetInt(name)
		if err != nil {
			return err
		}
		if command.Flags().Changed(name) && value < 1 {
			return usage(command, fmt.Errorf("%s is at least 1, not %d", flagName(command, name), value))
		}
	}
	return nil
}

// flagName is a flag by all of its names: whoever typed the short one knows that.
func flagName(command *cobra.Command, name string) string {
	if flag := command.Flags().Lookup(name); flag != nil && flag.Shorthand != "" {
		return "-" + flag.Shorthand + " (--" + name + ")"
	}
	return "--" + name
}

// oneFlag refuses a command line without one of these flags, or with several.
func oneFlag(command *cobra.Command, names ...string) error {
	given := 0
	for _, name := range names {
		if command.Flags().Changed(name) {
			given++
		}
	}
	switch given {
	case 1:
		return nil
	case 0:
		return usage(command, fmt.Errorf("%s needs --%s", command.CommandPath(), strings.Join(names, " or --")))
	}
	return usage(command, fmt.Errorf("%s takes one of --%s", command.CommandPath(), strings.Join(names, " and --")))
}
