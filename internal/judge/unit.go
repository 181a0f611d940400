package judge

// Unit is a base unit. The table's entry defines how values are printed, named and read.
type Unit struct {
	Name      string  // name in CSV
	Key       string  // suffix of JSON keys for such values
	Scales    []Scale // scales for printing, from small to large; none: values are counts
	Published []Scale // units in published figures
}

// Scale is a unit for printing: Name stands for a base-unit value divided by Per.
type Scale struct {
	Per  float64
	Name string
}

var units = []Unit{
	{Name: "1/s", Key: "per_sec", Scales: []Scale{{1, "1/s"}}, Published: []Scale{{1, "1/s"}}},
	{Name: "B/s", Key: "bytes_per_sec", Scales: []Scale{{1e6, "MB/s"}}, // as load generators print it
		Published: []Scale{{1 << 20, "MiB/s"}, {1e6, "MB/s"}, {1 << 10, "KiB/s"}, {1e3, "KB/s"}, {1, "B/s"}}},
	{Name: "ns", Key: "ns", Scales: []Scale{{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}},
		Published: []Scale{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1e3, "us"}, {1, "ns"}}},
	{Name: "bytes", Key: "bytes", Scales: []Scale{{1, "B"}, {1 << 10, "KiB"}, {1 << 20, "MiB"}, {1 << 30,
		"GiB"}, {1 << 40, "TiB"}},
		Published: []Scale{{1 << 20, "MiB"}, {1e6, "MB"}, {1 << 10, "KiB"}, {1e3, "KB"}, {1, "bytes"}}},
	{Name: "share", Key: "ratio", Scales: []Scale{{0.01, "%"}}},
	{Name: "%", Key: "percent", Published: []Scale{{1, "%"}}},
	{Name: "lines", Key: "lines", Scales: []Scale{{1, "lines"}}, Published: []Scale{{1, "lines"}}},
	{Name: "threads", Key: "threads", Published: []Scale{{1, "threads"}}},
	{Name: "sockets", Key: "sockets", Published: []Scale{{1, "sockets"}}},
}

// UnitNamed returns the unit of that name. A name that is not in the table is a count.
func UnitNamed(name string) Unit {
	for _, u := range units {
		if u.Name == name {
			return u
		}
	}
	return Unit{Name: name, Key: name}
}
