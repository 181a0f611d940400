package main

import (
	"io"
	"net/http"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello", func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"] = []string{"text/plain"}
		io.WriteString(w, "hello world")
	})
	if at := os.Getenv("DYNO_TLS_ADDR"); at != "" {
		go func() { panic(http.ListenAndServeTLS(at, os.Getenv("DYNO_TLS_CERT"), os.Getenv("DYNO_TLS_KEY"), mux)) }()
	}
	if at := os.Getenv("DYNO_H2C_ADDR"); at != "" {
		s := &http.Server{Addr: at, Handler: mux, Protocols: new(http.Protocols)}
		s.Protocols.SetUnencryptedHTTP2(true)
		go func() { panic(s.ListenAndServe()) }()
	}
	go http.ListenAndServe(os.Getenv("DYNO_ADDR"), mux)
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	<-c
}
