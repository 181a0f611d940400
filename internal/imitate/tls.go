package imitate

import (
	"crypto/tls"
	"errors"
	"fmt"
	"slices"

	"dyno/internal/endpoint"
)

// reworded returns the error of a load without advice that names flags of dyno load: those of the tool
// are others.
func (o *Order) reworded(err error) error {
	var refused *tls.CertificateVerificationError
	var h *endpoint.HandshakeError
	if !errors.As(err, &refused) || !errors.As(err, &h) {
		return err
	}
	if slices.ContainsFunc(o.tool.flags, func(f flag) bool { return f.long == "insecure" }) {
		return fmt.Errorf("%s: %w; pass -k to accept any certificate", o.URL, h)
	}
	return fmt.Errorf("%s: %w", o.URL, h)
}
