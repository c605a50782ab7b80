# Completion of markgen for fish.
function __markgen_complete
	set -l words (commandline -opc)
	set -l current (commandline -ct)
	set -l program $words[1]
	set -e words[1]
	set -l values ($program completion fish -- $words "$current" 2>/dev/null)
	if test (count $values) -gt 0
		printf '%s\n' $values
	else
		__fish_complete_path $current
	end
end
complete -c markgen -f -a '(__markgen_complete)'
