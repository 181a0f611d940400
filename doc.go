// Package dyno holds nothing but the test of its floors; the program is in cmd/dyno, the design in doc/design.md.
package dyno
