package document

// BarChart shows things as bars from 0, each with its interval as a whisker and its value beside it.
// Brackets join those that are not separated. Where Ratios are given, a bar is as long as the ratio
// to the baseline, and readers of a page can choose another baseline.
type BarChart struct {
	ID          string
	Title, Note string
	Unit        string  // of the values
	More        bool    // more is better
	Baseline    string  // the name of the bar that is 1; "" where bars are values
	Ratios      []Ratio // of each bar to each later one, row by row: 0 to 1, 0 to 2, … 1 to 2, …
	Bars        []Bar
	Groups      []Group
	Foot        string // what is to be known where the chart stands alone
}

// Bar is a line of a BarChart.
type Bar struct {
	Name, Small string
	Key         string // of the legend
	Struck      bool   // the name is crossed out
	Missing     string // why there is no bar
	Ratio              // what is drawn
	Value, Side string // in words: the value, and its ratio with its interval
	Beyond      bool   // it may be more than shown
}

// Ratio is a figure with its interval, bounds of 0 and infinity where it is open.
type Ratio struct{ At, Lo, Hi float64 }

// Group are neighbours in a BarChart that are not separated, by their places from 0, and why.
type Group struct {
	From, To int
	Why      string
}

// ShiftChart shows what was expected and what was found: for each line a hollow dot, an arrow and a
// full dot with its interval, on one logarithmic axis of ratios for all.
type ShiftChart struct {
	ID          string
	Title, Note string
	Shifts      []Shift
	Rest        string // what is said of those that are not shown
	RestLink    string // the section that has them
}

// Shift is a line of a ShiftChart. A figure of 0 is none.
type Shift struct {
	Icon, Word string // the outcome
	Style      Style
	Text       string
	Small      string // both figures in words
	From       float64
	To         Ratio
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
