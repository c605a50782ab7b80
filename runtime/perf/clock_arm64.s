//go:build !markgen_off

#include "textflag.h"

// func ticks() uint64
TEXT ·ticks(SB), NOSPLIT, $0-8
	MRS  CNTVCT_EL0, R0
	MOVD R0, ret+0(FP)
	RET

// func ticksAndG() (t uint64, gp uintptr)
TEXT ·ticksAndG(SB), NOSPLIT, $0-16
	MRS  CNTVCT_EL0, R0
	MOVD R0, t+0(FP)
	MOVD g, gp+8(FP)
	RET

// func getg() uintptr
TEXT ·getg(SB), NOSPLIT, $0-8
	MOVD g, ret+0(FP)
	RET
