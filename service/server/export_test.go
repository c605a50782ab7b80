package server

// Routes returns the routes of a server, each METHOD PATH.
func Routes() (list []string) {
	for _, r := range new(Server).routes() {
		list = append(list, r.method+" "+r.path)
	}
	return list
}

// Problems returns status and title of each kind of problem, by its word.
func Problems() map[string][2]any {
	m := map[string][2]any{}
	for _, k := range kinds {
		m[k.word] = [2]any{k.status, k.title}
	}
	return m
}
