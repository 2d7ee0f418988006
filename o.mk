all:
	@/tmp/b-lead/assay run -q -p /tmp/T/mk/m- --clobber -- sh holds.sh
