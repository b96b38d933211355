//go:build race

package dl

const raceBuild = true
