package contestant

import (
	"fmt"
	"os"
	"strings"

	"dyno/internal/conf"
)

// noSource matches builders' messages about package sources that they cannot reach. A package that is missing
// from a reachable source is the contestant's error. NuGet's code:
// https://learn.microsoft.com/nuget/reference/errors-and-warnings/nu1301
var noSource = conf.Regexp(`error NU1301: |` +
	`: dial (tcp|udp)[ :]|: proxyconnect tcp: |module lookup disabled by GOPROXY=off|` +
	`: read(ing)? https?://\S+: (403|407|429|5\d\d) |` +
	`: (TLS handshake timeout|i/o timeout)|` +
	`npm (error|ERR!) code (E(NOTFOUND|CONNREFUSED|CONNRESET|TIMEDOUT|AI_AGAIN|NETUNREACH|HOSTUNREACH|NOTCACHED)|` +
	`ERR_SOCKET_TIMEOUT|E(403|407|429|5\d\d))\b|` +
	`Retrying \(Retry\(total=0, .*after connection broken by|Couldn't connect to server|` + // pip, cargo
	`unable to access 'https?://|Could not resolve host|Temporary failure in name resolution`)

// noPackage matches NuGet's error for a package, or a version, that is in none of the sources. If all sources
// are folders, the package is not available on this machine.
var (
	noPackage = conf.Regexp(`error NU110[123]: `)
	remote    = conf.Regexp(`nuget\.org|https?://`)
)

// Unfetched returns the line in a build log that shows that packages are not available; "" if there is none.
func Unfetched(log string) string {
	local := !remote().MatchString(log)
	for line := range strings.Lines(log) {
		if noSource().MatchString(line) || local && noPackage().MatchString(line) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// withoutPackages returns the error for a build that failed with err: an *Unavailable if the log,
// from an offset on, shows that packages are not available, else err.
func withoutPackages(err error, log string, from int64) error {
	text, _ := os.ReadFile(log)
	why := Unfetched(string(text[min(from, int64(len(text))):]))
	if why == "" {
		return err
	}
	return &Unavailable{
		Toolchain: "packages", Reason: "they cannot be downloaded: " + why,
		Hint: fmt.Sprintf(
			"check the network and its proxy settings; packages are downloaded only once. The whole log is %s",
			log),
	}
}
