package contestant

import (
	"cmp"
	"context"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"dyno/internal/machine"
)

// dotnetVendor is the address of Microsoft's releases and checksums.
const dotnetVendor = "https://builds.dotnet.microsoft.com/dotnet/release-metadata"

// releases is the required part of releases.json:
// https://github.com/dotnet/core/blob/main/release-notes/releases-index.json and its kin.
type releases struct {
	Latest   string `json:"latest-sdk"`
	Releases []struct {
		SDK  sdk   `json:"sdk"`
		SDKs []sdk `json:"sdks"`
	} `json:"releases"`
}

type sdk struct {
	Version string `json:"version"`
	Files   []struct {
		Name string `json:"name"`
		RID  string `json:"rid"`
		URL  string `json:"url"`
		Hash string `json:"hash"` // SHA-512
	} `json:"files"`
}

// fetchDotnet downloads the newest SDK in floor's channel for this platform, checks its SHA-512 and unpacks
// it into the cache.
func fetchDotnet(ctx context.Context, floor, cache string, o *FindOptions) (string, error) {
	rid, err := rid()
	if err != nil {
		return "", err
	}
	vendor := cmp.Or(o.Vendor, dotnetVendor)
	channel := strings.TrimPrefix(floor, ">=")
	if strings.Count(channel, ".") == 0 {
		channel += ".0"
	}
	var index releases
	if err := getJSON(ctx, vendor+"/"+channel+"/releases.json", &index); err != nil {
		return "", err
	}
	for _, r := range index.Releases {
		for _, s := range append([]sdk{r.SDK}, r.SDKs...) {
			if s.Version != index.Latest {
				continue
			}
			for _, f := range s.Files {
				if f.RID == rid && strings.HasSuffix(f.URL, ".tar.gz") {
					dir := filepath.Join(cache, "dotnet-"+s.Version)
					return dir, fetchArchive(ctx, f.URL, f.Hash, dir, "dotnet", o.Note)
				}
			}
		}
	}
	return "", fmt.Errorf(".NET's release list has no SDK %s for %s", index.Latest, rid)
}

// rid returns .NET's runtime identifier for this platform.
func rid() (string, error) {
	arch, ok := map[string]string{"amd64": "x64", "arm64": "arm64", "arm": "arm"}[runtime.GOARCH]
	if !ok {
		return "", fmt.Errorf("dyno cannot download the SDK for %s; install it", runtime.GOARCH)
	}
	return "linux-" + arch, nil
}

func getJSON(ctx context.Context, url string, into any) error {
	body, _, err := get(ctx, url)
	if err != nil {
		return err
	}
	defer body.Close()
	if err := json.NewDecoder(body).Decode(into); err != nil {
		return fmt.Errorf("read %s: %w", url, err)
	}
	return nil
}

func get(ctx context.Context, url string) (io.ReadCloser, int64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, 0, err
	}
	client := http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: 20 * time.Second,
		ResponseHeaderTimeout: 30 * time.Second,
	}}
	resp, err := client.Do(req)
	if dns := (*net.DNSError)(nil); errors.As(err, &dns) {
		return nil, 0, fmt.Errorf("fetch %s: the host is not found; is there a network?", req.URL.Host)
	} else if err != nil {
		return nil, 0, fmt.Errorf("fetch: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, 0, fmt.Errorf("fetch %s: %s", url, resp.Status)
	}
	return resp.Body, resp.ContentLength, nil
}

// fetchArchive downloads url, checks its SHA-512 in hex, and unpacks it to dir. After an error nothing
// remains in dir.
func fetchArchive(ctx context.Context, url, hash, dir, program string, note func(string)) error {
	if len(hash) != 2*sha512.Size {
		return fmt.Errorf(".NET's release list has no SHA-512 for %s", url)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(dir), filepath.Base(dir)+".partial*.tar.gz")
	if err != nil {
		return err
	}
	machine.MarkTemp(file.Name())
	defer machine.RemoveTemp(file.Name())
	defer file.Close()
	body, size, err := get(ctx, url)
	if err != nil {
		return err
	}
	defer body.Close()
	h := sha512.New()
	note(fmt.Sprintf("fetching %s: %d MB", filepath.Base(url), size>>20))
	n, err := io.Copy(io.MultiWriter(file, h), body)
	if err != nil {
		return fmt.Errorf("fetch %s: the download ended after %d of %d bytes: %w", url, n, size, err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); !strings.EqualFold(got, hash) {
		return fmt.Errorf("fetch %s: its SHA-512 is %s…, but %s… is published; the download "+
			"was discarded", url, got[:12], hash[:12])
	}
	return errors.Join(file.Close(), unpack(ctx, file.Name(), dir, program))
}
