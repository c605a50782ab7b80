package main

// interpret is so long that its markers are planted with as little code as possible.
func interpret(list []int) (s int) {
	for n, x := range list {
		switch x % 110 {
		case 0:
			if s%2 == 0 {
				s += 0*len(list) + s/3
			} else {
				s ^= n + 0
			}
		case 1:
			if s%3 == 1 {
				s += 1*len(list) + s/3
			} else {
				s ^= n + 1
			}
		case 2:
			if s%4 == 2 {
				s += 2*len(list) + s/3
			} else {
				s ^= n + 2
			}
		case 3:
			if s%5 == 3 {
				s += 3*len(list) + s/3
			} else {
				s ^= n + 3
			}
		case 4:
			if s%6 == 4 {
				s += 4*len(list) + s/3
			} else {
				s ^= n + 4
			}
		case 5:
			if s%7 == 5 {
				s += 5*len(list) + s/3
			} else {
				s ^= n + 5
			}
		case 6:
			if s%8 == 6 {
				s += 6*len(list) + s/3
			} else {
				s ^= n + 6
			}
		case 7:
			if s%9 == 7 {
				s += 7*len(list) + s/3
			} else {
				s ^= n + 7
			}
		case 8:
			if s%10 == 8 {
				s += 8*len(list) + s/3
			} else {
				s ^= n + 8
			}
		case 9:
			if s%11 == 9 {
				s += 9*len(list) + s/3
			} else {
				s ^= n + 9
			}
		case 10:
			if s%12 == 10 {
				s += 10*len(list) + s/3
			} else {
				s ^= n + 10
			}
		case 11:
			if s%13 == 11 {
				s += 11*len(list) + s/3
			} else {
				s ^= n + 11
			}
		case 12:
			if s%14 == 12 {
				s += 12*len(list) + s/3
			} else {
				s ^= n + 12
			}
		case 13:
			if s%15 == 13 {
				s += 13*len(list) + s/3
			} else {
				s ^= n + 13
			}
		case 14:
			if s%16 == 14 {
				s += 14*len(list) + s/3
			} else {
				s ^= n + 14
			}
		case 15:
			if s%17 == 15 {
				s += 15*len(list) + s/3
			} else {
				s ^= n + 15
			}
		case 16:
			if s%18 == 16 {
				s += 16*len(list) + s/3
			} else {
				s ^= n + 16
			}
		case 17:
			if s%19 == 17 {
				s += 17*len(list) + s/3
			} else {
				s ^= n + 17
			}
		case 18:
			if s%20 == 18 {
				s += 18*len(list) + s/3
			} else {
				s ^= n + 18
			}
		case 19:
			if s%21 == 19 {
				s += 19*len(list) + s/3
			} else {
				s ^= n + 19
			}
		case 20:
			if s%22 == 20 {
				s += 20*len(list) + s/3
			} else {
				s ^= n + 20
			}
		case 21:
			if s%23 == 21 {
				s += 21*len(list) + s/3
			} else {
				s ^= n + 21
			}
		case 22:
			if s%24 == 22 {
				s += 22*len(list) + s/3
			} else {
				s ^= n + 22
			}
		case 23:
			if s%25 == 23 {
				s += 23*len(list) + s/3
			} else {
				s ^= n + 23
			}
		case 24:
			if s%26 == 24 {
				s += 24*len(list) + s/3
			} else {
				s ^= n + 24
			}
		case 25:
			if s%27 == 25 {
				s += 25*len(list) + s/3
			} else {
				s ^= n + 25
			}
		case 26:
			if s%28 == 26 {
				s += 26*len(list) + s/3
			} else {
				s ^= n + 26
			}
		case 27:
			if s%29 == 27 {
				s += 27*len(list) + s/3
			} else {
				s ^= n + 27
			}
		case 28:
			if s%30 == 28 {
				s += 28*len(list) + s/3
			} else {
				s ^= n + 28
			}
		case 29:
			if s%31 == 29 {
				s += 29*len(list) + s/3
			} else {
				s ^= n + 29
			}
		case 30:
			if s%32 == 30 {
				s += 30*len(list) + s/3
			} else {
				s ^= n + 30
			}
		case 31:
			if s%33 == 31 {
				s += 31*len(list) + s/3
			} else {
				s ^= n + 31
			}
		case 32:
			if s%34 == 32 {
				s += 32*len(list) + s/3
			} else {
				s ^= n + 32
			}
		case 33:
			if s%35 == 33 {
				s += 33*len(list) + s/3
			} else {
				s ^= n + 33
			}
		case 34:
			if s%36 == 34 {
				s += 34*len(list) + s/3
			} else {
				s ^= n + 34
			}
		case 35:
			if s%37 == 35 {
				s += 35*len(list) + s/3
			} else {
				s ^= n + 35
			}
		case 36:
			if s%38 == 36 {
				s += 36*len(list) + s/3
			} else {
				s ^= n + 36
			}
		case 37:
			if s%39 == 37 {
				s += 37*len(list) + s/3
			} else {
				s ^= n + 37
			}
		case 38:
			if s%40 == 38 {
				s += 38*len(list) + s/3
			} else {
				s ^= n + 38
			}
		case 39:
			if s%41 == 39 {
				s += 39*len(list) + s/3
			} else {
				s ^= n + 39
			}
		case 40:
			if s%42 == 40 {
				s += 40*len(list) + s/3
			} else {
				s ^= n + 40
			}
		case 41:
			if s%43 == 41 {
				s += 41*len(list) + s/3
			} else {
				s ^= n + 41
			}
		case 42:
			if s%44 == 42 {
				s += 42*len(list) + s/3
			} else {
				s ^= n + 42
			}
		case 43:
			if s%45 == 43 {
				s += 43*len(list) + s/3
			} else {
				s ^= n + 43
			}
		case 44:
			if s%46 == 44 {
				s += 44*len(list) + s/3
			} else {
				s ^= n + 44
			}
		case 45:
			if s%47 == 45 {
				s += 45*len(list) + s/3
			} else {
				s ^= n + 45
			}
		case 46:
			if s%48 == 46 {
				s += 46*len(list) + s/3
			} else {
				s ^= n + 46
			}
		case 47:
			if s%49 == 47 {
				s += 47*len(list) + s/3
			} else {
				s ^= n + 47
			}
		case 48:
			if s%50 == 48 {
				s += 48*len(list) + s/3
			} else {
				s ^= n + 48
			}
		case 49:
			if s%51 == 49 {
				s += 49*len(list) + s/3
			} else {
				s ^= n + 49
			}
		case 50:
			if s%52 == 50 {
				s += 50*len(list) + s/3
			} else {
				s ^= n + 50
			}
		case 51:
			if s%53 == 51 {
				s += 51*len(list) + s/3
			} else {
				s ^= n + 51
			}
		case 52:
			if s%54 == 52 {
				s += 52*len(list) + s/3
			} else {
				s ^= n + 52
			}
		case 53:
			if s%55 == 53 {
				s += 53*len(list) + s/3
			} else {
				s ^= n + 53
			}
		case 54:
			if s%56 == 54 {
				s += 54*len(list) + s/3
			} else {
				s ^= n + 54
			}
		case 55:
			if s%57 == 55 {
				s += 55*len(list) + s/3
			} else {
				s ^= n + 55
			}
		case 56:
			if s%58 == 56 {
				s += 56*len(list) + s/3
			} else {
				s ^= n + 56
			}
		case 57:
			if s%59 == 57 {
				s += 57*len(list) + s/3
			} else {
				s ^= n + 57
			}
		case 58:
			if s%60 == 58 {
				s += 58*len(list) + s/3
			} else {
				s ^= n + 58
			}
		case 59:
			if s%61 == 59 {
				s += 59*len(list) + s/3
			} else {
				s ^= n + 59
			}
		case 60:
			if s%62 == 60 {
				s += 60*len(list) + s/3
			} else {
				s ^= n + 60
			}
		case 61:
			if s%63 == 61 {
				s += 61*len(list) + s/3
			} else {
				s ^= n + 61
			}
		case 62:
			if s%64 == 62 {
				s += 62*len(list) + s/3
			} else {
				s ^= n + 62
			}
		case 63:
			if s%65 == 63 {
				s += 63*len(list) + s/3
			} else {
				s ^= n + 63
			}
		case 64:
			if s%66 == 64 {
				s += 64*len(list) + s/3
			} else {
				s ^= n + 64
			}
		case 65:
			if s%67 == 65 {
				s += 65*len(list) + s/3
			} else {
				s ^= n + 65
			}
		case 66:
			if s%68 == 66 {
				s += 66*len(list) + s/3
			} else {
				s ^= n + 66
			}
		case 67:
			if s%69 == 67 {
				s += 67*len(list) + s/3
			} else {
				s ^= n + 67
			}
		case 68:
			if s%70 == 68 {
				s += 68*len(list) + s/3
			} else {
				s ^= n + 68
			}
		case 69:
			if s%71 == 69 {
				s += 69*len(list) + s/3
			} else {
				s ^= n + 69
			}
		case 70:
			if s%72 == 70 {
				s += 70*len(list) + s/3
			} else {
				s ^= n + 70
			}
		case 71:
			if s%73 == 71 {
				s += 71*len(list) + s/3
			} else {
				s ^= n + 71
			}
		case 72:
			if s%74 == 72 {
				s += 72*len(list) + s/3
			} else {
				s ^= n + 72
			}
		case 73:
			if s%75 == 73 {
				s += 73*len(list) + s/3
			} else {
				s ^= n + 73
			}
		case 74:
			if s%76 == 74 {
				s += 74*len(list) + s/3
			} else {
				s ^= n + 74
			}
		case 75:
			if s%77 == 75 {
				s += 75*len(list) + s/3
			} else {
				s ^= n + 75
			}
		case 76:
			if s%78 == 76 {
				s += 76*len(list) + s/3
			} else {
				s ^= n + 76
			}
		case 77:
			if s%79 == 77 {
				s += 77*len(list) + s/3
			} else {
				s ^= n + 77
			}
		case 78:
			if s%80 == 78 {
				s += 78*len(list) + s/3
			} else {
				s ^= n + 78
			}
		case 79:
			if s%81 == 79 {
				s += 79*len(list) + s/3
			} else {
				s ^= n + 79
			}
		case 80:
			if s%82 == 80 {
				s += 80*len(list) + s/3
			} else {
				s ^= n + 80
			}
		case 81:
			if s%83 == 81 {
				s += 81*len(list) + s/3
			} else {
				s ^= n + 81
			}
		case 82:
			if s%84 == 82 {
				s += 82*len(list) + s/3
			} else {
				s ^= n + 82
			}
		case 83:
			if s%85 == 83 {
				s += 83*len(list) + s/3
			} else {
				s ^= n + 83
			}
		case 84:
			if s%86 == 84 {
				s += 84*len(list) + s/3
			} else {
				s ^= n + 84
			}
		case 85:
			if s%87 == 85 {
				s += 85*len(list) + s/3
			} else {
				s ^= n + 85
			}
		case 86:
			if s%88 == 86 {
				s += 86*len(list) + s/3
			} else {
				s ^= n + 86
			}
		case 87:
			if s%89 == 87 {
				s += 87*len(list) + s/3
			} else {
				s ^= n + 87
			}
		case 88:
			if s%90 == 88 {
				s += 88*len(list) + s/3
			} else {
				s ^= n + 88
			}
		case 89:
			if s%91 == 89 {
				s += 89*len(list) + s/3
			} else {
				s ^= n + 89
			}
		case 90:
			if s%92 == 90 {
				s += 90*len(list) + s/3
			} else {
				s ^= n + 90
			}
		case 91:
			if s%93 == 91 {
				s += 91*len(list) + s/3
			} else {
				s ^= n + 91
			}
		case 92:
			if s%94 == 92 {
				s += 92*len(list) + s/3
			} else {
				s ^= n + 92
			}
		case 93:
			if s%95 == 93 {
				s += 93*len(list) + s/3
			} else {
				s ^= n + 93
			}
		case 94:
			if s%96 == 94 {
				s += 94*len(list) + s/3
			} else {
				s ^= n + 94
			}
		case 95:
			if s%97 == 95 {
				s += 95*len(list) + s/3
			} else {
				s ^= n + 95
			}
		case 96:
			if s%98 == 96 {
				s += 96*len(list) + s/3
			} else {
				s ^= n + 96
			}
		case 97:
			if s%99 == 97 {
				s += 97*len(list) + s/3
			} else {
				s ^= n + 97
			}
		case 98:
			if s%100 == 98 {
				s += 98*len(list) + s/3
			} else {
				s ^= n + 98
			}
		case 99:
			if s%101 == 99 {
				s += 99*len(list) + s/3
			} else {
				s ^= n + 99
			}
		case 100:
			if s%102 == 100 {
				s += 100*len(list) + s/3
			} else {
				s ^= n + 100
			}
		case 101:
			if s%103 == 101 {
				s += 101*len(list) + s/3
			} else {
				s ^= n + 101
			}
		case 102:
			if s%104 == 102 {
				s += 102*len(list) + s/3
			} else {
				s ^= n + 102
			}
		case 103:
			if s%105 == 103 {
				s += 103*len(list) + s/3
			} else {
				s ^= n + 103
			}
		case 104:
			if s%106 == 104 {
				s += 104*len(list) + s/3
			} else {
				s ^= n + 104
			}
		case 105:
			if s%107 == 105 {
				s += 105*len(list) + s/3
			} else {
				s ^= n + 105
			}
		case 106:
			if s%108 == 106 {
				s += 106*len(list) + s/3
			} else {
				s ^= n + 106
			}
		case 107:
			if s%109 == 107 {
				s += 107*len(list) + s/3
			} else {
				s ^= n + 107
			}
		case 108:
			if s%110 == 108 {
				s += 108*len(list) + s/3
			} else {
				s ^= n + 108
			}
		case 109:
			if s%111 == 109 {
				s += 109*len(list) + s/3
			} else {
				s ^= n + 109
			}
		}
	}
	return s
}
