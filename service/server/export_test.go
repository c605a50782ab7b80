package server

// Routes are the routes of a server: METHOD PATH.
func Routes() (list []string) {
	for _, r := range new(Server).routes() {
		list = append(list, r.method+" "+r.path)
	}
	return list
}

// Problems are the words of all problems, with their statuses and titles.
func Problems() map[string][2]any {
	m := map[string][2]any{}
	for _, k := range kinds {
		m[k.word] = [2]any{k.status, k.title}
	}
	return m
}
