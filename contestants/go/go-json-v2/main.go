// Command go-json-v2 answers the JSON relay scenarios with net/http. It relays the service's JSON
// unchanged, or decoded and encoded by encoding/json/v2, with reflection or with the type's own methods
// for jsontext tokens.
package main

import (
	"encoding/json/v2"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"

	"dyno/harness"
	"dyno/harness/nethttp"
)

var (
	upstream = "http://" + os.Getenv("DYNO_RECORDS") + "/data"
	client   = &http.Client{Transport: &http.Transport{MaxIdleConns: 4000, MaxIdleConnsPerHost: 4000}}
)

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /testNoProcess", noProcess)
	mux.HandleFunc("GET /testReflection", relay(reflection))
	mux.HandleFunc("GET /testNoReflection", relay(noReflection))

	nethttp.Serve(mux)
}

// noProcess passes the service's bytes on unchanged.
func noProcess(w http.ResponseWriter, _ *http.Request) {
	harness.Work()
	resp, err := get()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer drain(resp.Body)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.FormatInt(resp.ContentLength, 10)) // otherwise net/http sends chunks above 2 KB
	io.Copy(w, resp.Body)
}

// relay asks the service and answers with the body that process returns.
func relay(process func(body io.Reader) ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		harness.Work()
		resp, err := get()
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer drain(resp.Body)
		body, err := process(resp.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body)
	}
}

// get asks the service, whose answers have a Content-Length.
func get() (*http.Response, error) {
	resp, err := client.Get(upstream)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK || resp.ContentLength < 0 {
		drain(resp.Body)
		return nil, fmt.Errorf("upstream: %s, length %d", resp.Status, resp.ContentLength)
	}
	return resp, nil
}

// drain reads the rest of a body; otherwise net/http would close the connection.
func drain(body io.ReadCloser) {
	io.Copy(io.Discard, body)
	body.Close()
}

func reflection(body io.Reader) ([]byte, error) {
	var records []Record
	if err := json.UnmarshalRead(body, &records); err != nil {
		return nil, err
	}
	return json.Marshal(records)
}

func noReflection(body io.Reader) ([]byte, error) {
	var records Records
	if err := json.UnmarshalRead(body, &records); err != nil {
		return nil, err
	}
	return json.Marshal(records)
}
