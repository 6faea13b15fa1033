package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"extdir/daemon/server"
)

// Options say what to serve.
type Options struct {
	Place   Place
	Version string
	// Ready, if not nil, is called when the socket takes connections.
	Ready func()
}

// Serve runs the daemon until ctx is done, SIGTERM or SIGINT comes, or a person
// stops it. It returns ErrRunning at once if another daemon has the place.
func Serve(ctx context.Context, o Options) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)

	h, err := o.Place.takeOver(ctx)
	if err != nil {
		return err
	}
	defer h.release()
	if err := o.Place.makeState(); err != nil {
		return err
	}
	log, closeLog, err := openLog(o.Place.Log)
	if err != nil {
		return err
	}
	defer closeLog()

	parts, err := assemble(ctx, o.Place, log)
	if err != nil {
		return err
	}
	defer parts.close()
	parts.options.Version = o.Version
	parts.options.Stop = stop
	srv := server.New(parts.options)
	l, err := h.listen()
	if err != nil {
		return err
	}
	defer h.unlink()
	go watchPlace(ctx, h, func() {
		log.Error("the socket was taken away; ending", "socket", o.Place.Socket)
		stop()
	})
	log.Info("serving", "pid", os.Getpid(), "version", o.Version, "socket", o.Place.Socket)
	if o.Ready != nil {
		o.Ready()
	}
	err = srv.Serve(ctx, l)
	log.Info("ended", "pid", os.Getpid(), "err", err)
	return err
}

// watchPlace ends a daemon that no client can reach any more (its socket was
// removed, its runtime directory cleared at logout): it would hold a lock while
// the next one is waited for. The directory says at once when something in it is
// removed; the clock serves where it can't be watched.
func watchPlace(ctx context.Context, h *hold, lost func()) {
	var removed <-chan fsnotify.Event
	if w, err := fsnotify.NewWatcher(); err == nil {
		defer w.Close()
		if w.Add(h.place.Run) == nil {
			removed = w.Events
		}
	}
	t := time.NewTicker(2 * time.Second)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		case e, ok := <-removed:
			if !ok {
				removed = nil
			}
			if !e.Has(fsnotify.Remove) && !e.Has(fsnotify.Rename) {
				continue
			}
		}
		if h.lost() {
			lost()
			return
		}
	}
}

// maxLog is the size at which the daemon's own log starts anew; one old file is
// kept. It holds starts, ends and incidents, so it grows slowly.
const maxLog = 4 << 20

func openLog(path string) (*slog.Logger, func(), error) {
	if fi, err := os.Lstat(path); err == nil && fi.Size() > maxLog {
		os.Rename(path, path+".1")
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW, 0o600)
	if errors.Is(err, syscall.ELOOP) {
		return nil, nil, fmt.Errorf("the log %s is a symlink; remove it", path)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("can't open the log: %w", err)
	}
	// What the runtime says when it gives up goes where somebody may look.
	debug.SetCrashOutput(f, debug.CrashOptions{})
	return slog.New(slog.NewTextHandler(f, nil)), func() { f.Close() }, nil
}
