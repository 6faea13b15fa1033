#include "textflag.h"

// The way in of an extdir-hook that was linked with -E main.entry, see ahead.go.
//
// The kernel starts a program with its arguments at SP and no thread pointer. The
// compiler's wrapper round a Go function loads the goroutine from below FS, so FS
// is pointed at a block of zeros first; the Go runtime, if it is started after
// all, points it elsewhere.
TEXT main·entry(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	MOVQ SP, BX
	MOVQ $158, AX // arch_prctl(ARCH_SET_FS, thread+64)
	MOVQ $0x1002, DI
	LEAQ main·thread+64(SB), SI
	SYSCALL
	MOVQ BX, SP
	ANDQ $~15, SP
	SUBQ $32, SP
	MOVQ BX, 24(SP) // the argument below may be overwritten
	MOVQ BX, 0(SP)
	CALL main·ahead(SB)
	MOVQ 8(SP), AX
	TESTQ AX, AX
	JNE slow
	MOVQ $231, AX // exit_group(0)
	XORL DI, DI
	SYSCALL
slow:
	MOVQ 24(SP), SP
	JMP _rt0_amd64_linux(SB)

// func sys(number, a, b, c, d, e uintptr) uintptr
TEXT main·sys(SB),NOSPLIT,$0-56
	MOVQ number+0(FP), AX
	MOVQ a+8(FP), DI
	MOVQ b+16(FP), SI
	MOVQ c+24(FP), DX
	MOVQ d+32(FP), R10
	MOVQ e+40(FP), R8
	XORL R9, R9
	SYSCALL
	MOVQ AX, ret+48(FP)
	RET
