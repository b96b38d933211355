//go:build race && linux && (amd64 || arm64)

package vendor

const raceBuild = true
