package dl

// savedRegisters is a C function that calls a function with an argument, and returns
// the bits in which the registers that it has to keep differ from before.
const savedRegisters = `__asm__(
	".text\n.globl saved\nsaved:\n"
	"	stp x29, x30, [sp, #-176]!\n	stp x19, x20, [sp, #16]\n	stp x21, x22, [sp, #32]\n	stp x23, x24, [sp, #48]\n	stp x25, x26, [sp, #64]\n	stp x27, x28, [sp, #80]\n"
	"	stp d8, d9, [sp, #96]\n	stp d10, d11, [sp, #112]\n	stp d12, d13, [sp, #128]\n	stp d14, d15, [sp, #144]\n	mov x9, x0\n	mov x0, x1\n"
	"	mov x19, #19\n	mov x20, #20\n	mov x21, #21\n	mov x22, #22\n	mov x23, #23\n	mov x24, #24\n"
	"	mov x25, #25\n	mov x26, #26\n	mov x27, #27\n	mov x28, #28\n	mov x29, #29\n	fmov d8, x19\n"
	"	fmov d9, x20\n	fmov d10, x21\n	fmov d11, x22\n	fmov d12, x23\n	fmov d13, x24\n	fmov d14, x25\n"
	"	fmov d15, x26\n	blr x9\n	mov x0, #0\n	fmov x9, d8\n	mov x10, #19\n	eor x9, x9, x10\n"
	"	orr x0, x0, x9\n	fmov x9, d9\n	mov x10, #20\n	eor x9, x9, x10\n	orr x0, x0, x9\n	fmov x9, d10\n"
	"	mov x10, #21\n	eor x9, x9, x10\n	orr x0, x0, x9\n	fmov x9, d11\n	mov x10, #22\n	eor x9, x9, x10\n"
	"	orr x0, x0, x9\n	fmov x9, d12\n	mov x10, #23\n	eor x9, x9, x10\n	orr x0, x0, x9\n	fmov x9, d13\n"
	"	mov x10, #24\n	eor x9, x9, x10\n	orr x0, x0, x9\n	fmov x9, d14\n	mov x10, #25\n	eor x9, x9, x10\n"
	"	orr x0, x0, x9\n	fmov x9, d15\n	mov x10, #26\n	eor x9, x9, x10\n	orr x0, x0, x9\n	mov x10, #19\n"
	"	eor x9, x19, x10\n	orr x0, x0, x9\n	mov x10, #20\n	eor x9, x20, x10\n	orr x0, x0, x9\n	mov x10, #21\n"
	"	eor x9, x21, x10\n	orr x0, x0, x9\n	mov x10, #22\n	eor x9, x22, x10\n	orr x0, x0, x9\n	mov x10, #23\n"
	"	eor x9, x23, x10\n	orr x0, x0, x9\n	mov x10, #24\n	eor x9, x24, x10\n	orr x0, x0, x9\n	mov x10, #25\n"
	"	eor x9, x25, x10\n	orr x0, x0, x9\n	mov x10, #26\n	eor x9, x26, x10\n	orr x0, x0, x9\n	mov x10, #27\n"
	"	eor x9, x27, x10\n	orr x0, x0, x9\n	mov x10, #28\n	eor x9, x28, x10\n	orr x0, x0, x9\n	mov x10, #29\n"
	"	eor x9, x29, x10\n	orr x0, x0, x9\n	ldp d8, d9, [sp, #96]\n	ldp d10, d11, [sp, #112]\n	ldp d12, d13, [sp, #128]\n	ldp d14, d15, [sp, #144]\n"
	"	ldp x19, x20, [sp, #16]\n	ldp x21, x22, [sp, #32]\n	ldp x23, x24, [sp, #48]\n	ldp x25, x26, [sp, #64]\n	ldp x27, x28, [sp, #80]\n	ldp x29, x30, [sp], #176\n"
	"	ret\n");
`
