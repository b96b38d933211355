// Package lint holds the house rules as tests: which package may import which,
// how long files and functions may be, what must be documented, and what must not
// be in the tree at all. It is nothing but tests: `go test ./internal/lint`.
//
// Every rule is a function from files to violations, and every rule is tried on a
// sample that breaks it: a rule that cannot fail would be worth nothing. What may
// break a rule stands in exceptions_test.go, with the reason; an exception that
// nothing needs any more is itself a violation.
package lint
