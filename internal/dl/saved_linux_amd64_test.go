package dl

// savedRegisters is a C function that calls a function with an argument, and returns
// the bits in which the registers that it has to keep differ from before.
const savedRegisters = `__asm__(
	".text\n.globl saved\nsaved:\n"
	"	push %rbx\n	push %rbp\n	push %r12\n	push %r13\n	push %r14\n	push %r15\n	sub $8, %rsp\n"
	"	mov %rdi, %rax\n	mov %rsi, %rdi\n"
	"	mov $0x11, %rbx\n	mov $0x22, %rbp\n	mov $0x33, %r12\n	mov $0x44, %r13\n	mov $0x55, %r14\n	mov $0x66, %r15\n"
	"	call *%rax\n"
	"	xor $0x11, %rbx\n	xor $0x22, %rbp\n	xor $0x33, %r12\n	xor $0x44, %r13\n	xor $0x55, %r14\n	xor $0x66, %r15\n"
	"	mov %rbx, %rax\n	or %rbp, %rax\n	or %r12, %rax\n	or %r13, %rax\n	or %r14, %rax\n	or %r15, %rax\n"
	"	add $8, %rsp\n	pop %r15\n	pop %r14\n	pop %r13\n	pop %r12\n	pop %rbp\n	pop %rbx\n	ret\n");
`
