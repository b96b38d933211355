//go:build !goshmem_static

#include "go_asm.h"
#include "textflag.h"

GLOBL ·trampolineAt(SB), NOPTR|RODATA, $8
DATA ·trampolineAt(SB)/8, $trampoline<>(SB)

// trampoline calls frame.fn by the System V ABI. The runtime calls it by that ABI too,
// on the thread's own stack: DI is the frame, SP is 8 more than a multiple of 16. The
// assembler adds the saving of BP, so that 208 bytes make SP a multiple of 16 again:
// 192 for the words on the stack, and BX, which C preserves, as we have to.
TEXT trampoline<>(SB), NOSPLIT, $208-0
	MOVQ BX, 200(SP)
	MOVQ DI, BX
	MOVQ frame_nstack(BX), CX

stack:
	SUBQ $1, CX
	JLT  registers
	MOVQ frame_stack(BX)(CX*8), AX
	MOVQ AX, 0(SP)(CX*8)
	JMP  stack

registers:
	MOVQ (frame_regs+0)(BX), DI
	MOVQ (frame_regs+8)(BX), SI
	MOVQ (frame_regs+16)(BX), DX
	MOVQ (frame_regs+24)(BX), CX
	MOVQ (frame_regs+32)(BX), R8
	MOVQ (frame_regs+40)(BX), R9
	MOVQ frame_fn(BX), R11
	XORL AX, AX                // no float arguments, should it be variadic
	CALL R11
	MOVQ AX, frame_result(BX)
	MOVQ DX, frame_second(BX)
	MOVQ 200(SP), BX
	XORL AX, AX
	RET
