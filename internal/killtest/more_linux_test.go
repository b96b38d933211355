package killtest_test

func launchProgram([]string) {}
