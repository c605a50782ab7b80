X=$1; R=$2; shift 2
for k in $(seq $R); do MARKGEN=file=q1.markgen,sample=1:20,seed=$((RANDOM)) $X "$@"; /work/main/bin/markgen report -format json q1.markgen | python3 -c "
import json,sys,struct
d=json.load(sys.stdin)
b=open('q1.markgen','rb').read()[2488:2528]; w,u,o,i,io=struct.unpack('<5Q',b)
o=o or 1;io=io or 1
print([(m['name'][4:],m['count'],round(m.get('count_se') or 0)) for m in d['markers'] if m['count']][-2:], 'open %.1f net %.1f of %.0f'%tuple(d['sampling'][k]/1e6 for k in ('open_ns','net_ns','of_ns')),'of %.0f waited %.3f used %.3f in %.3f'%(o/1e6,w/o,u/o,i/io))"; done
