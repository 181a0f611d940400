package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"
)

// A tree travels in pieces, named by its digest and a number. Each agent has a store of its own that no
// other agent can read, and that it cannot write to. All pieces but the last are full, and the last is put
// last: once it is there, all are.
const (
	pieceSize = 32 << 20        // bytes
	sending   = 2 * time.Minute // for a piece, there or back
)

// pieceName names the i-th piece of a tree.
func pieceName(digest string, i int64) string { return fmt.Sprintf("%s.%d", digest, i) }

// Put makes a folder's tree available to some agents, and returns the digest by which an order may name it.
// What was put for an agent already is not sent again. The tree stays until the Hub is closed. A link or a
// device in it is an error, and so is a file that changes meanwhile.
func (h *Hub) Put(ctx context.Context, fsys fs.FS, agents ...string) (digest string, err error) {
	digest, size, err := sumTree(fsys)
	if err != nil {
		return "", fmt.Errorf("send a folder to other machines: %w", err)
	}
	for _, name := range agents {
		if !h.fleet.trees(name) {
			return "", fmt.Errorf("send a folder to %s: it is no %s and no %s", name, Server, Backend)
		}
	}
	h.sending.Lock()
	defer h.sending.Unlock()
	for _, name := range agents {
		if err := h.put(ctx, name, fsys, digest, size); err != nil {
			return "", fmt.Errorf("send a folder to %s: %w", name, err)
		}
	}
	return digest, nil
}

// trees reports whether folders are sent to a machine: only to those that build or start programs.
func (f *Fleet) trees(name string) bool {
	return slices.ContainsFunc(f.Roles(name), func(r Role) bool { return r == Server || r == Backend })
}

// put stores the tree of fsys, an archive of size bytes, for one agent. h.sending is held.
func (h *Hub) put(ctx context.Context, agent string, fsys fs.FS, digest string, size int64) error {
	last := size / pieceSize
	if has, err := h.wire.has(ctx, agent, pieceName(digest, last)); has || err != nil {
		return err
	}
	r, w := io.Pipe()
	defer r.Close()
	sums := newSums()
	go func() { w.CloseWithError(pack(io.MultiWriter(w, sums), fsys)) }()
	for i := range last + 1 {
		most := int64(pieceSize)
		if i == last {
			most++ // to see the end
		}
		piece, err := io.ReadAll(io.LimitReader(r, most))
		switch {
		case err != nil:
			return err
		case i == last && (len(piece) > pieceSize || sums.digest() != digest), i < last && len(piece) < pieceSize:
			return errors.New("its files change while they are read; try again when nothing writes to it")
		}
		limited, cancel := context.WithTimeout(ctx, sending)
		err = h.wire.put(limited, agent, pieceName(digest, i), piece)
		if cancel(); err != nil {
			return err
		}
	}
	return nil
}

// tree returns a folder that has the tree of that digest, from the cache or from the controller. It can be
// read, not written to, until release is called. What is not that tree is refused, with a line in the log.
func (s *session) tree(ctx context.Context, digest string) (folder string, release func(), err error) {
	if !treeForm.MatchString(digest) {
		return "", nil, unfit{fmt.Errorf("%.80q is no digest of a tree", digest)}
	}
	if err := s.agent.trees.find(s.agent.Bundle); err != nil {
		return "", nil, err
	}
	folder, release, err = s.agent.trees.get(digest, func(w io.Writer) error { return s.fetch(ctx, digest, w) })
	if refused, is := errors.AsType[refusedTree](err); is {
		s.agent.Log("refused a tree: " + refused.Error())
	}
	return folder, release, err
}

// fetch writes the archive of a tree that the controller has put.
func (s *session) fetch(ctx context.Context, digest string, w io.Writer) error {
	for i := int64(0); ; i++ {
		limited, cancel := context.WithTimeout(ctx, sending)
		piece, err := s.link.get(limited, pieceName(digest, i), pieceSize)
		if cancel(); err != nil {
			return err
		}
		if _, err := w.Write(piece); err != nil || len(piece) < pieceSize {
			return err
		}
	}
}
