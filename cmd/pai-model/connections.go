package main

import (
	"bufio"
	"context"
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"paicode/pkg/turn"
)

// serve answers on the connections that come on a socket, until its other end is closed: then
// whoever started this process is gone, and what is under way is dropped.
func (d *door) serve(ctx context.Context, fd int) error {
	unix.CloseOnExec(fd)
	ctx, cancel := context.WithCancel(ctx)
	var askers sync.WaitGroup
	defer askers.Wait()
	defer cancel()
	context.AfterFunc(ctx, func() { _ = unix.Shutdown(fd, unix.SHUT_RDWR) })
	for {
		conn, err := receive(fd)
		if err != nil || conn == nil {
			return err
		}
		askers.Go(func() { d.serveOne(ctx, conn) })
	}
}

// serveOne answers on a connection until its asker is gone, or the context ends. It is closed once
// nothing waits for it any more: its number may be another's then.
func (d *door) serveOne(ctx context.Context, conn *os.File) {
	ctx, gone := context.WithCancel(ctx)
	var watchers sync.WaitGroup
	defer func() {
		gone()
		watchers.Wait()
		conn.Close()
	}()
	fd := int(conn.Fd())
	watchers.Go(func() { hungUp(fd, gone) })
	watchers.Go(func() {
		<-ctx.Done()
		_ = unix.Shutdown(fd, unix.SHUT_RDWR) // it ends both who reads and who watches
	})
	_ = d.answer(ctx, &asker{in: bufio.NewReader(conn), out: conn}) // an asker of Pai's own asks well
}

// receive waits for the next connection; nil if there will be none.
func receive(fd int) (*os.File, error) {
	oob, data := make([]byte, unix.CmsgSpace(4)), make([]byte, 1)
	for {
		n, oobn, _, _, err := unix.Recvmsg(fd, data, oob, unix.MSG_CMSG_CLOEXEC)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return nil, turn.Errorf(turn.CodeInternal, "no connections: %s", err)
		case n == 0:
			return nil, nil
		}
		messages, err := unix.ParseSocketControlMessage(oob[:oobn])
		if err != nil || len(messages) != 1 {
			continue
		}
		if fds, err := unix.ParseUnixRights(&messages[0]); err == nil && len(fds) == 1 {
			return os.NewFile(uintptr(fds[0]), "connection"), nil
		}
	}
}
