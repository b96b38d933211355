//go:build !race && linux && (amd64 || arm64)

package nccl

const raceBuild = false
