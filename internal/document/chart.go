package document

// BarChart shows values as bars from 0, each with its interval as a whisker and its value as text.
// Brackets join bars that are not separated. With Ratios, the length of a bar is the ratio to the
// baseline, and readers of a page can choose another baseline.
type BarChart struct {
	ID          string
	Title, Note string
	Unit        string  // of the values
	More        bool    // more is better
	Baseline    string  // the name of the bar that is 1; "" if bars are values
	Ratios      []Ratio // of each bar to each later one, row by row: 0 to 1, 0 to 2, … 1 to 2, …
	Bars        []Bar
	Groups      []Group
	Foot        string // note, shown only where the chart stands alone
}

// Bar is a line of a BarChart.
type Bar struct {
	Name, Small string
	Key         string // of the legend
	Excluded    bool   // it has no figures: its name is faint
	Failed      bool   // it failed: its name is crossed out
	Missing     string // why there is no bar
	Ratio              // what is drawn
	Value, Side string // as text: the value, and its ratio with its interval
	Beyond      bool   // it may be more than shown
}

// Ratio is a figure with its interval, bounds of 0 and infinity where it is open.
type Ratio struct{ At, Lo, Hi float64 }

// Group is a range of neighbours in a BarChart that are not separated, by index from 0, with the
// reason.
type Group struct {
	From, To int
	Why      string
}

// ShiftChart compares expected and measured ratios: each line has a hollow dot, an arrow and a full
// dot with its interval, on one common logarithmic axis.
type ShiftChart struct {
	ID          string
	Title, Note string
	Shifts      []Shift
	Rest        string // text about the lines that are not shown
	RestLink    string // the section that has them
}

// Shift is a line of a ShiftChart. A figure of 0 means that there is none.
type Shift struct {
	Icon, Word string // the outcome
	Style      Style
	Text       string
	Small      string // both figures as text
	From       float64
	To         Ratio
}

// LineChart shows figures over levels or time: plots side by side, each with a line for each
// series. A value axis begins at 0, or is logarithmic if the values span more than a factor of ten.
//
// Note: each plot has its own value axis unless they have one in common: where a delay changes
// figures by more than contestants differ, the lines of a common axis would coincide.
type LineChart struct {
	ID          string
	Title, Note string
	Unit        string  // "ms"
	Per         float64 // a value in base units divided by it is in Unit
	Way         string  // "more is better"
	Series      []Series
	Plots       []Plot
	Axis        Scaling
	Common      bool   // all plots have the same value axis
	Smooth      bool   // there are so many points that they need no marks
	Excluded    []Item // contestants without a line and the reasons, shown where the chart stands alone; Bad: failed
	Foot        string // description of the chart: shown below it where it stands alone, and read by screen readers
}

// Scaling says how the values of an axis are spread.
type Scaling int

// The values of Scaling.
const (
	AutoAxis   Scaling = iota // from 0, but logarithmic if they span more than a factor of ten
	LogAxis                   // logarithmic
	LinearAxis                // from 0 or, where there are such, from below it
)

// Series is a contestant with a line in each plot.
type Series struct {
	Name, Key string
	Fixed     bool // its line always has a label
}

// Plot is one plot of a LineChart.
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
	Open          bool   // Lo and Hi are only a range, not an interval
	Beyond        bool   // it may be more than shown
	Absent        bool   // there is no figure: the line is interrupted
	Text          string // in words
	Beside        []Aside
}

// Aside is a figure from elsewhere at the place of a Point, drawn as a hollow mark.
type Aside struct {
	Value float64
	Text  string // in words
}

// StripChart shows distributions: a line for each subject, with a dot for each of its values. Plots
// with axes of their own stand side by side, on a phone below each other.
type StripChart struct {
	ID          string
	Title, Note string
	Plots       []StripPlot
	Names       []StripName // of the lines
	Foot        string      // what is shown, for screen readers
}

// StripName is the name of a line, and its colour.
type StripName struct{ Name, Key string }

// StripPlot has the values of each line of a StripChart.
type StripPlot struct {
	Title string
	Unit  string
	Per   float64 // a value divided by it is in Unit
	Ratio bool    // values are ratios about 1; else the axis begins at 0, or is logarithmic
	Dots  [][]Dot
}

// Dot is a value, and what it is in words.
type Dot struct {
	At   float64
	Text string
}
