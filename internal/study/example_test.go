package study_test

import (
	"fmt"

	"dyno/internal/judge"
	"dyno/internal/study"
)

// twice is evidence from a run in which the first of two cells does 1.9 to 2.1 times as much as the
// second.
type twice struct{ study.Evidence }

func (twice) Missing(study.Cell, string) (study.Verdict, string) { return "", "" }
func (twice) Moves(study.Cell, string) string                    { return "" }
func (twice) Warnings(study.Cell, string) []study.Warning        { return nil }
func (twice) Margin() float64                                    { return 0.03 }
func (twice) Compare(a, b study.Cell, metric string) study.Comparison {
	return study.Comparison{Ratio: judge.Estimate{Value: 2, Lo: 1.9, Hi: 2.1, N: 12}}
}

// The direction of a published lead and its factor are judged apart.
func ExampleJudge() {
	lead := study.Claim{Kind: study.Ratio, Metric: "throughput", A: "iris", B: "mvc", Within: study.DefaultWithin}
	for _, published := range []float64{2.2, 2.6, 0.9} {
		lead.Value = published
		o := study.Judge([]study.Claim{lead}, twice{})[0]
		fmt.Printf("%v ×: %s: %s\n", published, o.Verdict, o.Reason)
	}
	// Output:
	// 2.2 ×: confirmed: the interval is within 1.76–2.75
	// 2.6 ×: same direction: the interval is partly outside 2.08–3.25
	// 0.9 ×: contradicted: reversed
}
