//go:build race

package ucx

const raceBuild = true
