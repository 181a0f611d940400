package imitate

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestRefusedCertificate: the error names the tool's flag, and none of dyno load.
func TestRefusedCertificate(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	_, err := order(t, bombardier, "-n", "1", "-c", "1").Run(t.Context(), s.URL, io.Discard, io.Discard, 0)
	if err == nil || !strings.Contains(err.Error(), "; pass -k to accept any certificate") ||
		strings.Contains(err.Error(), "--ca") {
		t.Errorf("%v", err)
	}
}
