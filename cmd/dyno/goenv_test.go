package main

import (
	"os/exec"
	"strings"
)

// goEnv is a variable as the go command sees it.
func goEnv(name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
