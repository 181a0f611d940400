package bench

import "path/filepath"

// The folders of a run folder that a bench writes into: logs of contestants, their working folders,
// and the certificate of the run.
const logFolder, homeFolder, tlsFolder = "logs", "homes", "tls"

// Folders are all of these.
var Folders = []string{logFolder, homeFolder, tlsFolder}

// log returns the path of a contestant's log.
func (l *Local) log(name, what string) string {
	return filepath.Join(l.opts.Folder, logFolder, LogName(name, what))
}

// LogName returns the name of a contestant's log in the folder logs of a run. what is build, or
// epoch and its number.
func LogName(name, what string) string { return safe(name) + "-" + what + ".log" }

// safe returns name with every byte replaced that is not safe in a file name.
func safe(name string) string {
	b := []byte(name)
	for i, c := range b {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '.':
		default:
			b[i] = '_'
		}
	}
	return string(b)
}
