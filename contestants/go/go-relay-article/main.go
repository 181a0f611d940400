// Command go-relay-article answers the JSON relay scenarios as the article's program did: with net/http,
// and with a record type that has easyjson's methods. encoding/json calls them too, for each record, so
// the scenario for encoding/json does not measure reflection alone.
package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strconv"

	"dyno/harness"
	"dyno/harness/nethttp"
	"go-relay-article/record"
)

var (
	upstream = "http://" + os.Getenv("DYNO_RECORDS") + "/data"
	client   = &http.Client{Transport: &http.Transport{MaxIdleConns: 4000, MaxIdleConnsPerHost: 4000}}
)

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /testNoProcess", relay(io.ReadAll))
	mux.HandleFunc("GET /testReflection", relay(reflection))
	mux.HandleFunc("GET /testNoReflection", relay(noReflection))

	nethttp.Serve(mux)
}

// relay asks the service and answers with the body that process returns.
func relay(process func(body io.Reader) ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		harness.Work()
		resp, err := client.Get(upstream)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer func() {
			io.Copy(io.Discard, resp.Body) // an unread rest would close the connection
			resp.Body.Close()
		}()
		if resp.StatusCode != http.StatusOK {
			http.Error(w, "upstream: "+resp.Status, http.StatusBadGateway)
			return
		}
		body, err := process(resp.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body))) // otherwise net/http sends chunks above 2 KB
		w.Write(body)
	}
}

func reflection(body io.Reader) ([]byte, error) {
	var records []record.Record
	if err := json.NewDecoder(body).Decode(&records); err != nil {
		return nil, err
	}
	return json.Marshal(records)
}

func noReflection(body io.Reader) ([]byte, error) {
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	var records record.List
	if err := records.UnmarshalJSON(text); err != nil {
		return nil, err
	}
	return records.MarshalJSON()
}
