// Command go-relay answers the JSON relay scenarios with net/http. It relays the service's JSON
// unchanged, or decoded and encoded by encoding/json or by code that easyjson generated.
package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strconv"

	"github.com/mailru/easyjson"

	"dyno/harness"
	"dyno/harness/nethttp"
	"go-relay/record"
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
	var records record.List
	if err := easyjson.UnmarshalFromReader(body, &records); err != nil {
		return nil, err
	}
	return easyjson.Marshal(records)
}
