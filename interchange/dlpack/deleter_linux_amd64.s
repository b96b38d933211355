#include "textflag.h"

GLOBL ·deleterAt(SB), NOPTR|RODATA, $8
DATA ·deleterAt(SB)/8, $deleter<>(SB)

// deleter is called by C with the record in DI, on a thread that Go may not know: it
// must not enter Go. Stores of amd64 are releases. 80 is flagAt.
TEXT deleter<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ $1, AX
	MOVQ AX, 80(DI)
	RET
