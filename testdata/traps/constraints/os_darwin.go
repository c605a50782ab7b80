package main

func platform() string {
	for {
		return "darwin"
	}
}
