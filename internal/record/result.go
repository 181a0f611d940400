// Package record is a run's record: the plan, the host, the contestants, and every trial.
//
// A run on disk is one append-only file, trials.jsonl: one Record per line, the plan first.
// Everything a person sees is computed from it, so a field here is a measured fact, in base units,
// never a judgement. Missing is not zero: a value that could not be read is a nil pointer.
// Latencies are HdrHistograms that merge; percentiles are read from the merged histogram, never averaged.
package record

import (
	"iter"
	"reflect"
	"strings"
)

// Format is the trials.jsonl version that this code writes and reads; see doc/format.md.
const Format = 3

// Record is one line of trials.jsonl. Exactly one field is set. Run has the same fields, in the same order.
type Record struct {
	Plan        *Plan        `json:"plan,omitempty"`
	Host        *Host        `json:"host,omitempty"`
	Calibration *Calibration `json:"calibration,omitempty"`
	Contestant  *Contestant  `json:"contestant,omitempty"`
	Refit       *Refit       `json:"refit,omitempty"`
	Alike       *Alike       `json:"alike,omitempty"`
	Sampled     *Sampled     `json:"sampled,omitempty"`
	Launch      *Launch      `json:"launch,omitempty"`
	Trial       *Trial       `json:"trial,omitempty"`
	Long        *Trial       `json:"long,omitempty"`
	Rated       *Trial       `json:"rated,omitempty"`
	Idle        *Idle        `json:"idle,omitempty"`
	Failure     *Failure     `json:"failure,omitempty"`
	Resume      *Resume      `json:"resume,omitempty"`
	End         *End         `json:"end,omitempty"`
}

// Run is a complete record in memory. Its first fields are those of Record, in the same order: one, or a list.
type Run struct {
	Plan        Plan
	Host        Host
	Calibration *Calibration // this machine's last one when the run began; nil: none
	Contestants []Contestant
	Refit       *Refit // nil: the plan is as it was made
	Alike       *Alike // nil: an older record, without this
	Sampled     []Sampled
	Launches    []Launch
	Trials      []*Trial
	Long        []*Trial // long loads after the epochs; they are not trials
	Rated       []*Trial // open loops after the epochs; they are not trials
	Idle        []Idle
	Failures    []Failure
	Resumes     []Resume
	End         *End // nil if the run was cut off

	// Damage says why the rest of the record cannot be read or trusted; the run holds the part
	// before. It is never stored.
	Damage error
}

// Add adds a record to the run.
func (r *Run) Add(rec Record) {
	from, to := reflect.ValueOf(rec), reflect.ValueOf(r).Elem()
	for i := range from.NumField() {
		x, into := from.Field(i), to.Field(i)
		switch {
		case x.IsNil():
		case into.Type() == x.Type():
			into.Set(x)
		case into.Kind() != reflect.Slice:
			into.Set(x.Elem())
		case into.Type().Elem() == x.Type():
			into.Set(reflect.Append(into, x))
		default:
			into.Set(reflect.Append(into, x.Elem()))
		}
	}
	if c := rec.Contestant; c != nil && c.Fewer != nil && c.Fewer.Served > 0 {
		r.Plan.limit(c.Fewer.Served)
	}
	if f := rec.Refit; f != nil {
		r.Plan.Profile, r.Plan.Rounds, r.Plan.Epochs, r.Plan.Last = f.Profile, f.Rounds, f.Epochs, f.Last
	}
	if rec.Resume != nil {
		r.End = nil
	}
}

// records yields the run's records, in groups of one kind.
func (r *Run) records() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		from := reflect.ValueOf(r).Elem()
		for i := range reflect.TypeFor[Record]().NumField() {
			all := []reflect.Value{from.Field(i)}
			if f := from.Field(i); f.Kind() == reflect.Slice {
				all = nil
				for k := range f.Len() {
					all = append(all, f.Index(k))
				}
			}
			for _, x := range all {
				var rec Record
				if x.Kind() != reflect.Pointer {
					x = x.Addr()
				}
				reflect.ValueOf(&rec).Elem().Field(i).Set(x)
				if rec != (Record{}) && !yield(rec) {
					return
				}
			}
		}
	}
}

// Contestant returns the contestant with that name, or nil.
func (r *Run) Contestant(name string) *Contestant {
	for i := range r.Contestants {
		if r.Contestants[i].Name == name {
			return &r.Contestants[i]
		}
	}
	return nil
}

// FailureOf returns a contestant's first failure, or nil.
func (r *Run) FailureOf(name string) *Failure {
	for i := range r.Failures {
		if r.Failures[i].Contestant == name {
			return &r.Failures[i]
		}
	}
	return nil
}

// Key identifies a trial. Epoch counts from 0, pilots first; Round from 0 within its epoch;
// Position from 0 within its round; Attempt from 0, one more each time that the round is repeated;
// Take from 0, one more each time that the trial alone is repeated, as older versions did.
type Key struct {
	Seed     uint64 `json:"seed"`
	Epoch    int    `json:"epoch"`
	Round    int    `json:"round"`
	Position int    `json:"position"`
	Attempt  int    `json:"attempt"`
	Take     int    `json:"take,omitempty"`
}

// Contestant describes a program as built and started.
type Contestant struct {
	Name      string `json:"name"`
	Title     string `json:"title"`
	Language  string `json:"language"`
	Framework string `json:"framework"`
	Version   string `json:"version"` // read from the built program
	Engine    string `json:"engine"`
	Control   bool   `json:"control,omitempty"` // dyno's own reference server
	Service   bool   `json:"service,omitempty"` // not under test: contestants call it
	Managed   bool   `json:"managed,omitempty"` // a managed runtime, by its language

	// URL is the address of a server that already ran before the run, which did not start it.
	// Processes names the processes found there, or the reason why none were found.
	URL       string `json:"url,omitempty"`
	Processes string `json:"processes,omitempty"`

	Toolchain  string   `json:"toolchain"`         // e.g. "go1.26.8 (PATH)"
	Sources    string   `json:"sources,omitempty"` // sha256 over its source files, and how it is built and started
	BinaryHash string   `json:"binary,omitempty"`  // sha256 over the started program
	Layouts    []string `json:"layouts,omitempty"` // sha256 over the same program with its functions in other orders
	BuildNS    int64    `json:"build_ns"`
	Commit     string   `json:"commit,omitempty"` // of a revision
	// VerifyUnixNS is when its first start began, for verification. For the first contestant this
	// is when the budget began.
	VerifyUnixNS int64    `json:"verify_unix_ns,omitempty"`
	Tuning       []string `json:"tuning,omitempty"`
	// differences from the scenario, declared and observed by the verifier
	Differs []string `json:"differs,omitempty"`
	// scenario path -> path that this contestant is asked instead
	Paths       map[string]string `json:"paths,omitempty"`
	Response    map[string]string `json:"response,omitempty"`
	HeaderBytes int               `json:"header_bytes,omitempty"` // status line and headers of the first loaded request
	BodyBytes   int               `json:"body_bytes,omitempty"`

	Fewer *Fewer `json:"fewer,omitempty"` // nil: it serves as many connections as the plan has
	Costs *Costs `json:"costs,omitempty"` // nil: not measured
}

// Costs says how long a contestant's verification took, and what it took in it.
type Costs struct {
	VerifyNS int64 `json:"verify_ns"`
	// StartNS is the time for what each start takes: until it is verified and has answered the sequence,
	// and until it ended.
	StartNS int64 `json:"start_ns"`
	// ConnectNS and AnswerNS are mean times in a load over all connections: from one connection to the next
	// while they were opened, and from one answer to the next. 0: there was no such load.
	ConnectNS int64 `json:"connect_ns,omitempty"`
	AnswerNS  int64 `json:"answer_ns,omitempty"`
}

// Refit is what the plan became after the verification, because by the contestants' Costs fewer epochs
// fit the budget than were planned.
type Refit struct {
	Profile string `json:"profile"`
	Rounds  int    `json:"rounds"`
	Epochs  []int  `json:"epochs"`
	Last
}

// Fewer says that a contestant serves fewer connections at once than requested. The plan then has
// that number at all levels, for all contestants.
type Fewer struct {
	Asked  int    `json:"asked"`
	Served int    `json:"served"`
	Why    string `json:"why"` // what happened with more connections: "gave no answer within 5s on 1 of 3 connections"
}

// SameServer reports whether c and o are URLs of one process, both encrypted or both in the clear:
// comparing them compares equal servers.
func (c *Contestant) SameServer(o *Contestant) bool {
	scheme, _, _ := strings.Cut(c.URL, "://")
	return strings.Contains(c.Processes, "(pid ") && c.Processes == o.Processes &&
		strings.HasPrefix(o.URL, scheme+"://")
}

// Alike says which answers were compared between contestants before the first trial, and which
// parts of every answer are checked under load.
type Alike struct {
	Sent     []string `json:"sent,omitempty"`     // request lines that each contestant was sent, several times
	Requests int      `json:"requests,omitempty"` // requests under load
	Constant int      `json:"constant"`           // requests whose whole body is checked in every answer
	Open     int      `json:"open,omitempty"`     // requests for which only the status is checked
	Statuses int      `json:"statuses,omitempty"` // requests whose answers may have one of several
	// the other bodies may depend on earlier requests: their shape is compared
	Stateful bool     `json:"stateful,omitempty"`
	Varies   []string `json:"varies,omitempty"`   // differences between answers from one contestant
	Excused  []string `json:"excused,omitempty"`  // differences between contestants that were allowed
	Dateless []string `json:"dateless,omitempty"` // contestants that send no Date header
	InTurn   int      `json:"in_turn,omitempty"`  // length of the sequence that each answered, freshly started
	Apart    []string `json:"apart,omitempty"`    // contestants in network namespaces of their own, without any network
}

// Sampled says how many of a contestant's answers in an epoch were checked for length and shape,
// because their bodies vary, and how many of these bodies were compared in full. An epoch's long
// loads have a separate Sampled.
type Sampled struct {
	Contestant string `json:"contestant"`
	Epoch      int    `json:"epoch"`
	Answers    int64  `json:"answers"`
	Compared   int64  `json:"compared"`
	// answers over 8 MiB, included in Answers: only their length was checked
	Long    int64 `json:"long,omitempty"`
	Headers int64 `json:"headers,omitempty"` // answers, to all requests, whose header section was compared
}

// Launch is one start of a contestant, at the beginning of an epoch.
type Launch struct {
	Contestant string `json:"contestant"`
	Epoch      int    `json:"epoch"`
	CPUs       []int  `json:"cpus,omitempty"`   // if they are not the server's
	Layout     int    `json:"layout,omitempty"` // the started program: 0 is the binary, n the nth of its Layouts
	// Processors is set at a level with a number of CPUs.
	Processors    *Processors `json:"processors,omitempty"`
	Limits        *Limits     `json:"limits,omitempty"` // set for a container
	StartedUnixNS int64       `json:"started_unix_ns"`
	ReadyNS       int64       `json:"ready_ns"` // from process start to first right answer
	// how long it was loaded; for one that compiles, the time since its first window began
	WarmupNS       int64  `json:"warmup_ns"`
	WarmupRequests int64  `json:"warmup_requests"`
	Warmup         string `json:"warmup"` // class of the warm-up
	// SteadyNS is the warm-up time: when, on WarmupNS's clock, the level began that it kept. 0:
	// with the first window. Nil: it found none, or the record is older than this field.
	SteadyNS *int64 `json:"steady_ns,omitempty"`
	// CompiledNS is when, on that clock, it was last seen to use CPU at rest, between two windows of its
	// warm-up, as one that compiles does. Nil: never.
	CompiledNS *int64         `json:"compiled_ns,omitempty"`
	Windows    []WarmupWindow `json:"windows,omitempty"`
	// Meters names the method by figure: "cpu" by "process clocks and cgroup v2", "instructions" by
	// "program and kernel". Absent names figures that cannot be read for this process, beyond
	// Host.Absent, and the reason.
	Meters map[string]string `json:"meters,omitempty"`
	Absent map[string]string `json:"absent,omitempty"`
}

// Processors are the CPUs that a contestant was pinned to, and how it learnt their number.
type Processors struct {
	CPUs []int `json:"cpus"`
	// Threads reports whether two or more are threads of one core.
	Threads bool `json:"threads,omitempty"`
	// Variables are its environment variables that give the number.
	Variables map[string]string `json:"variables,omitempty"`
}

// Limits are a container's limits, as its engine states them; 0 means none.
type Limits struct {
	CPUs        float64 `json:"cpus"` // of CPU time, in CPUs
	MemoryBytes int64   `json:"memory_bytes"`
}

// The classes of warm-ups (doc/method.md).
const (
	Flat      = "flat"            // one level from the first window on
	Warmed    = "warmed"          // it became faster
	Slowdown  = "slowdown"        // it was faster before
	NotSteady = "no steady state" // the last windows do not agree on a level
)

// WarmupWindow is one load window of a warm-up.
type WarmupWindow struct {
	EndNS    int64 `json:"end_ns"` // time of the end, on WarmupNS's clock
	WindowNS int64 `json:"window_ns"`
	Requests int64 `json:"requests"`
	CPUNS    int64 `json:"cpu_ns,omitempty"` // used by the process tree; 0: unreadable
}

// Trial is a short load on one contestant.
type Trial struct {
	Key
	Contestant    string    `json:"contestant"`
	Level         *Level    `json:"level,omitempty"` // if it is not the plan's
	StartedUnixNS int64     `json:"started_unix_ns"` // time of the thaw
	EndedUnixNS   int64     `json:"ended_unix_ns"`   // time of the freeze
	Load          Load      `json:"load,omitzero"`
	Server        Usage     `json:"server"`
	Generator     Usage     `json:"generator"`
	Services      []Usage   `json:"services,omitempty"` // in the order of Plan.Services, then a relay's
	Executed      *Executed `json:"executed,omitempty"` // what PostgreSQL executed in the window
	// ClocksNS is the wall time over which the CPU clocks of server, generator and services were
	// read.
	ClocksNS int64 `json:"clocks_ns,omitempty"`
	// OutsideCPUNS is the server's CPU from thaw to freeze outside the counted window, in which it
	// answered RewarmRequests.
	OutsideCPUNS   *int64 `json:"outside_cpu_ns,omitempty"`
	RewarmRequests int64  `json:"rewarm_requests,omitempty"`
	// UnloadedCPUNS is the server's CPU in UnloadedNS without connections, after an epoch's last
	// trial.
	UnloadedNS    int64  `json:"unloaded_ns,omitempty"`
	UnloadedCPUNS *int64 `json:"unloaded_cpu_ns,omitempty"`
	Causes        Causes `json:"causes"`
}

// ServiceCPU returns the CPU time of all services in the counted window; nil if it is not known of
// any.
func (t *Trial) ServiceCPU() *int64 {
	var sum *int64
	for i := range t.Services {
		if cpu := t.Services[i].CPUNS; cpu != nil {
			if sum == nil {
				sum = new(int64)
			}
			*sum += *cpu
		}
	}
	return sum
}

// Executed counts statements on the table of a scenario.
type Executed struct {
	Selects  int64 `json:"selects"`             // that begin with SELECT
	Rows     int64 `json:"rows"`                // that these read
	Writes   int64 `json:"writes"`              // rows that the others wrote
	ReadBack int64 `json:"read_back,omitempty"` // rows that were compared with the last answers that named them
}

// Usage is a process tree's use in the counted window, or its state after it.
type Usage struct {
	CPUNS *int64 `json:"cpu_ns,omitempty"`
	// Instructions retired in the tree, in the window; Launch.Meters says whether the kernel's are
	// included.
	Instructions *int64 `json:"instructions,omitempty"`
	// PrivateBytes are the tree's pages that belong to no file: no other program has them. Older
	// records have PSSBytes instead, which divides pages of files among all programs that map them.
	PrivateBytes *int64 `json:"private_bytes,omitempty"`
	PSSBytes     *int64 `json:"pss_bytes,omitempty"`
	SwapPSSBytes *int64 `json:"swap_pss_bytes,omitempty"`
	Threads      *int64 `json:"threads,omitempty"`
	Processes    int    `json:"processes,omitempty"`
	LoggedBytes  int64  `json:"logged_bytes,omitempty"`
	LogCutBytes  int64  `json:"log_cut_bytes,omitempty"` // cut from its log since the launch

	// For Go contestants, if the plan asks: the heap in use right after the window with its
	// connections still open, the bytes allocated and the goroutines started within it. For .NET
	// contestants the bytes allocated.
	HeapInuseBytes    *int64 `json:"heap_inuse_bytes,omitempty"`
	AllocBytes        *int64 `json:"alloc_bytes,omitempty"`
	GoroutinesStarted *int64 `json:"goroutines_started,omitempty"`

	// The following are read once per epoch, in the trials of its last round, with connections
	// still open. Totals count since the launch.
	CPUUserTotalNS   *int64 `json:"cpu_user_total_ns,omitempty"`
	CPUSystemTotalNS *int64 `json:"cpu_system_total_ns,omitempty"`
	FileBytes        *int64 `json:"file_bytes,omitempty"` // resident pages of files, sum over processes (RssFile)
	OpenSockets      *int64 `json:"open_sockets,omitempty"`
}

// Add sets the figures in u that more has.
func (u *Usage) Add(more *Usage) {
	into, from := reflect.ValueOf(u).Elem(), reflect.ValueOf(more).Elem()
	for i := range from.NumField() {
		if f := from.Field(i); !f.IsZero() {
			into.Field(i).Set(f)
		}
	}
}

// Idle is a contestant's state before its first load, in a plan with fresh processes: started,
// verified and frozen. It has no Connections, and CPUNS counts since its launch.
type Idle struct {
	Contestant    string `json:"contestant"`
	Epoch         int    `json:"epoch"`
	Connections   int    `json:"connections"`
	StartedUnixNS int64  `json:"started_unix_ns"`
	EndedUnixNS   int64  `json:"ended_unix_ns"`
	Server        Usage  `json:"server"`
}

// Causes are influences on a trial from outside the contestant. judge.Discard judges them for each
// trial, and never looks at a metric.
type Causes struct {
	WallNS                int64 `json:"wall_ns"` // over which the others were read
	ServerCPUs            int   `json:"server_cpus"`
	GeneratorCPUs         int   `json:"generator_cpus"`
	BackgroundServerNS    int64 `json:"background_server_ns"`    // other programs on the server's CPUs
	BackgroundGeneratorNS int64 `json:"background_generator_ns"` // other programs on the generator's CPUs
	StealNS               int64 `json:"steal_ns"`                // steal on these CPUs and the services'
	ThrottledNS           int64 `json:"throttled_ns,omitempty"`
	SuspendedNS           int64 `json:"suspended_ns,omitempty"` // the whole machine
	// OtherSidesNS is the CPU of contestants that ran before the run, and so are never frozen,
	// while another one was loaded. It is not background CPU.
	OtherSidesNS int64 `json:"other_sides_ns,omitempty"`
	// BackgroundUnknown is set if the server's own CPU time cannot be read, so that background CPU
	// cannot be separated from it.
	BackgroundUnknown bool `json:"background_unknown,omitempty"`
	// GeneratorShared says that the server or a service may use the generator's CPUs.
	GeneratorShared bool `json:"generator_shared,omitempty"`
	// SharedCPUs counts the CPUs that are both the server's and the generator's.
	SharedCPUs int `json:"shared_cpus,omitempty"`
	// ServiceCPUs counts the CPUs that only services have, BackgroundServiceNS the CPU of other
	// programs there; 0: the services run on the generator's CPUs, or there are none.
	ServiceCPUs         int   `json:"service_cpus,omitempty"`
	BackgroundServiceNS int64 `json:"background_service_ns,omitempty"`
	// Others names programs that used the CPU since the last trial that has it; nil: not read.
	Others *Others `json:"others,omitempty"`
	// Machines splits the causes by machine, if there are several.
	Machines []MachineCauses `json:"machines,omitempty"`
}

// CPUs returns the number of CPUs that server, generator and services have together.
func (c *Causes) CPUs() int { return c.ServerCPUs + c.GeneratorCPUs + c.ServiceCPUs - c.SharedCPUs }

// Others lists the programs, beside dyno and the contestants, that used most CPU over some time, between trials
// too. Processes that lived only within that time are not seen.
type Others struct {
	WallNS   int64     `json:"wall_ns"`
	CPUs     int       `json:"cpus"` // the machine's
	Programs []Program `json:"programs,omitempty"`
}

// Program is the CPU time that processes of one name used.
type Program struct {
	Name  string `json:"name"`
	CPUNS int64  `json:"cpu_ns"`
}

// MachineCauses is one machine's part in Causes, over the CPUs that dyno uses there.
type MachineCauses struct {
	Machine      string `json:"machine"`             // machine's name
	Generator    bool   `json:"generator,omitempty"` // the machine makes load
	CPUs         int    `json:"cpus"`
	BackgroundNS int64  `json:"background_ns"`
	StealNS      int64  `json:"steal_ns"`
}

// Failure says why a contestant has no figure. A contestant leaves the run with its first failure.
type Failure struct {
	Contestant string   `json:"contestant"`
	Stage      string   `json:"stage"` // toolchain, build, launch, verify, warmup, load
	Epoch      int      `json:"epoch,omitempty"`
	Reason     string   `json:"reason"`
	Hint       string   `json:"hint,omitempty"`
	LogTail    []string `json:"log_tail,omitempty"` // last lines of the log
	LogFile    string   `json:"log_file,omitempty"` // log's path within the run folder
}

// Unavailable reports whether the contestant could not be tried at all, because its toolchain or a
// package is missing.
func (f Failure) Unavailable() bool { return f.Stage == "toolchain" }

// Host describes the machine; with several, the servers' machine.
type Host struct {
	Name      string `json:"name,omitempty"` // if there are several machines
	OS        string `json:"os"`
	Kernel    string `json:"kernel"`
	BootID    string `json:"boot_id,omitempty"` // identifies this boot: a hash of its id (random(4))
	CPU       string `json:"cpu"`               // its brand, family, model and stepping
	Vendor    string `json:"vendor,omitempty"`
	Microcode string `json:"microcode,omitempty"`
	CPUs      int    `json:"cpus"`
	// Cores groups the usable CPUs by the core that they share.
	Cores         [][]int `json:"cores,omitempty"`
	ServerCPUs    []int   `json:"server_cpus"`
	GeneratorCPUs []int   `json:"generator_cpus"`
	Pinned        bool    `json:"pinned"`
	SharedCore    bool    `json:"shared_core,omitempty"` // server and generator are pinned to threads of one core
	MemoryBytes   int64   `json:"memory_bytes"`
	Governor      string  `json:"governor"` // "unknown" in most VMs
	Hypervisor    string  `json:"hypervisor,omitempty"`
	FileLimit     int64   `json:"file_limit"`
	Quota         string  `json:"quota,omitempty"` // cgroup CPU quota, if any
	// QuotaCPUs is the CPU time that Quota grants, in CPUs.
	QuotaCPUs float64 `json:"quota_cpus,omitempty"`
	// Absent names figures that this machine cannot measure, such as "instructions", and the reason.
	Absent map[string]string `json:"absent,omitempty"`
	// Generators are the machines that load the servers, if not this one.
	Generators []Host `json:"generators,omitempty"`
	// ServiceCPUs are the CPUs that only services have on this machine; none: they share the
	// generator's.
	ServiceCPUs []int `json:"service_cpus,omitempty"`
}

// KnownModel reports whether CPU tells models apart: records from before Cores may have the brand alone, which several
// generations share.
func (h *Host) KnownModel() bool { return len(h.Cores) > 0 || strings.Contains(h.CPU, "family ") }

// ServiceApart reports whether services have CPUs of their own.
func (h *Host) ServiceApart() bool { return len(h.ServiceCPUs) > 0 }

// Machines returns a run's machines: the servers', then the generators'.
func (h *Host) Machines() []Host { return append([]Host{*h}, h.Generators...) }

// Resume records that a run was resumed, after an interruption or after its budget ended before the
// first interim analysis. A new epoch begins with new processes, because the last epoch is
// incomplete.
type Resume struct {
	Epoch         int   `json:"epoch"`
	StartedUnixNS int64 `json:"started_unix_ns"`
	// PausedNS is from the last trial until everything was built and verified again; it is not part
	// of the budget. It is the difference between wall clocks, on two machines if Host is set, and
	// may then be negative.
	PausedNS int64  `json:"paused_ns"`
	Host     *Host  `json:"host,omitempty"` // the machine from here on, if it changed
	Dyno     string `json:"dyno,omitempty"` // dyno's version from here on
}

// End is the last line of a run that ended by itself or on request.
type End struct {
	Reason        string `json:"reason"` // decided, last analysis, budget, interrupted, failed, done
	EndedUnixNS   int64  `json:"ended_unix_ns"`
	MeasuredUnits int    `json:"valid_epochs"`
	// LogCutBytes has, for each contestant, the largest number of bytes that were cut from the log
	// of one start.
	LogCutBytes map[string]int64 `json:"log_cut_bytes,omitempty"`
	// Records counts the lines before this one, SHA256 is the digest of all bytes in the file
	// before the digest's own key (doc/format.md). Store sets both.
	Records int    `json:"records,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
}
