//go:build !purego

#include "textflag.h"

// Inner loops of transforms for processors with AVX2. vectors_amd64.go says what each one computes; in Go they are beside it.

// func filterAVX2(out, x, weights *float32, eights, taps, step int)
TEXT ·filterAVX2(SB), NOSPLIT, $0-48
	MOVQ out+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ weights+16(FP), DX
	MOVQ eights+24(FP), CX
	MOVQ taps+32(FP), R8
	MOVQ step+40(FP), R9
	SHLQ $2, R9

four: // 32 positions at a time
	CMPQ CX, $4
	JLT  one
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	MOVQ   SI, R10
	MOVQ   DX, R11
	MOVQ   R8, R12

tapOfFour:
	VBROADCASTSS (R11), Y4
	VMULPS (R10), Y4, Y5
	VADDPS Y5, Y0, Y0
	VMULPS 32(R10), Y4, Y6
	VADDPS Y6, Y1, Y1
	VMULPS 64(R10), Y4, Y7
	VADDPS Y7, Y2, Y2
	VMULPS 96(R10), Y4, Y8
	VADDPS Y8, Y3, Y3
	ADDQ   R9, R10
	ADDQ   $4, R11
	DECQ   R12
	JNZ    tapOfFour
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	ADDQ   $128, SI
	ADDQ   $128, DI
	SUBQ   $4, CX
	JMP    four

one:
	TESTQ  CX, CX
	JZ     done
	VXORPS Y0, Y0, Y0
	MOVQ   SI, R10
	MOVQ   DX, R11
	MOVQ   R8, R12

tapOfOne:
	VBROADCASTSS (R11), Y4
	VMULPS (R10), Y4, Y5
	VADDPS Y5, Y0, Y0
	ADDQ   R9, R10
	ADDQ   $4, R11
	DECQ   R12
	JNZ    tapOfOne
	VMOVUPS Y0, (DI)
	ADDQ   $32, SI
	ADDQ   $32, DI
	DECQ   CX
	JMP    one

done:
	VZEROUPPER
	RET

// Eight lanes of ones and eight of zeros: from lane 8-n on, the first n lanes are ones.
DATA lanes<>+0(SB)/8, $0xffffffffffffffff
DATA lanes<>+8(SB)/8, $0xffffffffffffffff
DATA lanes<>+16(SB)/8, $0xffffffffffffffff
DATA lanes<>+24(SB)/8, $0xffffffffffffffff
DATA lanes<>+32(SB)/8, $0
DATA lanes<>+40(SB)/8, $0
DATA lanes<>+48(SB)/8, $0
DATA lanes<>+56(SB)/8, $0
GLOBL lanes<>(SB), RODATA|NOPTR, $64

// func countAboveAVX2(values *float32, n int, thresholds *[4]float32, counts *[4]int32)
TEXT ·countAboveAVX2(SB), NOSPLIT, $0-32
	MOVQ values+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ thresholds+16(FP), DX
	MOVQ counts+24(FP), DI
	VBROADCASTSS (DX), Y0
	VBROADCASTSS 4(DX), Y1
	VBROADCASTSS 8(DX), Y2
	VBROADCASTSS 12(DX), Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	MOVQ  CX, R8
	SHRQ  $3, R8
	JZ    rest

eight: // a comparison that is true is -1 in its lane
	VMOVUPS (SI), Y8
	VCMPPS $0x1e, Y0, Y8, Y9
	VPSUBD Y9, Y4, Y4
	VCMPPS $0x1e, Y1, Y8, Y10
	VPSUBD Y10, Y5, Y5
	VCMPPS $0x1e, Y2, Y8, Y11
	VPSUBD Y11, Y6, Y6
	VCMPPS $0x1e, Y3, Y8, Y12
	VPSUBD Y12, Y7, Y7
	ADDQ   $32, SI
	DECQ   R8
	JNZ    eight

rest:
	ANDQ $7, CX
	JZ   sum
	LEAQ lanes<>+32(SB), R9
	SHLQ $2, CX
	SUBQ CX, R9
	VMOVDQU (R9), Y13
	VMASKMOVPS (SI), Y13, Y8
	VCMPPS $0x1e, Y0, Y8, Y9
	VPAND  Y13, Y9, Y9
	VPSUBD Y9, Y4, Y4
	VCMPPS $0x1e, Y1, Y8, Y10
	VPAND  Y13, Y10, Y10
	VPSUBD Y10, Y5, Y5
	VCMPPS $0x1e, Y2, Y8, Y11
	VPAND  Y13, Y11, Y11
	VPSUBD Y11, Y6, Y6
	VCMPPS $0x1e, Y3, Y8, Y12
	VPAND  Y13, Y12, Y12
	VPSUBD Y12, Y7, Y7

sum:
	VPHADDD Y5, Y4, Y8
	VPHADDD Y7, Y6, Y9
	VPHADDD Y9, Y8, Y8
	VEXTRACTI128 $1, Y8, X9
	VPADDD  X9, X8, X8
	VMOVDQU X8, (DI)
	VZEROUPPER
	RET

// func nearestAVX2(products, squares, scale *float32, eights int, limits *[2]float32, found *nearestLanes)
TEXT ·nearestAVX2(SB), NOSPLIT, $0-48
	MOVQ products+0(FP), SI
	MOVQ squares+8(FP), DX
	MOVQ scale+16(FP), R8
	MOVQ eights+24(FP), CX
	MOVQ limits+32(FP), R9
	MOVQ found+40(FP), DI
	VBROADCASTSS (R9), Y0
	VBROADCASTSS 4(R9), Y1
	VMOVUPS (DI), Y2
	VMOVDQU 32(DI), Y3
	VMOVDQU 64(DI), Y4
	VMOVDQU 96(DI), Y5
	VPCMPEQD Y6, Y6, Y6
	VPSRLD $31, Y6, Y6
	VPSLLD $3, Y6, Y6

next:
	VMOVUPS (SI), Y7
	VADDPS  Y7, Y7, Y7
	VMULPS  (R8), Y7, Y7
	VADDPS  (DX), Y0, Y8
	VSUBPS  Y7, Y8, Y8
	VCMPPS  $0x11, Y1, Y8, Y9
	VPSUBD  Y9, Y4, Y4
	VCMPPS  $0x11, Y2, Y8, Y9
	VBLENDVPS Y9, Y8, Y2, Y2
	VBLENDVPS Y9, Y5, Y3, Y3
	VPADDD  Y6, Y5, Y5
	ADDQ    $32, SI
	ADDQ    $32, DX
	ADDQ    $32, R8
	DECQ    CX
	JNZ     next
	VMOVUPS Y2, (DI)
	VMOVDQU Y3, 32(DI)
	VMOVDQU Y4, 64(DI)
	VZEROUPPER
	RET

// The order of a response with the kernel in its lowest bits, of which Y0 keeps the greatest and Y1 the least.
#define ORDER(response, kernel) \
	VMOVDQU (response)(R13*1), Y2; \
	VPSRAD  $31, Y2, Y3; \
	VPAND   Y4, Y3, Y3; \
	VPXOR   Y3, Y2, Y2; \
	VPAND   Y5, Y2, Y2; \
	VPOR    (32*kernel)(R12), Y2, Y2; \
	VPMAXSD Y2, Y0, Y0; \
	VPMINSD Y2, Y1, Y1

// The response of a kernel where it wins, and one where it loses.
#define COUNT(response, kernel, losses) \
	VPCMPEQD (32*kernel)(R12), Y0, Y2; \
	VANDPS   (response)(R13*1), Y2, Y2; \
	VADDPS   (32*kernel)(R11), Y2, Y2; \
	VMOVUPS  Y2, (32*kernel)(R11); \
	VPCMPEQD (32*kernel)(R12), Y1, Y3; \
	VPSUBD   Y3, losses, losses

// func competeAVX2(responses *[8]*float32, eights int, kernels *[8][8]int32, soft *[8][8]float32, hard *[8][8]int32)
TEXT ·competeAVX2(SB), NOSPLIT, $0-40
	MOVQ responses+0(FP), R13
	MOVQ eights+8(FP), CX
	MOVQ kernels+16(FP), R12
	MOVQ soft+24(FP), R11
	MOVQ (R13), AX
	MOVQ 8(R13), BX
	MOVQ 16(R13), DX
	MOVQ 24(R13), SI
	MOVQ 32(R13), DI
	MOVQ 40(R13), R8
	MOVQ 48(R13), R9
	MOVQ 56(R13), R10
	XORQ R13, R13
	VPCMPEQD Y4, Y4, Y4
	VPSLLD $3, Y4, Y5
	VPSRLD $29, Y4, Y6
	VPSRLD $1, Y4, Y4
	VPXOR Y8, Y8, Y8
	VPXOR Y9, Y9, Y9
	VPXOR Y10, Y10, Y10
	VPXOR Y11, Y11, Y11
	VPXOR Y12, Y12, Y12
	VPXOR Y13, Y13, Y13
	VPXOR Y14, Y14, Y14
	VPXOR Y15, Y15, Y15

positions:
	VMOVDQU (32*8)(R12), Y0
	VMOVDQU (32*9)(R12), Y1
	ORDER(AX, 0)
	ORDER(BX, 1)
	ORDER(DX, 2)
	ORDER(SI, 3)
	ORDER(DI, 4)
	ORDER(R8, 5)
	ORDER(R9, 6)
	ORDER(R10, 7)
	VPAND Y6, Y0, Y0
	VPAND Y6, Y1, Y1
	COUNT(AX, 0, Y8)
	COUNT(BX, 1, Y9)
	COUNT(DX, 2, Y10)
	COUNT(SI, 3, Y11)
	COUNT(DI, 4, Y12)
	COUNT(R8, 5, Y13)
	COUNT(R9, 6, Y14)
	COUNT(R10, 7, Y15)
	ADDQ $32, R13
	DECQ CX
	JNZ  positions
	MOVQ hard+32(FP), DI
	VMOVDQU Y8, (DI)
	VMOVDQU Y9, 32(DI)
	VMOVDQU Y10, 64(DI)
	VMOVDQU Y11, 96(DI)
	VMOVDQU Y12, 128(DI)
	VMOVDQU Y13, 160(DI)
	VMOVDQU Y14, 192(DI)
	VMOVDQU Y15, 224(DI)
	VZEROUPPER
	RET
