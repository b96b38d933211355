#include "textflag.h"

GLOBL ·deleterAt(SB), NOPTR|RODATA, $8
DATA ·deleterAt(SB)/8, $deleter<>(SB)

// deleter is called by C with the record in R0, on a thread that Go may not know: it
// must not enter Go. STLR is a store with release. 80 is flagAt.
TEXT deleter<>(SB), NOSPLIT|NOFRAME, $0-0
	ADD  $80, R0
	MOVD $1, R1
	STLR R1, (R0)
	RET
