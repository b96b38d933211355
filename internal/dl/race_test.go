//go:build race && linux && (amd64 || arm64)

package dl

const raceBuild = true
