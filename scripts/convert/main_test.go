package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"dyno/internal/record"
)

const recordOfFormat1 = `{"plan":{"format":1,"protocol":"duel","level":{"connections":1,"pipeline":1},"companion":"records","driver":"wrk","looks":[8,12],"side_epochs":3,"seed":18446744073709551615}}
{"calibration":{"format":1,"noise":{"rounds":[{"causes":{"foreign_server_ns":5,"foreign_generator_ns":6}}]}}}
{"contestant":{"name":"ref'","title":"reference, blinded copy","control":true}}
{"contestant":{"name":"records","title":"looks","companion":true}}
{"trial":{"contestant":"a","driver":"wrk","told":{"version":"wrk \"told\": 4","errors":{"read":1}},"companion":{"cpu_ns":7},"causes":{"foreign_server_ns":1,"foreign_generator_ns":2}}}
{"end":{"reason":"looks","valid_epochs":12}}
`

const recordOfFormat2 = `{"plan":{"format":2,"protocol":"paired","level":{"connections":1,"pipeline":1},"backend":"records","external":["wrk"],"interim_analyses":[8,12],"extra_epochs":3,"seed":18446744073709551615}}
` + afterPlan

const recordOfFormat3 = `{"plan":{"format":3,"levels":[{"connections":1,"pipeline":1}],"backend":"records","external":["wrk"],"processes":"epoch","epochs":[8,12],"extra_epochs":[3],"seed":18446744073709551615}}
` + afterPlan

const afterPlan = `{"calibration":{"format":3,"noise":{"rounds":[{"causes":{"background_server_ns":5,"background_generator_ns":6}}]}}}
{"contestant":{"name":"ref'","title":"reference, copy","control":true}}
{"contestant":{"name":"records","title":"looks","backend":true}}
{"trial":{"contestant":"a","external":"wrk","reported":{"version":"wrk \"told\": 4","errors":{"read":1}},"backend":{"cpu_ns":7},"causes":{"background_server_ns":1,"background_generator_ns":2}}}
{"end":{"reason":"last analysis","valid_epochs":12}}
`

// Records in formats 1 to 3 are written in format 3.
func TestConvert(t *testing.T) {
	want, err := record.Read(strings.NewReader(recordOfFormat3), "new")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"1": recordOfFormat1, "2": recordOfFormat2,
		"one tool": strings.Replace(recordOfFormat2, `"external":["wrk"]`, `"external":"wrk"`, 1), "3": recordOfFormat3} {
		var b strings.Builder
		if err := convert(strings.NewReader(text), &b); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := record.Read(strings.NewReader(b.String()), name)
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, &b)
			continue
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(record.End{}, "Records", "SHA256")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for text, want := range map[string]string{"": "line 1: no plan", `{"plan":{"format":4}}`: "this dyno reads format 3",
		strings.Replace(recordOfFormat1, `"foreign_generator_ns":6`, `"foreign_generator_ns":x`, 1): "line 2: "} {
		if err := convert(strings.NewReader(text), new(strings.Builder)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v; want %s", text, err, want)
		}
	}
}

func TestConvertValidation(t *testing.T) {
	var b strings.Builder
	err := convertValidation(strings.NewReader(`{"looks":[8],"x":{"verdict":"tie"}}`+"\n"), &b)
	if want := `{"interim_analyses":[8],"x":{"verdict":"equivalent"}}` + "\n"; err != nil || b.String() != want {
		t.Errorf("%s, %v", &b, err)
	}
}
