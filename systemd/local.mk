# For systemd: the units, the user it runs as, the folders it needs.
systemdunitdir = $(prefix)/lib/systemd/system
systemdunit_DATA = %D%/toolhostd.service
dist_systemdunit_DATA = %D%/toolhostd.socket
sysusersdir = $(prefix)/lib/sysusers.d
dist_sysusers_DATA = %D%/sysusers.d/toolhost.conf
tmpfilesdir = $(prefix)/lib/tmpfiles.d
dist_tmpfiles_DATA = %D%/tmpfiles.d/toolhost.conf

EXTRA_DIST += %D%/toolhostd.service.in
CLEANFILES += %D%/toolhostd.service
