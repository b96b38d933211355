//go:build !goshmem_static

#include "go_asm.h"
#include "textflag.h"

GLOBL ·trampolineAt(SB), NOPTR|RODATA, $8
DATA ·trampolineAt(SB)/8, $trampoline<>(SB)

// trampoline calls frame.fn by AAPCS64. The runtime calls it by that ABI too, on the
// thread's own stack: R0 is the frame, RSP a multiple of 16. C expects the words on the
// stack right at RSP, where the assembler's own prologue has the return address, so it
// is written by hand: a frame record as C has it, R19, which we have to preserve, and
// 192 bytes for the words.
TEXT trampoline<>(SB), NOSPLIT|NOFRAME, $0-0
	STP.W (R29, R30), -32(RSP)
	MOVD  R19, 16(RSP)
	MOVD  RSP, R29
	MOVD  R0, R19
	SUB   $192, RSP
	MOVD  frame_nstack(R19), R9
	ADD   $frame_stack, R19, R10
	MOVD  RSP, R11

stack:
	CBZ    R9, registers
	MOVD.P 8(R10), R12
	MOVD.P R12, 8(R11)
	SUB    $1, R9
	B      stack

registers:
	MOVD (frame_regs+0)(R19), R0
	MOVD (frame_regs+8)(R19), R1
	MOVD (frame_regs+16)(R19), R2
	MOVD (frame_regs+24)(R19), R3
	MOVD (frame_regs+32)(R19), R4
	MOVD (frame_regs+40)(R19), R5
	MOVD (frame_regs+48)(R19), R6
	MOVD (frame_regs+56)(R19), R7
	MOVD frame_fn(R19), R9
	CALL (R9)
	MOVD R0, frame_result(R19)
	MOVD R1, frame_second(R19)
	ADD   $192, RSP
	MOVD  16(RSP), R19
	LDP.P 32(RSP), (R29, R30)
	MOVD  $0, R0
	RET
