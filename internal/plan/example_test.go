package plan_test

import (
	"fmt"
	"time"

	"dyno/internal/plan"
)

// A request becomes a plan, or an error that says what to change.
func ExampleNew() {
	world := plan.World{
		Contestant: func(name string) (plan.Contestant, error) {
			return plan.Contestant{Scenarios: []string{"hello"}}, nil
		},
		Scenario: func(string) (plan.Scenario, error) { return plan.Scenario{Title: "Hello"}, nil },
		Answered: func(string, []string) ([]string, bool, bool) { return nil, true, true },
	}
	request := plan.Request{
		Contestants: []string{"gin", "echo"}, Scenario: "hello", Primary: "throughput",
		Connections: []int{64}, Budget: 6 * time.Minute, Seed: 1,
	}
	p, err := plan.New(request, world)
	fmt.Println(p.Title, p.Contestants, p.Controls, p.First().Connections, err)

	request.Protocol = "soak"
	_, err = plan.New(request, world)
	fmt.Println(err)
	// Output:
	// Hello [gin echo] [ref ref'] 64 <nil>
	// --protocol "soak": want one of paired, sweep, classic
}
