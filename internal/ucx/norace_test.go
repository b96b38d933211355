//go:build !race

package ucx

const raceBuild = false
