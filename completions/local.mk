# Completion for bash; the file's name is the command's.
dist_bashcompletion_DATA += %D%/toolhost %D%/toolhostd
