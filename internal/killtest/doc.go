// Package killtest has only tests: PEs that die, leave early, stop, never come or
// come for something else, and what the other PEs then see. No wait may outlast
// such an event, and nothing may be left behind.
//
// The processes of these tests are the test binary itself under the name of a
// program (see programs) instead of a flag.
package killtest
