# Completion of markgen for bash.
_markgen() {
	local line
	COMPREPLY=()
	while IFS= read -r line; do
		COMPREPLY+=("${line%%$'\t'*}")
	done < <("$1" completion bash -- "${COMP_LINE:0:COMP_POINT}" "${COMP_WORDS[COMP_CWORD]}" 2>/dev/null)
	if [[ ${#COMPREPLY[@]} -gt 0 && ${COMPREPLY[0]} == *[=:] ]] && type compopt >/dev/null 2>&1; then
		compopt -o nospace
	fi
}
complete -o default -F _markgen markgen
