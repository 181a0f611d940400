package report

import (
	"slices"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// definitions returns all explanations for a page; those of metrics come from the metrics' table.
var definitions = slices.Concat(general, metricWords(), startWords)

func metricWords() (list []document.Definition) {
	for _, m := range judge.Metrics {
		list = append(list, document.Definition{ID: m.Name, Name: m.Title, Text: m.About})
	}
	for _, m := range judge.LoadMetrics {
		if _, listed := judge.MetricNamed(m.Name); !listed {
			list = append(list, document.Definition{ID: m.Name, Name: m.Title, Text: m.About})
		}
	}
	return list
}

var general = []document.Definition{
	{ID: "ratio", Name: "Ratio to the reference",
		Text: "In every round each contestant and the reference are loaded one after the other. Their ratio within " +
			"the round cancels changes of the machine that affect all of them. The figure is a mean " +
			"over the epochs, in which outliers are limited to two spreads: a ratio under the same momentary " +
			"conditions, not a ratio of averages. The reference is a plain net/http server built into dyno."},
	{ID: "classic", Name: "Classic", Text: "One long load after another, each on a freshly started contestant, " +
		"as in published benchmarks, for comparison with these."},
	{ID: "range", Name: "Range", Text: "The lowest and the highest of several loads. It is not a prediction of " +
		"further loads."},
	{ID: "pair", Name: "Compared pair",
		Text: "Two cells, each a contestant at a level, that the run compares. All compared pairs " +
			"together are one family: the chance of any false difference among them is bounded. The ratio is the " +
			"first's figure over the second's, round by round, with the interval of an interim analysis."},
	{ID: "sweep-interval", Name: "Interval of a level",
		Text: "95 % for the median between epochs. With too few epochs, the range of the epochs is shown, " +
			"from the lowest to the highest, and dashed in the chart; it is not an interval."},
	{ID: "interval", Name: "Interval",
		Text: "The range of values that are compatible with the data. For a level it is the 95 % interval between " +
			"epochs; for a ratio it has the level of an interim analysis, so that the intervals of all pairs hold " +
			"together. ∞ means: too few epochs."},
	{ID: "epoch", Name: "Trial, round, epoch",
		Text: "A trial is a short load on one contestant. A round is one trial of every contestant in random order. " +
			"An epoch is some rounds on freshly started processes; the epoch is the unit of inference."},
	{ID: "discarded", Name: "Discarded",
		Text: "A trial in which the generator or the machine stood still, or the hypervisor withheld the CPU in a " +
			"jump, is discarded. This never depends on the results."},
	{ID: "rank", Name: "Rank interval",
		Text: "Rank 2–3 means that the place is between 2 and 3, with a confidence that holds for all places on " +
			"this page together. It counts the contestants that are certainly ahead and certainly behind. If two " +
			"intervals overlap, the data does not order them."},
	{ID: "tier", Name: "Tier",
		Text: "A new tier begins with the first contestant that is certainly worse than the leader of the tier " +
			"above, by more than the margin. Neighbours in different tiers may still not be separated."},
	{ID: "different", Name: "Different",
		Text: "The sign-flip test over epochs, of all pairs together and of all interim analyses, is significant."},
	{ID: "equal", Name: "Equal, negligible, not separated",
		Text: "Equal is shown, not assumed: the interval is within the margin. Negligible is a certain difference " +
			"within the margin. Not separated means that the data shows neither; it does not mean equal."},
	{ID: "aa_check", Name: "A/A check",
		Text: "The reference runs twice, the second time under another name. If the run finds a difference between " +
			"the two, no other difference is reliable."},
	{ID: "bound", Name: "Lower bound",
		Text: "The contestant reached the load generator's limit for this kind of load. It may be faster than " +
			"shown, and is never ranked above another because of that."},
}

// startWords explains the figures about starts.
var startWords = []document.Definition{
	{ID: "first_answer", Name: "First answer",
		Text: "From the start of the process to its first right answer: launch, load of its code and data, " +
			"listening. Median of the starts, one each epoch."},
	{ID: "warm_up", Name: "Warm-up",
		Text: "The time from the first window of load, in turn with the others, to the window in which it reached " +
			"its final speed: 0 for a contestant that is at its final speed at once. Its class is flat, warmed (it " +
			"became faster), slowdown (it was faster before), or no steady state."},
}
