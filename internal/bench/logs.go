package bench

import "path/filepath"

// logFolder, homeFolder and tlsFolder are the folders in the run folder for contestants' logs, for
// their working folders, and for the run's certificate.
const logFolder, homeFolder, tlsFolder = "logs", "homes", "tls"

// Folders lists the bench's folders in the run folder.
var Folders = []string{logFolder, homeFolder, tlsFolder}

// log returns the path to a contestant's log.
func (l *Local) log(name, what string) string {
	return filepath.Join(l.opts.Folder, logFolder, LogName(name, what))
}

// LogName returns a contestant's log name in the run's folder logs. what is build, or epoch and its
// number.
func LogName(name, what string) string { return safe(name) + "-" + what + ".log" }

// safe returns name with every byte replaced that is unsafe in a file name.
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
