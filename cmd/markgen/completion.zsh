#compdef markgen
# Completion of markgen for zsh.
_markgen() {
	local line
	local -a values lines end
	while IFS= read -r line; do
		values+=("${line%%$'\t'*}")
		lines+=("${line/$'\t'/  }")
	done < <("${(Q)words[1]}" completion zsh -- "${(@Q)words[2,CURRENT-1]}" "${words[CURRENT]}" 2>/dev/null)
	if (( ! $#values )); then
		_files
		return
	fi
	[[ $values[1] == *[=:] ]] && end=(-S '')
	compadd -l -d lines "${end[@]}" -a values
}
if [[ $funcstack[1] == _markgen ]]; then
	_markgen "$@"
else
	compdef _markgen markgen
fi
