package fleet

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// natsFile is the name of the configuration for a user's own NATS, in the fleet's folder.
const natsFile = "nats.conf"

// WriteConfiguration writes the files that a user's own NATS needs into the fleet's folder: nats.conf, and
// the certificate and key that it names unless the NATS has its own. It returns the path of nats.conf.
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

// Configuration returns the text of a NATS configuration for this fleet. Files are in folder.
func (f *Fleet) Configuration(k *Keys, folder string) string {
	c := f.configuration(k, filepath.Join(folder, "nats-store"))
	c["tls"] = object{"cert_file": filepath.Join(folder, "nats-cert.pem"), "key_file": filepath.Join(folder, "nats-key.pem"),
		"handshake_first": true}
	if f.NATSCertificate != "" {
		c["tls"] = object{"cert_file": f.beside(f.NATSCertificate), "key_file": "the key of that certificate",
			"handshake_first": true}
	}
	return fmt.Sprintf(`# For a NATS server that a fleet of dyno uses; dyno fleet init wrote it. Start it with
#   nats-server -c %s
# or add handshake_first, max_payload, max_pending, jetstream, the accounts and system_account to the configuration
# of your own servers. A NATS that has a system account already exports %s from it.
%s`, filepath.Join(folder, natsFile), leaving, confText(c))
}

// object is a part of a NATS configuration, which may be JSON.
type object = map[string]any

// configuration returns the configuration for this fleet's server, without TLS.
func (f *Fleet) configuration(k *Keys, store string) object {
	port, _ := strconv.Atoi(f.reached()[strings.LastIndexByte(f.reached(), ':')+1:])
	export := object{"stream": leaving, "accounts": []string{account}}
	return object{"port": port, "max_payload": mostBytes, "max_pending": mostPending,
		"jetstream": object{"store_dir": store, "max_file": mostStored, "max_buffered_size": mostArchive,
			"max_buffered_msgs": mostArchive / chunk},
		"system_account": systemAccount,
		"accounts": object{systemAccount: object{"exports": []object{export}},
			account: object{"jetstream": "enabled", "users": k.users(f),
				"imports": []object{{"stream": object{"account": systemAccount, "subject": leaving}, "to": left}}}}}
}

// confText returns a configuration as text. NATS does not accept an escaped > in a subject.
func confText(c object) string {
	text, _ := json.MarshalIndent(c, "", "  ") // plain values, which never fail
	return strings.ReplaceAll(string(text), `\u003e`, ">") + "\n"
}
