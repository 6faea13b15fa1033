package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"extdir/daemon/specs/draft"
)

func (a *app) specFromHelpCmd() *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:   "from-help COMMAND [SUBCOMMAND...]",
		Short: "Draft a spec out of a command's help",
		Long: `Print a draft of a spec, made of what COMMAND [SUBCOMMAND...] --help prints, or of
its man page if that says nothing. The command itself is run, with --help as its
last word, without input, in an empty folder, for ten seconds at most: don't use
this on a command that you would not run with --help. --from reads a help text
that you have got in another way, and runs nothing.

What a value is stands in no help text for certain: such lines are marked
"guess", and a person must look at them.`,
		Example: `  extdird spec from-help deploy > "$(extdird spec path)/deploy.spec"
  extdird spec from-help deploy push
  ssh host deploy --help | extdird spec from-help --from - deploy`,
		Args: a.takes(1, -1, "the name of a command", ""),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := helpOf(args, from)
			if err != nil {
				return err
			}
			out, err := draft.Of(args, text)
			if err != nil {
				return err
			}
			_, err = io.WriteString(a.out, out)
			return err
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "read the help text from `FILE` (- is standard input) and run nothing")
	cmd.Flags().SetInterspersed(true)
	return cmd
}

// maxHelp is more than any help text or man page.
const maxHelp = 4 << 20

func helpOf(words []string, from string) (string, error) {
	switch from {
	case "":
	case "-":
		b, err := io.ReadAll(io.LimitReader(os.Stdin, maxHelp))
		return string(b), err
	default:
		b, err := os.ReadFile(from)
		if err != nil {
			return "", fmt.Errorf("can't read the help text: %w", err)
		}
		return string(b), nil
	}
	name, err := exec.LookPath(words[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return "", fmt.Errorf("can't find %s: name a command on PATH, or give its help with --from", words[0])
	}
	if name, err = filepath.Abs(name); err != nil {
		return "", err
	}
	text := output(name, append(words[1:len(words):len(words)], "--help"))
	if strings.Contains(text, "\n  ") || strings.Contains(strings.ToLower(text), "usage") {
		return text, nil
	}
	if man, err := exec.LookPath("man"); err == nil {
		page := strings.Join(append([]string{filepath.Base(words[0])}, words[1:]...), "-")
		if m := output(man, []string{page}); m != "" && len(m) > len(text) {
			return m, nil
		}
	}
	if text == "" {
		return "", fmt.Errorf("%s --help prints nothing, and there is no man page; give its help with --from", strings.Join(words, " "))
	}
	return text, nil
}

// output is what a program prints, whatever its status.
func output(name string, args []string) string {
	dir, err := os.MkdirTemp("", "extdird-help-")
	if err != nil {
		return ""
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &limited{&out, maxHelp}, &limited{&out, maxHelp}
	cmd.Env = append(os.Environ(), "LC_ALL=C", "NO_COLOR=1", "TERM=dumb", "PAGER=cat", "MANPAGER=cat", "MANWIDTH=100", "COLUMNS=100")
	cmd.WaitDelay = time.Second
	_ = cmd.Run() // many print their help with a status of failure
	return out.String()
}

// limited keeps the first bytes and swallows the rest.
type limited struct {
	to   *bytes.Buffer
	left int
}

func (l *limited) Write(b []byte) (int, error) {
	n := min(len(b), l.left)
	l.left -= n
	l.to.Write(b[:n])
	return len(b), nil
}
