#include "textflag.h"

GLOBL ·faultAt(SB), NOPTR|RODATA, $8
DATA ·faultAt(SB)/8, $fault<>(SB)

// fault is called by C with the peer's word in R0 and the status in the lowest byte of R2.
TEXT fault<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVB  R2, R1
	STLRW R1, (R0)
	RET
