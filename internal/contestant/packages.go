package contestant

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// noSource matches what builders say when a source of packages cannot be reached. A source that
// answers, but lacks what is asked for, is an error of the contestant's own. NuGet's code:
// https://learn.microsoft.com/nuget/reference/errors-and-warnings/nu1301
var noSource = regexp.MustCompile(`error NU1301: |` +
	`: dial (tcp|udp)[ :]|: proxyconnect tcp: |module lookup disabled by GOPROXY=off|` +
	`: read(ing)? https?://\S+: (403|407|429|5\d\d) |` +
	`: (TLS handshake timeout|i/o timeout)|` +
	`npm (error|ERR!) code (E(NOTFOUND|CONNREFUSED|CONNRESET|TIMEDOUT|AI_AGAIN|NETUNREACH|HOSTUNREACH|NOTCACHED)|` +
	`ERR_SOCKET_TIMEOUT|E(403|407|429|5\d\d))\b|` +
	`unable to access 'https?://|Could not resolve host|Temporary failure in name resolution`)

// noPackage matches NuGet's words for a package, or a version, that none of its sources has; where
// all of them are folders, that is one that cannot be had on this machine.
var (
	noPackage = regexp.MustCompile(`error NU110[123]: `)
	remote    = regexp.MustCompile(`nuget\.org|https?://`)
)

// unfetched is the line of a build's log that says that packages cannot be had here; "" if none
// does.
func unfetched(log string) string {
	local := !remote.MatchString(log)
	for line := range strings.Lines(log) {
		if noSource.MatchString(line) || local && noPackage.MatchString(line) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// withoutPackages is the error of a build that failed with err: an *Unavailable where its log, from
// an offset on, says that packages cannot be had, else err.
func withoutPackages(err error, log string, from int64) error {
	text, _ := os.ReadFile(log)
	why := unfetched(string(text[min(from, int64(len(text))):]))
	if why == "" {
		return err
	}
	return &Unavailable{
		Toolchain: "packages", Reason: "they cannot be fetched: " + why,
		Hint: fmt.Sprintf("is a proxy to be set, or a network missing? they are fetched once; the whole log is %s",
			log),
	}
}
