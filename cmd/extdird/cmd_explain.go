package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"extdir/daemon"
	"extdir/daemon/analyze"
	"extdir/daemon/command"
	"extdir/daemon/config"
	"extdir/daemon/explain"
	"extdir/daemon/frame"
	"extdir/daemon/policy"
	"extdir/daemon/resolve"
)

// maxLine is what fits into a request with everything else it says.
const maxLine = 1<<20 - 64<<10

func (a *app) explainCmd() *cobra.Command {
	var batch bool
	var file, fsRoot, specDir string
	cmd := &cobra.Command{
		Use:   "explain LINE",
		Short: "Show what a command line would touch and how it would be decided",
		Long: `Show what a command line would touch, which rule decides about each path, the
verdict, and how long each stage took. Nothing is run, asked or logged. With -
in place of the line, it is read from standard input, newlines included.

With --batch, lines of JSON are read from standard input and answered on
standard output, without a daemon:

  in   {"id","cmd","cwd","home","root"?,"shell"?:"bash"|"zsh","agent"?,"env"?:{}}
  out  {"id","paths":[...],"dynamic","verdict","accesses":[...],"error"?}

paths are the names outside the root, allowed by a rule or not. --fs-root makes
DIR stand for / wherever the file system is looked at; then only --config,
--specs and the defaults decide, and nothing of this machine.`,
		Example: `  extdird explain 'cat ../other/notes.txt > /tmp/copy'
  extdird explain --json 'rm -rf "$X"/build'
  extdird explain --batch < lines.jsonl > answers.jsonl`,
		Args: func(_ *cobra.Command, args []string) error {
			if batch && len(args) > 0 {
				return fmt.Errorf("--batch reads lines from standard input: leave %q out", args[0])
			}
			if !batch && len(args) != 1 {
				return fmt.Errorf("explain takes one line, in quotes: extdird explain 'cat /etc/hosts'")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if batch {
				return a.explainBatch(file, fsRoot, specDir)
			}
			if file != "" || fsRoot != "" || specDir != "" {
				return fmt.Errorf("--config, --specs and --fs-root go with --batch")
			}
			line := args[0]
			if line == "-" {
				text, err := io.ReadAll(io.LimitReader(os.Stdin, maxLine+1))
				if err != nil {
					return fmt.Errorf("reading the line from standard input: %w", err)
				}
				if len(text) > maxLine {
					return fmt.Errorf("what standard input holds is longer than %d bytes: explain takes one line", maxLine)
				}
				line = strings.TrimSuffix(string(text), "\n")
			}
			return a.explainLine(line)
		},
	}
	cmd.Flags().BoolVar(&batch, "batch", false, "answer lines of JSON from standard input")
	cmd.Flags().StringVar(&file, "config", "", "with --batch: decide by this configuration `FILE`")
	cmd.Flags().StringVar(&fsRoot, "fs-root", "", "with --batch: let `DIR` stand for /")
	cmd.Flags().StringVar(&specDir, "specs", "", "with --batch: read the user's specs from `DIR`")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) explainBatch(file, fsRoot, specDir string) error {
	fsys := resolve.OS()
	if fsRoot != "" {
		if fi, err := os.Stat(fsRoot); err != nil || !fi.IsDir() {
			return fmt.Errorf("--fs-root %s is not a directory", fsRoot)
		}
		fsys = resolve.Rooted(fsRoot)
	} else if file == "" {
		p, err := a.place()
		if err != nil {
			return err
		}
		if _, err := os.Stat(p.Config); err == nil {
			file = p.Config
		}
	}
	table, err := a.batchTable(specDir, fsRoot)
	if err != nil {
		return err
	}
	rules := &batchRules{file: file, fsys: fsys}
	if fsRoot == "" {
		rules.managed = daemon.ManagedConfig
	}
	// A file that can't be in force is no ground to answer on.
	if _, err := rules.load(""); err != nil {
		return err
	}
	b := explain.Batch{
		Analyzer: &analyze.Analyzer{FS: fsys, Commands: table},
		Policy:   rules.policy,
		Inner: func(agent string, r analyze.Request) analyze.Request {
			return frame.Request(agent, r, frame.Place{Home: r.Home})
		},
	}
	return b.Run(os.Stdin, a.out)
}

// batchTable is what a batch knows of commands: what the daemon would, but for
// another root nothing of this machine.
func (a *app) batchTable(dir, fsRoot string) (*command.Table, error) {
	if dir == "" && fsRoot != "" {
		return command.Builtin()
	}
	set, err := a.knowledge(dir)
	if err != nil {
		return nil, err
	}
	if why := set.Status().Problem(); why != "" && dir != "" {
		return nil, errors.New(why)
	}
	a.warnSpecs(set)
	return set.Table(), nil
}

// batchRules loads the configuration once for each home directory a batch
// speaks of.
type batchRules struct {
	file    string
	managed string
	fsys    resolve.FS
	mu      sync.Mutex
	home    map[string]*config.Config
}

func (r *batchRules) load(home string) (*config.Config, error) {
	c, problems := config.Load(config.Options{
		File: r.file, Managed: r.managed, Home: home,
		Resolve: func(path string) string {
			if real, err := resolve.Path(r.fsys, path, nil); err == nil {
				return real
			}
			return path
		},
	})
	if len(problems) > 0 {
		return nil, problems[0]
	}
	return c, nil
}

func (r *batchRules) policy(root, agent, home string) *policy.Policy {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.home[home]
	if c == nil {
		var err error
		if c, err = r.load(home); err != nil {
			panic(err) // it could be loaded a moment ago; the line's answer says so
		}
		if r.home == nil || len(r.home) > 64 {
			r.home = map[string]*config.Config{}
		}
		r.home[home] = c
	}
	return c.Policy(root, agent)
}
