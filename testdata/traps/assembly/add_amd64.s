#include "textflag.h"

// func add(a, b int) int
TEXT ·add(SB), NOSPLIT, $0-24
	MOVQ a+0(FP), AX
	ADDQ b+8(FP), AX
	MOVQ AX, ret+16(FP)
	RET

// func callBack(n int) int
TEXT ·callBack(SB), $16-16
	MOVQ n+0(FP), AX
	MOVQ AX, 0(SP)
	CALL ·called(SB)
	MOVQ 8(SP), AX
	MOVQ AX, ret+8(FP)
	RET
