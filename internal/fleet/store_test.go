package fleet

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// wanted asks an agent for a tree, and fetched is its answer: of tests alone.
type (
	wanted  struct{ Digest string }
	fetched struct{ Folder string }
)

func init() {
	needs["tree"] = serves
	handlers["tree"] = handle(func(s *session, q *wanted) (fetched, error) {
		folder, release, err := s.tree(s.ctx, q.Digest)
		if err == nil {
			release()
		}
		return fetched{folder}, err
	})
}

// fetch lets an agent get a tree.
func (b *bench) fetch(t *testing.T, agent, digest string) (folder string, err error) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	f, err := ask[wanted, fetched](ctx, b.Hub, agent, "tree", wanted{digest})
	if err != nil {
		return "", err
	}
	return f.Folder, nil
}

// bucket returns an agent's bucket, as the controller sees it.
func (b *bench) bucket(t *testing.T, agent string) jetstream.ObjectStore {
	t.Helper()
	bucket, err := b.wire.(*center).js.ObjectStore(t.Context(), buckets+agent)
	if err != nil {
		t.Fatal(err)
	}
	return bucket
}

// cached are the names in the cache of an agent.
func (b *bench) cached(t *testing.T, agent string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(b.agents[agent].Cache)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// TestTrees: a folder comes to an agent as it is, once, and again if it was changed there.
func TestTrees(t *testing.T) {
	b := gathered(t, "srv")
	digest, err := b.Put(t.Context(), sources, "srv")
	if err != nil {
		t.Fatal(err)
	}
	folder, err := b.fetch(t, "srv", digest)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range sources {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil || info.IsDir() != want.Mode.IsDir() || !info.IsDir() && info.Mode()&0o111 != 0 != (want.Mode&0o100 != 0) {
			t.Errorf("%s: %v %v; want %v", name, info, err, want.Mode)
		}
		if data, _ := os.ReadFile(filepath.Join(folder, name)); !want.Mode.IsDir() && !bytes.Equal(data, want.Data) {
			t.Errorf("%s has %d bytes; want %d", name, len(data), len(want.Data))
		}
	}
	before, err := b.bucket(t, "srv").Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if again, err := b.Put(t.Context(), os.DirFS(folder), "srv"); err != nil || again != digest {
		t.Errorf("the tree that came is %s, %v; want %s", again, err, digest)
	}
	if after, err := b.bucket(t, "srv").Status(t.Context()); err != nil || after.Size() != before.Size() {
		t.Errorf("a tree was sent again: %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte("package other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if again, err := b.fetch(t, "srv", digest); err != nil || again != folder {
		t.Fatal(again, err)
	}
	b.agentLog.once(t, "was changed; it is fetched again")
	if data, _ := os.ReadFile(filepath.Join(folder, "main.go")); string(data) != "package main\n" {
		t.Errorf("a changed file stayed: %q", data)
	}
	if err := b.wire.(*center).js.DeleteObjectStore(t.Context(), buckets+"srv"); err != nil {
		t.Fatal(err)
	}
	if again, err := b.fetch(t, "srv", digest); err != nil || again != folder {
		t.Errorf("a tree that is there was asked for: %q %v", again, err)
	}
}

// TestLargeTree: a tree of several pieces, one of which ends with the archive.
func TestLargeTree(t *testing.T) {
	if testing.Short() {
		t.Skip("it sends 100 MB")
	}
	b := gathered(t, "srv")
	noise := bytes.Repeat([]byte("0123456789abcde\n"), (pieceSize-512)/16) // and 2 blocks of zeros end an archive
	for _, more := range []int{-1024, 0, 4096} {
		fsys := fstest.MapFS{"large": {Data: noise[:len(noise)+min(more, 0)]}}
		if more > 0 {
			fsys["more"] = &fstest.MapFile{Data: noise[:more]}
		}
		digest, err := b.Put(t.Context(), fsys, "srv")
		if err != nil {
			t.Fatal(err)
		}
		folder, err := b.fetch(t, "srv", digest)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(filepath.Join(folder, "large")); err != nil || !bytes.Equal(data, fsys["large"].Data) {
			t.Errorf("%d bytes, %v; want %d", len(data), err, len(fsys["large"].Data))
		}
	}
}

// TestWrongTrees: what has another digest, and what was never put, leaves nothing in the cache; the first
// is a line in the agent's log.
func TestWrongTrees(t *testing.T) {
	b := gathered(t, "srv")
	digest, err := b.Put(t.Context(), sources, "srv")
	if err != nil {
		t.Fatal(err)
	}
	wrong := strings.Repeat("ab", 32)
	var archive bytes.Buffer
	if err := pack(&archive, sources); err != nil {
		t.Fatal(err)
	}
	if _, err := b.bucket(t, "srv").PutBytes(t.Context(), pieceName(wrong, 0), archive.Bytes()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.fetch(t, "srv", wrong); err == nil || !strings.Contains(err.Error(), "has the digest "+digest[:12]) {
		t.Errorf("a tree of another digest: %v", err)
	}
	b.agentLog.once(t, "refused a tree: ")
	b.agentLog = lines{}
	long := strings.Repeat("ef", 32)
	if _, err := b.bucket(t, "srv").PutBytes(t.Context(), pieceName(long, 0), make([]byte, pieceSize+1)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.fetch(t, "srv", long); err == nil || !strings.Contains(err.Error(), "has more than 32 MB") {
		t.Errorf("a piece that is too long: %v", err)
	}
	b.agentLog.once(t, "refused a tree: ")
	if _, err := b.fetch(t, "srv", strings.Repeat("cd", 32)); err == nil || !strings.Contains(err.Error(), "has not put it") {
		t.Errorf("a tree that is not there: %v", err)
	}
	for _, path := range []string{"../../etc", strings.Repeat("AB", 32), ""} {
		if _, err := b.fetch(t, "srv", path); err == nil || !strings.Contains(err.Error(), "is no digest") {
			t.Errorf("%q: %v", path, err)
		}
	}
	replayed := b.order("srv", "tree", wanted{wrong})
	for range 2 {
		if a := b.send(t, "srv", replayed); !strings.Contains(a.Failed, "has the digest") {
			t.Errorf("%+v", a)
		}
	}
	b.agentLog.once(t, "(tree) came again; it was carried out once")
	changed := b.order("srv", "tree", wanted{wrong})
	changed.Body = encoded(wanted{digest})
	if a := b.send(t, "srv", changed); !strings.Contains(a.Refused, "the order's digest is not that of its body") {
		t.Errorf("%+v", a)
	}
	if got := b.cached(t, "srv"); len(got) != 0 {
		t.Errorf("%v is left", got)
	}
	if _, err := b.fetch(t, "srv", digest); err != nil {
		t.Errorf("the right tree after those: %v", err)
	}
}

// client connects with the key of an agent.
func (b *bench) client(t *testing.T, agent string) *nats.Conn {
	t.Helper()
	own := b.agents[agent].Bundle
	nc, err := connect("tls://"+own.Controller, own.Name, own.Seed, nats.TLSHandshakeFirst(), nats.Secure(own.client()),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// TestAnotherAgentsTrees: an agent reads its own bucket and no other, and writes to none; one that only
// makes load has none.
func TestAnotherAgentsTrees(t *testing.T) {
	b := gathered(t, "srv", "both", "gen1")
	digest, err := b.Put(t.Context(), sources, "both")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Put(t.Context(), sources, "both", "gen1"); err == nil || !strings.Contains(err.Error(),
		"gen1: it is no server") {
		t.Errorf("a generator is sent a folder: %v", err)
	}
	other, want := "OBJ_"+buckets+"both", 0
	for agent, subjects := range map[string][]string{"srv": {"$JS.API.STREAM.NAMES", "$JS.API.STREAM.INFO." + other,
		"$JS.API.STREAM.MSG.GET." + other, "$JS.API.STREAM.MSG.GET.results", "$JS.API.STREAM.PURGE.OBJ_tree-srv",
		"$JS.API.DIRECT.GET." + other, "$JS.API.DIRECT.GET." + other + ".$O.tree-both.M.x",
		"$JS.API.CONSUMER.CREATE." + other + ".x.$O.tree-both.C.x", "$JS.API.CONSUMER.DURABLE.CREATE." + other + ".x",
		"$O.tree-both.C.x", "$O.tree-srv.C.x", "$O.tree-srv.M.x"}, "gen1": {"$JS.API.STREAM.INFO.OBJ_tree-gen1",
		"$JS.API.DIRECT.GET." + other + ".$O.tree-both.M.y", "$JS.API.CONSUMER.CREATE." + other + ".y.$O.tree-both.C.x"}} {
		nc := b.client(t, agent)
		for _, subject := range subjects {
			if err := nc.Publish(subject, []byte("{}")); err != nil {
				t.Fatal(err)
			}
			nc.Flush()
			b.log.once(t, fmt.Sprintf("Publish Violation - Subject %q", subject))
			want++
		}
		subject := "$O.tree-both.C." + agent
		if _, err := nc.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		nc.Flush()
		b.log.once(t, fmt.Sprintf("Subscription Violation - Subject %q", subject))
		want++
	}
	if got := b.log.with("Violation"); len(got) != want {
		t.Errorf("%d lines, want %d: %v", len(got), want, got)
	}
	if _, err := b.fetch(t, "srv", digest); err == nil || !strings.Contains(err.Error(), "has not put it") {
		t.Errorf("srv has the tree of both: %v", err)
	}
	if _, err := b.fetch(t, "both", digest); err != nil {
		t.Error(err)
	}
}

// growing is a folder of a file that is longer each time it is read.
type growing struct{ n *int }

func (g growing) Open(name string) (fs.File, error) {
	*g.n++
	return fstest.MapFS{"log": {Data: bytes.Repeat([]byte("x"), *g.n)}}.Open(name)
}

// TestChangingTree: a folder that somebody writes to is not sent.
func TestChangingTree(t *testing.T) {
	b := gathered(t, "srv")
	n := 0
	if _, err := b.Put(t.Context(), growing{&n}, "srv"); err == nil || !strings.Contains(err.Error(), "change while they are") {
		t.Errorf("%v", err)
	}
	digest, _, err := sumTree(growing{&n})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.fetch(t, "srv", digest); err == nil {
		t.Error("it was sent")
	}
}
