package m

func none() { println() }
