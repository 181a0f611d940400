package main

import (
	"regexp"
	"testing"
	"testing/fstest"
)

// TestInitText: the file that dyno init writes can be read, as it is and with each key that a
// comment shows, and each key is a flag that takes the value.
func TestInitText(t *testing.T) {
	examples := regexp.MustCompile(`(?m)^# ([a-z-]+) = .*$`).FindAllStringSubmatch(initText, -1)
	if len(examples) < 10 {
		t.Fatalf("%d keys in comments", len(examples))
	}
	for _, e := range append(examples, []string{"# ", ""}) {
		text := initText
		if key := e[1]; key != "" { // in place of what is set
			text = regexp.MustCompile(`(?m)^`+key+` = .*$`).ReplaceAllString(text, "")
		}
		text += e[0][2:] + "\n"
		c, err := readCompareFile(fstest.MapFS{compareFileName: {Data: []byte(text)}}, compareCommand().Flags())
		if err != nil {
			t.Errorf("%s: %v", e[0], err)
			continue
		}
		if err := c.set(compareCommand()); err != nil {
			t.Errorf("%s: %v", e[0], err)
		}
		if len(c.values["sides"]) != 2 || c.values["budget"] == nil {
			t.Errorf("%s: %+v", e[0], c)
		}
	}
	service := regexp.MustCompile(`(?m)^# (\[\[service\]\]|  .*)$`).ReplaceAllString(initText, "$1")
	c, err := readCompareFile(fstest.MapFS{compareFileName: {Data: []byte(service)}}, compareCommand().Flags())
	if err != nil || len(c.services) != 1 || !c.services[0].Known() || c.services[0].Seed != "seed.sql" {
		t.Errorf("a service: %+v, %v", c, err)
	}
}
