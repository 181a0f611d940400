package document

// BarChart shows values as bars from 0, each with its interval as a whisker and its value as text.
type BarChart struct {
	ID          string
	Title, Note string
	Unit        string // unit of the values
	More        bool   // more is better
	Beside      string // heads the texts at the right end; "": there are none
	Bars        []Bar
	Foot        string // note, shown only where the chart stands alone
}

// Bar is one row in a BarChart.
type Bar struct {
	Name, Small string
	Key         string  // colour key in the legend
	Excluded    bool    // it has no figures: its name is faint
	Failed      bool    // it failed: its name is crossed out
	Missing     string  // why there is no bar
	At, Lo, Hi  float64 // the value and its interval; all are equal if it has none
	Value, Side string  // the value as text, and the text at the right end
	Beyond      bool    // the true value may be larger
}

// LineChart shows figures over levels or time: plots side by side, each with one line per series.
// Unless Linear is set, a value axis begins at 0, or is logarithmic if the values span more
// than a factor of ten.
//
// Note: plots have separate value axes unless Common is set: if a delay changes figures by more
// than contestants differ, the lines would coincide on a common axis.
type LineChart struct {
	ID          string
	Title, Note string
	Unit        string  // for example "ms"
	Per         float64 // size of Unit in base units
	Way         string  // "more is better"
	Series      []Series
	Plots       []Plot
	Linear      bool   // the value axis is never logarithmic, and begins at the lowest negative value
	Common      bool   // all plots have the same value axis
	Excluded    []Item // contestants without a line and the reasons, shown where the chart stands alone; Bad: failed
	Foot        string // description of the chart: shown below it where it stands alone, and read by screen readers
}

// Series is a contestant with a line in each plot.
type Series struct{ Name, Key string }

// Plot is one plot in a LineChart.
type Plot struct {
	Title  string
	Ticks  []Tick
	Points [][]Point // for each series, from left to right
}

// Tick is a mark at a position on the x axis, 0 to 1.
type Tick struct {
	At   float64
	Text string
}

// Point is a figure at a position on the x axis, 0 to 1.
type Point struct {
	At            float64
	Value, Lo, Hi float64
	Open          bool   // Lo and Hi are only a range, not an interval
	Beyond        bool   // the true value may be larger
	Absent        bool   // there is no figure: the line is interrupted
	Text          string // the figure in words
}
