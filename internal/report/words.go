package report

import (
	"slices"

	"dyno/internal/analysis"
)

// word is an entry of the page's explanations; its ID is what the tables' heads link to.
type word struct{ ID, Name, Text string }

// words are all explanations, those of the metrics from their table.
var words = slices.Concat(generalWords, metricWords(), startWords)

func metricWords() (list []word) {
	for _, m := range analysis.Metrics {
		list = append(list, word{m.Name, m.Title, m.About})
	}
	for _, m := range analysis.Classic {
		if _, listed := analysis.MetricNamed(m.Name); !listed {
			list = append(list, word{m.Name, m.Title, m.About})
		}
	}
	return list
}

// namesOf are the names of metrics, to which their words are keyed.
func namesOf(metrics []analysis.Metric) (names []string) {
	for _, m := range metrics {
		names = append(names, m.Name)
	}
	return names
}

var generalWords = []word{
	{"ratio", "Ratio to the yardstick",
		"In every round each contestant and the yardstick are loaded one after the other. Their ratio within the round cancels " +
			"what the machine did to all of them. The figure is the Hodges–Lehmann estimate over the epochs: a ratio under the same " +
			"momentary conditions, not a ratio of averages. The yardstick is a plain net/http server that dyno brings along."},
	{"interval", "Interval",
		"The range that the data leaves open. For a level it is 95 % between epochs; for a ratio it has the level of a look, so " +
			"that it holds for all looks together. ∞ means: too few epochs."},
	{"epoch", "Trial, round, epoch",
		"A trial is a short load on one contestant. A round is one trial of every contestant in random order. An epoch is some " +
			"rounds on freshly started processes; epochs are what is counted."},
	{"void", "Void",
		"A round in which others used the CPUs, the hypervisor withheld them, or the generator or the machine stood still, is thrown " +
			"away for all contestants and repeated. The results themselves are never looked at for this."},
	{"rank", "Rank interval",
		"Rank 2–3 says: the place is somewhere from 2 to 3, as surely as all other places on this page together. It counts who is " +
			"surely ahead and who is surely behind. Where two intervals overlap, the data does not order them."},
	{"tier", "Tier",
		"A new tier begins with the first contestant that is surely worse than the leader of the tier above, by more than the " +
			"margin. Neighbours across a border may still be undecided against each other. Within a tier the order is alphabetical."},
	{"different", "Different",
		"The signed-rank test over epochs, corrected for the number of pairs (Holm) and of looks, leaves no room for chance."},
	{"tie", "Tie, negligible, undecided",
		"A tie is shown, not assumed: the interval lies within the margin. Negligible is a sure difference within the margin. " +
			"Undecided means that the data says neither; it is never a tie."},
	{"canary", "A/A check",
		"The yardstick runs twice, the second time under another name. If the run finds a difference between the two, it would " +
			"find one anywhere."},
	{"bound", "Lower bound",
		"The contestant reached what the load generator can do for this shape of load. It may be faster than shown, and is never " +
			"ranked above another for it."},
}

// startWords explain what is known of the starts.
var startWords = []word{
	{"first_answer", "First answer",
		"From the start of the process to its first right answer: launch, load of its code and data, listening. Median of the starts, one each epoch."},
	{"warm_up", "Warm-up",
		"Loaded by turns with the others, from the first window of load to the one with which the level began that it stayed at: 0 is a contestant that " +
			"is at its speed at once. Its class is flat, warmed (it became faster), slowdown (it was faster before), or no steady state."},
	{"memory_per_connection", "Memory per connection",
		"What one more idle connection takes, after it has carried a request: the slope of PSS over the numbers of connections held (Theil–Sen), median of the epochs."},
}
