#include "textflag.h"

GLOBL ·faultAt(SB), NOPTR|RODATA, $8
DATA ·faultAt(SB)/8, $fault<>(SB)

// fault is called by C with the peer's word in DI and the status in the lowest byte of DX.
TEXT fault<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVBLSX DX, AX
	MOVL AX, (DI)
	RET
