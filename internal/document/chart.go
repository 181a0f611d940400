package document

// DotChart shows how things stand to a reference, each as a dot on a logarithmic axis of ratios
// with its interval as a bar.
type DotChart struct {
	ID          string
	Title, Note string
	Reference   string // what stands at 1
	Unit        string // of the values beside the dots
	More        bool   // more is better
	Dots        []Dot
}

// Dot is a line of a DotChart.
type Dot struct {
	Name, Small   string
	Key           string // of the legend
	Quiet         bool
	Struck        bool   // the name is struck out
	Missing       string // why there is no dot
	Ratio, Lo, Hi float64
	Text          string // the ratio in words
	Value, Side   string
	Beyond        bool // it may be more than shown
}

// LineChart shows figures over levels or time: plots side by side, in each a line for each series.
// Each plot has a value axis of its own, from 0, or logarithmic where values span more than
// tenfold.
//
// Note: one axis for all plots was tried. A delay moves figures by more than contestants differ,
// whose lines then fall together.
type LineChart struct {
	ID          string
	Title, Note string
	Unit        string  // "ms"
	Per         float64 // a value in base units divided by it is in Unit
	Way         string  // "more is better"
	Series      []Series
	Plots       []Plot
	Smooth      bool   // so many points that they need no marks
	Struck      []Item // who has no line, and why: shown where the chart stands alone
	Foot        string // what the chart shows: below it where it stands alone, and for those who do not see it
}

// Series is a thing that has a line in each plot.
type Series struct {
	Name, Key string
	Fixed     bool // its line always has a label
}

// Plot is one of a LineChart's.
type Plot struct {
	Title  string
	X      string // what the x axis shows
	Ticks  []Tick
	Points [][]Point // of each series, from left to right
}

// Tick is a mark at a place of the x axis, 0 to 1.
type Tick struct {
	At   float64
	Text string
}

// Point is a figure at a place of the x axis, 0 to 1.
type Point struct {
	At            float64
	Value, Lo, Hi float64
	Open          bool   // Lo and Hi are no interval, only a range
	Beyond        bool   // it may be more than shown
	Absent        bool   // there is none: the line is broken
	Text          string // in words
}
