package m

import "strings"

type aTypeWithAVeryLongNameForMethodsWithLongNames struct{ names []string }

func (x *aTypeWithAVeryLongNameForMethodsWithLongNames) aMethodWithALongName() (sum int) {
	//perf:mark aLoopWithAName size=len(x.names)+len(strings.Join(x.names,","))+strings.Index(x.names[0],"name")
	for _, name := range x.names {
		switch {
		case name == "":
			continue
		case strings.HasPrefix(name, "a"):
			sum++
		}
		func() {
			if strings.HasSuffix(name, "z") {
				sum++
			}
		}()
	}
	//perf:begin aRegion
	sum++
	//perf:end aRegion
	//perf:pause
	sum--
	//perf:resume
	return sum
}

func (x *aTypeWithAVeryLongNameForMethodsWithLongNames) empty() bool { return len(x.names) == 0 }
