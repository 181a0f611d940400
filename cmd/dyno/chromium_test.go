package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// chromium is a browser that a test drives by the DevTools protocol, over two pipes: it needs no
// port and no library. Messages end with a NUL.
type chromium struct {
	t      *testing.T
	out    *os.File
	in     *bufio.Reader
	last   int
	events []event
}

// event is a message from the browser: an answer with an ID, or an event.
type event struct {
	ID      int
	Method  string
	Session string `json:"sessionId"`
	Params  json.RawMessage
	Result  json.RawMessage
	Error   *struct{ Message string }
}

// startChromium starts a browser that ends with the test; it skips the test if there is none.
func startChromium(t *testing.T) *chromium {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes a minute")
	}
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("no Chromium on PATH")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	fromTest, toBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromBrowser, toTest, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
		"--remote-debugging-pipe", "--no-first-run", "--disable-extensions", "--user-data-dir="+t.TempDir(),
		"about:blank")
	cmd.ExtraFiles = []*os.File{fromTest, toTest}
	if err := cmd.Start(); err != nil {
		t.Skipf("Chromium does not start: %v", err)
	}
	fromTest.Close()
	toTest.Close()
	c := &chromium{t: t, out: toBrowser, in: bufio.NewReader(fromBrowser)}
	t.Cleanup(func() {
		fmt.Fprintf(c.out, `{"id":%d,"method":"Browser.close"}%c`, c.last+1, 0)
		cmd.Wait()
		cancel()
		toBrowser.Close()
		fromBrowser.Close()
	})
	return c
}

// call sends a command and waits for its answer; events in between are kept.
func (c *chromium) call(session, method string, params map[string]any, result any) {
	c.t.Helper()
	c.last++
	message := map[string]any{"id": c.last, "method": method}
	if params != nil {
		message["params"] = params
	}
	if session != "" {
		message["sessionId"] = session
	}
	text, err := json.Marshal(message)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.out.Write(append(text, 0)); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
	for {
		text, err := c.in.ReadBytes(0)
		if err != nil {
			c.t.Fatalf("%s: the browser is gone: %v", method, err)
		}
		var e event
		if err := json.Unmarshal(text[:len(text)-1], &e); err != nil {
			c.t.Fatalf("%s: %v in %.200s", method, err, text)
		}
		switch {
		case e.ID == 0:
			c.events = append(c.events, e)
			continue
		case e.ID != c.last:
			continue
		case e.Error != nil:
			c.t.Fatalf("%s: %s", method, e.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(e.Result, result); err != nil {
				c.t.Fatalf("%s: %v", method, err)
			}
		}
		return
	}
}

// tab is a page in the browser.
type tab struct {
	*chromium
	session string
}

// view is how a tab shows a page.
type view struct {
	width, height int
	dark, print   bool
	noScript      bool
}

// open opens a file in a new tab and waits until it is loaded.
func (c *chromium) open(file string, v view) *tab {
	c.t.Helper()
	var target struct{ TargetID string }
	c.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var session struct{ SessionID string }
	c.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	p := &tab{chromium: c, session: session.SessionID}
	c.events = nil
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		p.do(domain+".enable", nil)
	}
	p.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": v.width, "height": v.height,
		"deviceScaleFactor": 1, "mobile": v.width < 500})
	media, scheme := "screen", "light"
	if v.print {
		media = "print"
	}
	if v.dark {
		scheme = "dark"
	}
	p.do("Emulation.setEmulatedMedia", map[string]any{"media": media,
		"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
	p.do("Emulation.setScriptExecutionDisabled", map[string]any{"value": v.noScript})
	p.do("Page.navigate", map[string]any{"url": "file://" + file})
	for p.eval("document.readyState === 'complete' && location.protocol === 'file:'") != true {
		time.Sleep(20 * time.Millisecond)
	}
	return p
}

func (p *tab) do(method string, params map[string]any) {
	p.t.Helper()
	p.call(p.session, method, params, nil)
}

// eval returns the value of a JavaScript expression, awaited if it is a promise.
func (p *tab) eval(expression string) any {
	p.t.Helper()
	var out struct {
		Result           struct{ Value any }
		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	p.call(p.session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true,
		"awaitPromise": true}, &out)
	if out.ExceptionDetails != nil {
		p.t.Fatalf("%s: %s", expression, out.ExceptionDetails.Exception.Description)
	}
	return out.Result.Value
}

// trouble returns requests besides the page's own, and the console's messages.
func (p *tab) trouble() (list []string) {
	p.eval("1") // what happened before has arrived
	requests := 0
	for _, e := range p.events {
		if e.Session != p.session {
			continue
		}
		switch e.Method {
		case "Network.requestWillBeSent":
			if requests++; requests > 1 {
				list = append(list, "request "+string(e.Params))
			}
		case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded":
			list = append(list, e.Method+" "+string(e.Params))
		}
	}
	return list
}

// shot writes a picture of the whole page, if DYNO_SHOTS names a folder.
func (p *tab) shot(name string) {
	dir := os.Getenv("DYNO_SHOTS")
	if dir == "" {
		return
	}
	var out struct{ Data []byte }
	p.call(p.session, "Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true}, &out)
	if err := os.WriteFile(dir+"/"+name+".png", out.Data, 0o644); err != nil {
		p.t.Error(err)
	}
}

func (p *tab) close() { p.do("Page.close", nil) }
