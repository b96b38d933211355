package fault

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestParse: what is read is written in full, and reads the same again.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"kill pe=2 op=put n=17":                     "kill pe=2 op=put n=17",
		"n=17,op=put,pe=2,kill":                     "kill pe=2 op=put n=17",
		"  stop\tpe=0  op=reducescatter ":           "stop pe=0 op=reducescatter n=1",
		"delay pe=1 op=any by=1.5s":                 "delay pe=1 op=any n=1 by=1.5s",
		"fail pe=3 op=any n=1000000":                "fail pe=3 op=any n=1000000",
		"slow link=3-0 by=2ms":                      "slow link=3-0 by=2ms",
		"exhaust pe=0":                              "exhaust pe=0 n=1",
		"lose node=1 op=barrier n=3":                "lose node=1 op=barrier n=3",
		"kill pe=0 op=get; slow link=0-1 by=1ms":    "kill pe=0 op=get n=1; slow link=0-1 by=1ms",
		"seed=7 kill pe=1 op=put n=3":               "kill pe=1 op=put n=3",
		"kill,seed=7,pe=1,op=put,n=3;exhaust pe=1 ": "kill pe=1 op=put n=3; exhaust pe=1 n=1",
	} {
		if got := written(t, text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
		if again := written(t, want); again != want {
			t.Errorf("%q reads as %q", want, again)
		}
	}
}

func written(t *testing.T, text string) string {
	t.Helper()
	faults, err := Parse(text)
	if err == nil {
		faults, err = Settle(faults, 8, 2)
	}
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	var parts []string
	for _, f := range faults {
		parts = append(parts, f.String())
	}
	return strings.Join(parts, "; ")
}

// TestRefused: a text that is no fault is refused, with what is wrong with it.
func TestRefused(t *testing.T) {
	const all = "delay, stop, kill, fail, slow, exhaust, lose"
	for text, want := range map[string]string{
		"":                                    `in "": there is no fault: begin with one of ` + all,
		"kill pe=1 op=put;":                   `in "": there is no fault`,
		"maim pe=1":                           `in "maim pe=1": "maim" is neither a fault (` + all + `) nor key=value`,
		"pe=1 op=put":                         "no fault is named: use one of " + all,
		"kill stop pe=1":                      "both kill and stop: put a ; between two faults",
		"kill pe=1 pe=2 op=put":               "pe stands there twice",
		"kill pe=one op=put":                  "pe=one: not a number from 0 on",
		"kill pe=-1 op=put":                   "pe=-1: not a number from 0 on",
		"kill pe=1 op=put n=0":                "n=0: not a number from 1 on",
		"kill pe=1 op=push":                   "op=push: no such operation: there are put get signal",
		"kill pe=1":                           "kill needs op=, or seed= to draw it",
		"kill op=put":                         "kill needs pe=, or seed= to draw it",
		"delay pe=1 op=put":                   "delay needs by=, or seed= to draw it",
		"delay pe=1 op=put by=soon":           "by=soon: not a duration such as 20ms, up to 10m0s",
		"delay pe=1 op=put by=-1s":            "by=-1s: not a duration",
		"delay pe=1 op=put by=1h":             "by=1h: not a duration",
		"kill pe=1 op=put by=1s":              "kill has no by: it takes pe, op, n",
		"slow link=1 by=1ms":                  "link=1: not a link between two PEs, such as 0-3",
		"slow link=1-1 by=1ms":                "link=1-1: not a link",
		"slow link=1-x by=1ms":                "link=1-x: not a link",
		"exhaust pe=1 op=alloc":               "exhaust has no op: it takes pe, n",
		"lose pe=1 op=put":                    "lose has no pe: it takes node, op, n",
		"fail pe=1 op=fence":                  "a fence returns no error: it cannot fail",
		"kill seed=x":                         "seed=x: a seed is a number from 0 on",
		"kill pe=1 op=put upto=9":             "upto is the range of an n that a seed draws",
		"kill seed=1 n=3 upto=9":              "upto is the range of an n that a seed draws",
		"kill pe=1 op=put where=x":            "where=x: no such key: there are pe, op, n, by, link, node, seed and upto",
		"kill pe=1 op=put; fail pe=1 op=push": `in "fail pe=1 op=push": op=push`,
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestDoesNotFit: what a world does not have is refused.
func TestDoesNotFit(t *testing.T) {
	for text, want := range map[string]string{
		"kill pe=4 op=put":               `in "kill pe=4 op=put": there is no PE 4: the world has 4`,
		"slow link=0-4 by=1ms":           "there is no PE 4",
		"exhaust pe=9":                   "there is no PE 9",
		"lose node=2 op=get":             "there is no virtual node 2: there are 2 (GOSHMEM_NODE_SIZE)",
		"lose,seed=1,node=5":             "there is no virtual node 5",
		"slow seed=1":                    "",
		"lose node=1 op=get":             "",
		"kill,seed=1,op=put;kill,seed=2": "",
	} {
		faults, err := Parse(text)
		if err == nil {
			_, err = Settle(faults, 4, 2)
		}
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	faults, err := Parse("slow seed=1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Settle(faults, 1, 0); err == nil {
		t.Error("a world of one PE has a slow link")
	}
}

// TestDraw: the same seed draws the same, each key by itself, and all PEs come up.
func TestDraw(t *testing.T) {
	pes := map[string]bool{}
	for seed := range 100 {
		text := fmt.Sprintf("seed=%d kill", seed)
		drawn := written(t, text)
		if again := written(t, text); again != drawn {
			t.Errorf("%s is %q and %q", text, drawn, again)
		}
		words := strings.Fields(drawn)
		if with := strings.Fields(written(t, text+" op=put")); with[1] != words[1] || with[3] != words[3] || with[2] != "op=put" {
			t.Errorf("%q with op=put is %q", drawn, with)
		}
		if n := strings.Fields(written(t, text+" upto=1"))[3]; n != "n=1" {
			t.Errorf("up to 1 it draws %s", n)
		}
		pes[words[1]] = true
	}
	if len(pes) != 8 {
		t.Errorf("100 seeds draw only %d of 8 PEs", len(pes))
	}
	for _, text := range []string{"seed=3 slow", "seed=3 lose", "seed=3 exhaust", "seed=3 delay", "seed=3 stop", "seed=3 fail"} {
		if again := written(t, written(t, text)); again != written(t, text) {
			t.Errorf("%s reads as %q", text, again)
		}
	}
}

// TestDocumented: every verb, key and operation is in the documentation.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.FieldsFunc(string(text), func(r rune) bool { return !('a' <= r && r <= 'z') })
	want := append(verbs(), "seed", "upto")
	for _, v := range verbs() {
		want = append(want, keysOf(Verb(v))...)
	}
	for _, op := range Ops() {
		want = append(want, string(op))
	}
	for _, word := range want {
		if !slices.Contains(words, word) {
			t.Errorf("%s is not documented", word)
		}
	}
}

// FuzzParse: no text does harm, and what is accepted reads the same again.
func FuzzParse(f *testing.F) {
	f.Add("kill pe=2 op=put n=17; slow link=0-1 by=1ms")
	f.Add("seed=7,lose")
	f.Fuzz(func(t *testing.T, text string) {
		faults, err := Parse(text)
		if err != nil {
			return
		}
		if faults, err = Settle(faults, 4, 2); err != nil {
			return
		}
		for _, one := range faults {
			again, err := Parse(one.String())
			if err != nil || len(again) != 1 || again[0].String() != one.String() {
				t.Errorf("%q is %q, which reads as %v, %v", text, one, again, err)
			}
		}
	})
}
