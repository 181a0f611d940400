package fleet

import (
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// natsFile is the name of the configuration of a user's own NATS, in the fleet's folder.
const natsFile = "nats.conf"

// WriteConfiguration writes what a user's own NATS needs into the fleet's folder: nats.conf, and the
// certificate and its key that it names unless the NATS has its own. It returns the file's name.
func (f *Fleet) WriteConfiguration(k *Keys) (name string, err error) {
	folder, err := filepath.Abs(f.Folder())
	if err != nil {
		return "", err
	}
	name = filepath.Join(f.Folder(), natsFile)
	files := map[string][]byte{name: []byte(f.Configuration(k, folder))}
	if f.NATSCertificate == "" {
		files[filepath.Join(folder, "nats-cert.pem")] = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
			Bytes: k.Certificate})
		files[filepath.Join(folder, "nats-key.pem")] = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY",
			Bytes: k.Private})
	}
	for file, data := range files {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			return "", fmt.Errorf("write NATS's configuration: %w", err)
		}
	}
	return name, nil
}

// Configuration returns the configuration of a NATS server for this fleet. Files are in folder.
func (f *Fleet) Configuration(k *Keys, folder string) string {
	var b strings.Builder
	port := f.reached()[strings.LastIndexByte(f.reached(), ':')+1:]
	certificate, key := filepath.Join(folder, "nats-cert.pem"), filepath.Join(folder, "nats-key.pem")
	if f.NATSCertificate != "" {
		certificate, key = f.beside(f.NATSCertificate), "the key of that certificate"
	}
	fmt.Fprintf(&b, `# For a NATS server that a fleet of dyno uses; dyno fleet init wrote it. Start it with
#   nats-server -c %s
# or add handshake_first, max_payload, max_pending, jetstream, the accounts and system_account to the configuration
# of your own servers. A NATS that has a system account already exports %s from it.
port: %s
max_payload: %dMB
max_pending: %dMB
jetstream { store_dir: %q, max_file: %dGB, max_buffered_size: %dMB, max_buffered_msgs: %d }
tls { cert_file: %q, key_file: %q, handshake_first: true }
accounts {
  %s {
    jetstream: enabled
    imports: [ { stream: { account: %s, subject: %q }, to: %q } ]
    users: [
`, filepath.Join(folder, natsFile), leaving, port, mostBytes>>20, mostPending>>20, filepath.Join(folder, "nats-store"),
		mostStored>>30, mostArchive>>20, mostArchive/chunk, certificate, key, account, systemAccount, leaving, left)
	for _, u := range k.users(f) {
		fmt.Fprintf(&b, "      { nkey: %s, permissions: {\n        publish: { allow: [%s] }\n        subscribe: { allow: [%s] }\n",
			u.Nkey, quoted(u.Permissions.Publish.Allow), quoted(u.Permissions.Subscribe.Allow))
		if r := u.Permissions.Response; r != nil {
			fmt.Fprintf(&b, "        allow_responses: { max: %d, expires: %q }\n", r.MaxMsgs, r.Expires)
		}
		b.WriteString("      } }\n")
	}
	fmt.Fprintf(&b, "    ]\n  }\n  %s { exports: [ { stream: %q, accounts: [%s] } ] }\n}\nsystem_account: %s\n",
		systemAccount, leaving, account, systemAccount)
	return b.String()
}

// quoted writes subjects as a list of NATS's configuration.
func quoted(subjects []string) string {
	var all []string
	for _, s := range subjects {
		all = append(all, fmt.Sprintf("%q", s))
	}
	return strings.Join(all, ", ")
}
