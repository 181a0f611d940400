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
	b := gathered(t, "gen1")
	digest, err := b.Put(t.Context(), sources, "gen1")
	if err != nil {
		t.Fatal(err)
	}
	folder, err := b.fetch(t, "gen1", digest)
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
	before, err := b.bucket(t, "gen1").Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if again, err := b.Put(t.Context(), os.DirFS(folder), "gen1"); err != nil || again != digest {
		t.Errorf("the tree that came is %s, %v; want %s", again, err, digest)
	}
	if after, err := b.bucket(t, "gen1").Status(t.Context()); err != nil || after.Size() != before.Size() {
		t.Errorf("a tree was sent again: %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte("package other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if again, err := b.fetch(t, "gen1", digest); err != nil || again != folder {
		t.Fatal(again, err)
	}
	b.agentLog.once(t, "was changed; it is fetched again")
	if data, _ := os.ReadFile(filepath.Join(folder, "main.go")); string(data) != "package main\n" {
		t.Errorf("a changed file stayed: %q", data)
	}
	if err := b.wire.(*center).js.DeleteObjectStore(t.Context(), buckets+"gen1"); err != nil {
		t.Fatal(err)
	}
	if again, err := b.fetch(t, "gen1", digest); err != nil || again != folder {
		t.Errorf("a tree that is there was asked for: %q %v", again, err)
	}
}

// TestLargeTree: a tree of several pieces, one of which ends with the archive.
func TestLargeTree(t *testing.T) {
	b := gathered(t, "gen1")
	noise := bytes.Repeat([]byte("0123456789abcde\n"), (pieceSize-512)/16) // and 2 blocks of zeros end an archive
	for _, more := range []int{-1024, 0, 4096} {
		fsys := fstest.MapFS{"large": {Data: noise[:len(noise)+min(more, 0)]}}
		if more > 0 {
			fsys["more"] = &fstest.MapFile{Data: noise[:more]}
		}
		digest, err := b.Put(t.Context(), fsys, "gen1")
		if err != nil {
			t.Fatal(err)
		}
		folder, err := b.fetch(t, "gen1", digest)
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
	b := gathered(t, "gen1")
	digest, err := b.Put(t.Context(), sources, "gen1")
	if err != nil {
		t.Fatal(err)
	}
	wrong := strings.Repeat("ab", 32)
	var archive bytes.Buffer
	if err := pack(&archive, sources); err != nil {
		t.Fatal(err)
	}
	if _, err := b.bucket(t, "gen1").PutBytes(t.Context(), pieceName(wrong, 0), archive.Bytes()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.fetch(t, "gen1", wrong); err == nil || !strings.Contains(err.Error(), "has the digest "+digest[:12]) {
		t.Errorf("a tree of another digest: %v", err)
	}
	b.agentLog.once(t, "refused a tree: ")
	b.agentLog = lines{}
	long := strings.Repeat("ef", 32)
	if _, err := b.bucket(t, "gen1").PutBytes(t.Context(), pieceName(long, 0), make([]byte, pieceSize+1)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.fetch(t, "gen1", long); err == nil || !strings.Contains(err.Error(), "has more than 32 MB") {
		t.Errorf("a piece that is too long: %v", err)
	}
	b.agentLog.once(t, "refused a tree: ")
	if _, err := b.fetch(t, "gen1", strings.Repeat("cd", 32)); err == nil || !strings.Contains(err.Error(), "has not put it") {
		t.Errorf("a tree that is not there: %v", err)
	}
	for _, path := range []string{"../../etc", strings.Repeat("AB", 32), ""} {
		if _, err := b.fetch(t, "gen1", path); err == nil || !strings.Contains(err.Error(), "is no digest") {
			t.Errorf("%q: %v", path, err)
		}
	}
	if got := b.cached(t, "gen1"); len(got) != 0 {
		t.Errorf("%v is left", got)
	}
	if _, err := b.fetch(t, "gen1", digest); err != nil {
		t.Errorf("the right tree after those: %v", err)
	}
}

// TestAnotherAgentsTrees: an agent reads its own bucket and no other, and writes to none.
func TestAnotherAgentsTrees(t *testing.T) {
	b := gathered(t, "gen1", "gen2")
	digest, err := b.Put(t.Context(), sources, "gen2")
	if err != nil {
		t.Fatal(err)
	}
	own := b.agents["gen1"].Bundle
	nc, err := connect("tls://"+own.Controller, own.Name, own.Seed, nats.TLSHandshakeFirst(), nats.Secure(own.client()),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	other := "OBJ_" + buckets + "gen2"
	for _, subject := range []string{"$JS.API.STREAM.INFO." + other, "$JS.API.STREAM.MSG.GET." + other,
		"$JS.API.DIRECT.GET." + other, "$JS.API.DIRECT.GET." + other + ".$O.tree-gen2.M.x",
		"$JS.API.CONSUMER.CREATE." + other + ".x.$O.tree-gen2.C.x", "$JS.API.CONSUMER.DURABLE.CREATE." + other + ".x",
		"$JS.API.STREAM.NAMES", "$JS.API.STREAM.PURGE.OBJ_tree-gen1", "$JS.API.STREAM.MSG.GET.results",
		"$O.tree-gen2.C.x", "$O.tree-gen1.C.x", "$O.tree-gen1.M.x"} {
		if err := nc.Publish(subject, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		nc.Flush()
		b.log.once(t, fmt.Sprintf("Publish Violation - Subject %q", subject))
	}
	if _, err := nc.SubscribeSync("$O.>"); err != nil {
		t.Fatal(err)
	}
	nc.Flush()
	b.log.once(t, `Subscription Violation - Subject "$O.>"`)
	if _, err := b.fetch(t, "gen1", digest); err == nil || !strings.Contains(err.Error(), "has not put it") {
		t.Errorf("gen1 has the tree of gen2: %v", err)
	}
	if _, err := b.fetch(t, "gen2", digest); err != nil {
		t.Error(err)
	}
	if got := b.log.with("Violation"); len(got) != 13 {
		t.Errorf("%d lines: %v", len(got), got)
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
	b := gathered(t, "gen1")
	n := 0
	if _, err := b.Put(t.Context(), growing{&n}, "gen1"); err == nil || !strings.Contains(err.Error(), "change while they are") {
		t.Errorf("%v", err)
	}
	digest, _, err := sumTree(growing{&n})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.fetch(t, "gen1", digest); err == nil {
		t.Error("it was sent")
	}
}
