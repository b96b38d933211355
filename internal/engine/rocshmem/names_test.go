package rocshmem

import "github.com/goshmem/goshmem/internal/abi/rocshmem"

// symbolOf is the name of a function: the first symbol is the number of the table.
func symbolOf(f rocshmem.Function) string { return rocshmem.Symbols()[1+f].Name }
