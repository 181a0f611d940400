package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/bench"
	"dyno/internal/contestant"
	"dyno/internal/document"
	"dyno/internal/plan"
	"dyno/internal/proc"
	"dyno/internal/scenario"
	"dyno/internal/verify"
)

func verifyCommand() *cobra.Command {
	var offline, mutants bool
	var only, seed string
	var sample int
	var folders []string
	cmd := &cobra.Command{
		Use:   "verify [CONTESTANT|FOLDER…]",
		Short: "Build contestants and prove that they keep their contracts",
		Long: `verify builds each contestant, starts it, and sends every request of its scenarios: status, headers, body, framing, keep-alive, sessions. Then it
loads it shortly, over several connections and with several requests in the pipeline, and sees that its Date moves on. A contestant outside of the project
is named by its folder, or by its name beside --contestants.

With --sample N it takes N of them, chosen by --seed: the same seed chooses the same ones.

With --mutants the names are those of scenarios, and what is proved is the proof: a reference server must be accepted, and each of its mutants,
which have one defect each, be found.`,
		RunE: func(cmd *cobra.Command, names []string) error {
			p, err := openProject()
			if err != nil {
				return err
			}
			if mutants {
				if only != "" || offline || sample != 0 || len(folders) > 0 {
					return usagef("--mutants takes scenarios and starts no contestant: leave --scenario, --sample, --offline and --contestants out")
				}
				return verifyMutants(cmd, p, names)
			}
			outside, err := p.knowOnly(folders)
			if err != nil {
				return err
			}
			if names, err = p.know(names); err != nil {
				return err
			}
			switch {
			case len(names) > 0:
			case len(outside) > 0:
				names = outside
			default:
				names = p.names()
			}
			for _, n := range names {
				if p.manifest(n) == nil {
					return usagef("no contestant %q%s", n, suggest(n, p.names(), "dyno list"))
				}
			}
			if sample < 0 || (seed != "") != (sample > 0) {
				return usagef("--sample wants a count above 0, and --seed; got --sample %d --seed %q", sample, seed)
			}
			if sample > 0 {
				names = sampled(names, sample, seed)
			}
			if names, err = p.serving(names, only); err != nil {
				return err
			}
			end, err := supervised(cmd)
			if err != nil {
				return err
			}
			defer end()
			failed := false
			for _, n := range names {
				for _, s := range p.manifest(n).Scenarios {
					if only != "" && s != only {
						continue
					}
					ok, err := verifyOne(cmd, p, p.manifest(n), s, offline)
					if err != nil {
						return err
					}
					failed = failed || !ok
				}
			}
			if failed {
				return exit(exitFailed)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&offline, "offline", false, "fetch no toolchain")
	cmd.Flags().StringVar(&only, "scenario", "", "verify this scenario only")
	contestantsFlag(cmd, &folders, knowFolders+"; alone, all of those are verified")
	cmd.Flags().IntVar(&sample, "sample", 0, "verify only so many, chosen by --seed")
	cmd.Flags().StringVar(&seed, "seed", "", "what --sample chooses by, such as a commit")
	cmd.Flags().BoolVar(&mutants, "mutants", false, "prove the proof: [SCENARIO…], all of them if none is named")
	return cmd
}

// serving are those of the names that serve the scenario, all if it is "". An error tells of a scenario that there is not.
func (p *project) serving(names []string, scenario string) ([]string, error) {
	if scenario != "" {
		if _, err := p.scenario(scenario); err != nil {
			return nil, err
		}
		names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !slices.Contains(p.manifest(n).Scenarios, scenario) })
		if len(names) == 0 {
			return nil, usagef("--scenario %s: none of these contestants serves it; dyno list says which do", scenario)
		}
	}
	for _, n := range names {
		m := p.manifest(n)
		for _, s := range m.Scenarios {
			if _, err := p.scenario(s); err != nil {
				return nil, fmt.Errorf("%s: %w", filepath.Join(m.Dir(p.root), "contestant.toml"), err)
			}
		}
	}
	return names, nil
}

// sampled are n of the names, or all if there are fewer, in their order: those whose hash together with the seed is lowest.
func sampled(names []string, n int, seed string) []string {
	hash := func(name string) string {
		sum := sha256.Sum256([]byte(seed + "\n" + name))
		return string(sum[:])
	}
	byHash := slices.Clone(names)
	slices.SortFunc(byHash, func(a, b string) int { return strings.Compare(hash(a), hash(b)) })
	chosen := byHash[:min(n, len(byHash))]
	slices.Sort(chosen)
	return chosen
}

// verifyOne proves one contestant against one scenario, and says on stdout what came of it.
func verifyOne(cmd *cobra.Command, p *project, m *contestant.Manifest, name string, offline bool) (bool, error) {
	s, err := p.scenario(name)
	if err != nil {
		return false, err
	}
	folder, err := proc.MkdirTemp("", "dyno-verify-")
	if err != nil {
		return false, err
	}
	keep := false
	defer func() {
		if keep {
			proc.UnmarkTemp(folder)
		} else {
			proc.RemoveTemp(folder)
		}
	}()
	host, err := bench.NewLocal(bench.LocalOptions{Root: p.root, FS: p.fsys, Manifests: p.manifests, Scenario: name, Companion: s.Companion, Folder: folder, Offline: offline})
	if err != nil {
		return false, err
	}
	defer host.Close()
	out := cmd.OutOrStdout()
	seen, built, err := prove(cmd, host, m, s)
	if err != nil {
		f := host.Failure(m.Name, "verify", err)
		word := "FAILED"
		if f.Unavailable() {
			word = "unavailable"
		}
		fmt.Fprintf(out, "%-18s %-12s %s: %s\n", m.Name, name, word,
			strings.ReplaceAll(document.Visible(f.Reason), "\n", "\n    "))
		if f.Hint != "" {
			fmt.Fprintf(out, "    %s\n", document.Visible(f.Hint))
			keep = strings.Contains(f.Hint, folder) // the log that it names
		}
		for _, l := range f.LogTail {
			fmt.Fprintf(out, "    | %s\n", document.Visible(l))
		}
		return f.Unavailable(), cmd.Context().Err()
	}
	framings := []string{}
	for _, f := range seen.Framing {
		if !slices.Contains(framings, f) {
			framings = append(framings, f)
		}
	}
	slices.Sort(framings)
	fmt.Fprintf(out, "%-18s %-12s ok: %d requests, %s %s, framing %s, head of %d bytes\n", m.Name, name, seen.Requests, m.Framework, built,
		strings.Join(framings, " and "), seen.HeaderBytes)
	for _, d := range seen.Differs {
		fmt.Fprintf(out, "    differs: %s\n", d)
	}
	return true, nil
}

// prove builds, launches and verifies; it returns what was observed and the version that was built. Where the contestant calls a companion, that is
// started before, and the contract is proved with few of its records and, strictly, with many.
func prove(cmd *cobra.Command, host *bench.Local, m *contestant.Manifest, s *scenario.Scenario) (*scenario.Observed, string, error) {
	ctx := cmd.Context()
	c, err := host.Build(ctx, m.Name, func(string) {})
	if err != nil {
		return nil, "", err
	}
	l := bench.Launch{Probe: s.At(c.Paths).Probe(0)}
	var companion bench.Server
	if s.Companion != "" {
		if companion, err = startCompanion(ctx, host, s.Companion); err != nil {
			return nil, "", fmt.Errorf("the companion %s: %w", s.Companion, err)
		}
		defer companion.Stop()
		_, l.Companion = companion.Addr()
	}
	l.Routes = s.At(c.Paths).Routes
	server, err := host.Launch(ctx, m.Name, l)
	if err != nil {
		return nil, "", err
	}
	defer server.Stop()
	network, addr := server.Addr()
	if companion != nil {
		var many *scenario.Scenario
		if many, err = told(ctx, s, companion, manyRecords); err == nil {
			_, err = scenario.Verify(ctx, many.At(c.Paths), network, addr, c.Differs, 0)
		}
		if err == nil {
			s, err = told(ctx, s, companion, plan.DefaultRecords)
		}
	}
	var seen *scenario.Observed
	if err == nil {
		seen, err = verify.Prove(ctx, host.Driver(), s.At(c.Paths), verify.Server{Network: network, Addr: addr, Differs: c.Differs})
	}
	if err == nil {
		err = verify.Ends(server.End)
	}
	if err != nil {
		return seen, c.Version, &bench.LogError{Err: err, Tail: server.LogTail()}
	}
	if m.Delay {
		err = proveDelay(ctx, host, m.Name, s.At(c.Paths), c.Differs, l)
	}
	return seen, c.Version, err
}

// delayed is the delay that a contestant is started with to see whether it waits.
const delayed = 30 * time.Millisecond

// proveDelay starts the contestant once more, as l says but with a delay, and proves that its handlers wait.
func proveDelay(ctx context.Context, host *bench.Local, name string, s *scenario.Scenario, differs []string, l bench.Launch) error {
	l.Delay, l.Probe = delayed, s.Probe(delayed)
	server, err := host.Launch(ctx, name, l)
	if err != nil {
		return err
	}
	defer server.Stop()
	network, addr := server.Addr()
	err = verify.Waits(ctx, host.Driver(), s, verify.Server{Network: network, Addr: addr, Differs: differs, Delay: delayed})
	if err != nil {
		err = &bench.LogError{Err: err, Tail: server.LogTail()}
	}
	return err
}
