# SPDX-License-Identifier: GPL-2.0-or-later
# A page with what its commands print now. Commands are lines after "$ " (continued
# after "> ") in blocks of ```console; what follows is what they print. -v script=FILE:
# a file to use. -v kind=live: blocks of ```live; -v before=COMMAND: run before each.
function run(   line, shell) {
	if (command == "")
		return
	print command >script
	close(script)
	shell = before " sh " script " 2>&1 </dev/null"
	while ((shell | getline line) > 0) {
		sub(/, [0-9:-]+ old\.$/, ", 00:00:09 old.", line) # depends on today
		print line
	}
	if (close(shell))
		print "(exit status not 0)"
	command = ""
}
/^```/ { run(); inside = $0 == "```" (kind ? kind : "console"); print; next }
!inside { print; next }
/^\$ / { run(); command = substr($0, 3); print; next }
/^> / && command != "" { command = command "\n" substr($0, 3); print; next }
