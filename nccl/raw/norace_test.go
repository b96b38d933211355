//go:build !race && linux && (amd64 || arm64)

package raw

const raceBuild = false
