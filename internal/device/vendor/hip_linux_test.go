package vendor

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/skip"
)

// childVar is set in the process that opens AMD's own library: the library may end a
// process that it does not like, and a mock's functions are not to be found by it.
const childVar = "VENDOR_TEST_CHILD"

// TestAMDsOwnLibrary opens the library that the machine has: all functions of the table
// are in it, and without a device it says so.
func TestAMDsOwnLibrary(t *testing.T) {
	if os.Getenv(childVar) != "" {
		openReal()
		return
	}
	command := exec.Command(os.Args[0], "-test.run=^TestAMDsOwnLibrary$")
	command.Env = append(os.Environ(), childVar+"=1")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := string(out)
	if strings.Contains(text, "not installed") {
		skip.Now(t, skip.NoVendor, "no libamdhip64: Debian's package is libamdhip64-5")
	}
	t.Log(strings.TrimSpace(text))
	for _, want := range []string{"version ", "lacks []", "result "} {
		if !strings.Contains(text, want) {
			t.Errorf("the child does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "result other") {
		t.Errorf("the child says:\n%s", text)
	}
}

// openReal prints what came out.
func openReal() {
	lib, report, err := dl.Open(abi.HIP())
	if errors.Is(err, dl.ErrNotFound) {
		fmt.Println("not installed")
		return
	}
	if err != nil {
		fmt.Println("result other:", err)
		return
	}
	fmt.Println("version", lib.Version(), "lacks", lacking(report))
	d, err := OpenHIP()
	var e *device.Error
	switch {
	case err == nil:
		fmt.Println("result devices:", d.Count())
	case errors.Is(err, device.ErrNoDevice) && errors.As(err, &e) && e.Code == 100 && e.Name == "hipErrorNoDevice":
		fmt.Println("result none:", err)
	default:
		fmt.Println("result other:", err)
	}
}

// lacking leaves out what only later versions have: the other name of that function is there.
func lacking(report *dl.Report) []string {
	list := []string{}
	for _, name := range report.Absent {
		if name != "hipGetDevicePropertiesR0600" {
			list = append(list, name)
		}
	}
	return list
}
