#!/bin/sh
# SPDX-License-Identifier: MIT
# Records a real job of many processes, the parallel build of a small C program, and says where the record is.
set -eu
unset MAKEFLAGS MFLAGS MAKELEVEL # the job is a make of its own

assay=$(realpath "${1:?usage: demo.sh PROGRAM}")
dir=$(mktemp -d "${TMPDIR:-/tmp}/assay-demo.XXXXXX")
job=$dir/job
mkdir "$job"

# A dozen sources with some hundred small functions each, so that a compiler has something to do.
files=12
objects=
calls=
for i in $(seq "$files"); do
	awk -v i="$i" 'BEGIN {
		print "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>"
		for (k = 0; k < 300; k++)
			printf "static double f%d(double x)\n{\n\tfor (int j = 0; j < %d; j++)\n\t\tx = sqrt(x * x + %d.5) + j;\n\treturn x;\n}\n", k, k + 3, k
		printf "double part%d(double x)\n{\n", i
		for (k = 0; k < 300; k++)
			printf "\tx += f%d(x);\n", k
		print "\treturn x;\n}"
	}' >"$job/part$i.c"
	objects="$objects part$i.o"
	calls="$calls + part$i(1.0)"
done
{
	for i in $(seq "$files"); do
		echo "double part$i(double x);"
	done
	echo "int main(void) { return 0.0 $calls > 0.0 ? 0 : 1; }"
} >"$job/main.c"
cat >"$job/Makefile" <<END
CFLAGS = -O2
demo: main.o$objects
	\$(CC) -o \$@ \$^ -lm
END

exec 2>&1
cd "$job"
echo "In $job:"
echo "assay run -p ../run/ -- make -s -j2"
echo
"$assay" run -p ../run/ -- make -s -j2
echo
echo "The record is in $dir/run/:"
ls -l ../run
echo "info.json says what the run was and used, usage.jsonl how it went; man 5 assay-run explains every field."
