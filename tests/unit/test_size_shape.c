/* SPDX-License-Identifier: MIT */
/* Proves which commands have one shape and which do not, with command lines as they are in use. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "size/size_shape.h"
#include "size/size_word.h"

#define WORDS_MAX 64

/* argv is writable by its type; nobody writes to it. */
static char *writable(const char *literal)
{
	char *ret;

	memcpy(&ret, &literal, sizeof(ret));
	return ret;
}

/* Words are separated by blanks; 'a b' is one word, '' an empty one. */
static char *shape(const char *line)
{
	char *copy = strdup(line);
	char *argv[WORDS_MAX];
	size_t argc = 0;
	char *at = copy;
	char *ret;

	/* A line of more words would be another one, and its shape not what is expected. */
	while (*at && argc < WORDS_MAX) {
		char end = *at == '\'' ? '\'' : ' ';

		at += end == '\'';
		argv[argc++] = at;
		at += strcspn(at, end == ' ' ? " " : "'");
		if (*at)
			*at++ = '\0';
		at += end == '\'' && *at == ' ';
	}
	ret = size_shape_of(argv, argc);
	free(copy);
	return ret;
}

static void check(const char *line, const char *expected)
{
	AUTO_FREE char *got = shape(line);

	if (strcmp(got, expected) != 0)
		print_error("%s\n  is %s\n not %s\n", line, got, expected);
	assert_string_equal(got, expected);
}

static bool is_same(const char *a, const char *b)
{
	AUTO_FREE char *x = shape(a);
	AUTO_FREE char *y = shape(b);

	return strcmp(x, y) == 0;
}

static void tools_keep_their_subcommands_and_lose_their_inputs(void **state)
{
	(void) state;
	check("bwa mem -t 8 ref.fa a_1.fq.gz a_2.fq.gz", "bwa mem -t * *.fa *.fq.gz...");
	assert_true(is_same("bwa mem -t 8 ref.fa a_1.fq.gz a_2.fq.gz",
		"/opt/bwa/bwa mem -t 16 /db/ref.fa b_1.fq.gz /x/b_2.fq.gz"));
	check("samtools sort -@ 4 -m 2G -o out.bam in.bam",
		"samtools sort -@ * -m * -o *.bam *.bam");
	assert_false(is_same("samtools sort x.bam", "samtools index x.bam"));
	check("bowtie2 -x hg38 -1 a.fq -2 b.fq -S out.sam",
		"bowtie2 -x * -1 *.fq -2 *.fq -S *.sam");
	check("plink2 --bfile data/all --chr 1-22 --maf 0.01 --out res/run1",
		"plink2 --bfile * --chr * --maf * --out *");
	check("gcc -O2 -Wall -I/usr/include/x -DN=5 -std=c11 -o prog main.c util.c",
		"gcc -O* -Wall -I* -DN=* -std=* -o prog *.c...");
	check("tar -xvf data.tar.gz -C /scratch/x", "tar -xvf *.tar.gz -C *");
	check("gzip -9 a.txt", "gzip -9 *.txt");
	check("make -j8 all", "make -j* all");
	check("make -j 8 all CC=clang V=1", "make -j * all CC=* V=*");
	check("gmx mdrun -deffnm md_0_1 -ntomp 8", "gmx mdrun -deffnm * -ntomp *");
	check("lmp -in in.lj -var x 10 -var y 20", "lmp -in *.lj -var x * -var y *");
	check("dd if=/dev/zero of=/tmp/x bs=1M count=100", "dd if=* of=* bs=* count=*");
	check("ffmpeg -i in.mp4 -vf scale=640:480 out.MP4", "ffmpeg -i *.mp4 -vf scale=* *.mp4");
	check("find . -name '*.c' -exec wc {} ;", "find * -name *.c -exec wc '{}' ';'");
	check("sleep 5", "sleep *");
	check("stress -m 1 --vm-bytes 1G --timeout 10s", "stress -m * --vm-bytes * --timeout *");
}

static void values_and_names_are_told_apart(void **state)
{
	static const struct {
		const char *word, *expected;
		enum size_word_kind kind;
	} words[] = {
		{ "5", "*", SIZE_WORD_VALUE },
		{ "-0.5", "*", SIZE_WORD_VALUE },
		{ "1e-3", "*", SIZE_WORD_VALUE },
		{ "10G", "*", SIZE_WORD_VALUE },
		{ "1.5GiB", "*", SIZE_WORD_VALUE },
		{ "5%", "*", SIZE_WORD_VALUE },
		{ "1-22", "*", SIZE_WORD_VALUE },
		{ "1,2,3", "*", SIZE_WORD_VALUE },
		{ "01:30:00", "*", SIZE_WORD_VALUE },
		{ "chr1:100-200", "*", SIZE_WORD_VALUE },
		{ "", "*", SIZE_WORD_VALUE },
		{ ".", "*", SIZE_WORD_VALUE },
		{ "..", "*", SIZE_WORD_VALUE },
		{ "a b", "*", SIZE_WORD_VALUE },
		{ "/data/x/", "*", SIZE_WORD_VALUE },
		{ "/data/v1.bam/x", "*", SIZE_WORD_VALUE },
		{ "/data/x.BAM", "*.bam", SIZE_WORD_VALUE },
		{ "x.csv.gz", "*.csv.gz", SIZE_WORD_VALUE },
		{ "x.1.gz", "*.gz", SIZE_WORD_VALUE },
		{ "1.vcf.gz", "*.vcf.gz", SIZE_WORD_VALUE },
		{ "1-22.vcf", "*.vcf", SIZE_WORD_VALUE },
		{ "core.1234", "*", SIZE_WORD_VALUE },
		{ "x.chr21", "*", SIZE_WORD_VALUE },
		{ "x.h5", "*.h5", SIZE_WORD_VALUE },
		{ "x.extension", "*", SIZE_WORD_VALUE },
		{ "x.b\xc3\xa4m", "*", SIZE_WORD_VALUE },
		{ "gr\xc3\xb6\xc3\x9f"
		  "e.bam",
			"*.bam", SIZE_WORD_VALUE },
		{ "\xff\x01", "*", SIZE_WORD_VALUE },
		{ ".bashrc", "*", SIZE_WORD_VALUE },
		{ "x.gz", "*.gz", SIZE_WORD_VALUE },
		{ ".gz", "*", SIZE_WORD_VALUE },
		{ "KEY=VALUE", "KEY=*", SIZE_WORD_VALUE },
		{ "+trainer.lr=0.1", "+trainer.lr=*", SIZE_WORD_VALUE },
		{ "=x", "*", SIZE_WORD_VALUE },
		{ "--lr=0.1", "--lr=*", SIZE_WORD_VALUE },
		{ "--model=", "--model=*", SIZE_WORD_VALUE },
		{ "-j8", "-j*", SIZE_WORD_VALUE },
		{ "-Xmx4g", "-Xmx*", SIZE_WORD_VALUE },
		{ "-I/usr/include", "-I*", SIZE_WORD_VALUE },
		{ "-12", "*", SIZE_WORD_VALUE },
		{ "--a/b", "*", SIZE_WORD_VALUE },
		{ "-xvf", "*", SIZE_WORD_OPTION },
		{ "-1", "*", SIZE_WORD_OPTION },
		{ "--adam-beta1", "*", SIZE_WORD_OPTION },
		{ "sort", "*", SIZE_WORD_NAME },
		{ "commit-graph", "*", SIZE_WORD_NAME },
		{ "--", "*", SIZE_WORD_SIGN },
		{ "-", "*", SIZE_WORD_SIGN },
		{ ":::", "*", SIZE_WORD_SIGN },
		{ "{}", "*", SIZE_WORD_SIGN },
	};

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		char value[SIZE_WORD_SIZE];
		enum size_word_kind kind =
			size_word_look(words[i].word, strlen(words[i].word), value);

		if (kind != words[i].kind || strcmp(value, words[i].expected) != 0)
			print_error("\"%s\": %d %s\n", words[i].word, (int) kind, value);
		assert_int_equal(kind, words[i].kind);
		assert_string_equal(value, words[i].expected);
	}
}

static void a_plain_word_behind_an_option_is_a_mode(void **state)
{
	(void) state;
	check("python3 train.py --lr 0.1 --model resnet", "python3 train.py --lr * --model resnet");
	assert_false(is_same("python3 train.py --lr 0.1 --model resnet",
		"python3 train.py --lr 0.1 --model vit"));
	assert_true(is_same("python3 train.py --lr 0.1 --model vit",
		"python3 /home/me/train.py --lr 3e-4 --model vit"));
	assert_false(is_same("python3 train.py --lr 0.1", "python3 eval.py --lr 0.1"));
	assert_false(is_same("tool --mode fast x.bam", "tool --mode exact x.bam"));
}

static void many_values_are_one_with_dots_and_one_is_not_many(void **state)
{
	(void) state;
	check("cat a.txt", "cat *.txt");
	check("cat a.txt b.txt", "cat *.txt...");
	check("cat a.txt b.txt c.txt", "cat *.txt...");
	assert_false(is_same("cat a.txt", "cat a.txt b.txt"));
	check("cat a.txt b.bam c.txt", "cat *.txt *.bam *.txt");
	check("gatk CombineGVCFs -V a.vcf -V b.vcf -V c.vcf -O x.vcf",
		"gatk CombineGVCFs -V *.vcf... -O *.vcf");
	check("gatk X -V a.vcf -L b.vcf", "gatk X -V *.vcf -L *.vcf");
	check("x --in=a --in=b --in=c --out=d", "x --in=*... --out=*");
	check("picard MergeSamFiles I=a.bam I=b.bam O=c.bam", "picard MergeSamFiles I=*... O=*");
	/* one output, and one input or several */
	check("samtools merge -o all.bam a.bam", "samtools merge -o *.bam *.bam");
	check("samtools merge -o all.bam a.bam b.bam", "samtools merge -o *.bam *.bam...");
	check("x -I a.bam -I b.bam c.bam", "x -I *.bam... *.bam");
	check("x -v", "x -v");
	check("x -v -v", "x -v -v");
	check("x 1 2 -v 3 4 sub 5 6", "x *... -v * * sub *...");
}

static void interpreters_keep_their_script_module_or_code(void **state)
{
	(void) state;
	check("/usr/bin/python3.11 -u ./a/step2.py 5", "python3.11 -u step2.py *");
	check("python3 -W ignore -X dev run.py", "python3 -W * -X * run.py");
	check("python3 -m torch.distributed.run --nnodes 2 train.py",
		"python3 -m torch.distributed.run --nnodes * *.py");
	check("python3 -c 'x = bytearray(100)' 5", "python3 -c 'x = bytearray(*)' *");
	assert_true(is_same("python3 -c 'x = bytearray(1e-3)'", "python3 -c 'x = bytearray(200)'"));
	assert_false(is_same("python3 -c 'x = bytearray(100)'", "python3 -c 'y = bytearray(100)'"));
	check("bash run_2.sh a.bam", "bash run_2.sh *.bam");
	check("bash -euo pipefail -c 'sort x12.txt' name", "bash -euo * -c 'sort x*.txt' name");
	check("bash -lc 'echo hi'", "bash -lc 'echo hi'");
	assert_false(is_same("bash -c 'echo hi'", "bash -c echo hi"));
	check("sh -c 'exit 3'", "sh -c 'exit *'");
	check("Rscript --vanilla fit.R 5 x.rds", "Rscript --vanilla fit.R * *.rds");
	check("Rscript -e 'x <- 1' -e 'y <- 2' 7", "Rscript -e 'x <- *' -e 'y <- *' *");
	check("R --no-save -f a/fit.R", "R --no-save -f fit.R");
	check("perl -lane 'print 5' a.txt", "perl -lane 'print *' *.txt");
	check("perl -I/lib/x -MList::Util s.pl", "perl -I* -M* s.pl");
	check("julia -t 8 --project=. sim.jl 10", "julia -t * --project=* sim.jl *");
	check("java -Xmx4g -jar /opt/picard-2.jar SortSam", "java -Xmx* -jar picard-2.jar SortSam");
	check("java -cp a.jar:b.jar org.example.Main 5", "java -cp *.jar org.example.Main *");
	check("matlab -nodisplay -batch 'run(5)'", "matlab -nodisplay -batch 'run(*)'");
	check("awk -F , '{print $1}' a.csv", "awk -F * '{print $*}' *.csv");
	check("node -r ./x.js app.js", "node -r *.js app.js");
	check("python3 - 5", "python3 - *");
}

static void long_code_is_a_hash_of_it_without_its_numbers(void **state)
{
#define BEFORE "python3 -c 'import numpy as np; a = np.ones(("
	const char *one = BEFORE "1000, 1000)); print(a.sum(), a.mean())'";
	const char *two = BEFORE "20, 30)); print(a.sum(), a.mean())'";
	const char *other = BEFORE "20, 30)); print(a.sum(), a.stdx())'";
	AUTO_FREE char *got = shape(one);

	(void) state;
	assert_true(is_same(one, two));
	assert_false(is_same(one, other));
	assert_int_equal(strlen(got), strlen("python3 -c #01234567"));
	assert_memory_equal(got, "python3 -c #", 12);
	/* 60 bytes stay */
	check("sh -c 'abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij'",
		"sh -c abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij");
}

static void launchers_stay_and_their_program_is_the_program(void **state)
{
	(void) state;
	check("env -u HOME OMP_NUM_THREADS=8 python3 a.py",
		"env -u * OMP_NUM_THREADS=* python3 a.py");
	check("nice -n 10 ionice -c 3 ./bin/solver2 case.inp",
		"nice -n * ionice -c * solver2 *.inp");
	check("/usr/bin/time -v -o t.txt bwa index ref.fa", "time -v -o *.txt bwa index *.fa");
	check("nohup time -f %e bash x.sh", "nohup time -f * bash x.sh");
	check("timeout -s KILL 10m python3 x.py", "timeout -s * * python3 x.py");
	check("timeout -k 5 10 prog2", "timeout -k * * prog2");
	check("stdbuf -oL -e 0 tool2 sub", "stdbuf -o* -e * tool2 sub");
	check("taskset -c 0-3 tool2", "taskset -c * tool2");
	check("srun -n 4 --partition long --mem=4G ./solver5 x.inp",
		"srun -n * --partition * --mem=* solver5 *.inp");
	check("srun -pshort -- python3 x.py", "srun -p* -- python3 x.py");
	check("mpirun -np 8 --bind-to core --mca btl tcp,self ./xhpl3",
		"mpirun -np * --bind-to * --mca * * xhpl3");
	check("conda run -n myenv python3 x.py", "conda run -n * python3 x.py");
	check("conda install numpy", "conda install numpy");
	check("apptainer exec --nv -B /data:/data img.sif python3 x.py 5",
		"apptainer exec --nv -B * *.sif python3 x.py *");
	check("apptainer run img.sif x.bam", "apptainer run img.sif *.bam");
	check("torchrun --nproc_per_node 4 a/train.py --lr 0.1",
		"torchrun --nproc_per_node * train.py --lr *");
	check("srun", "srun");
	check("apptainer exec -B /a:/b tools/x.sif bin/align a.fq",
		"apptainer exec -B * *.sif align *.fq");
	check("apptainer run -B /a:/b tools/align.sif a.fq", "apptainer run -B * align.sif *.fq");
	check("docker run --rm -v /a:/b -w /b lab/align:1.2 a.fq",
		"docker run --rm -v * -w * align:1.2 *.fq");
	check("nextflow run flows/main.nf -profile slurm -resume",
		"nextflow run main.nf -profile slurm -resume");
	check("nextflow -q run -c x.config main.nf", "nextflow -q run -c *.config main.nf");
	check("papermill -k python3 in/fit.ipynb out/fit1.ipynb -p a 3",
		"papermill -k * fit.ipynb *.ipynb -p a *");
	check("jupyter nbconvert --to notebook --execute fit.ipynb",
		"jupyter nbconvert --to * --execute fit.ipynb");
	/* sbatch runs a script; its job may be a line of its own. */
	check("sbatch --parsable -J a12 --mem=4G -c8 jobs/align.sh s1.fq",
		"sbatch --parsable -J * --mem=* -c* align.sh *.fq");
	check("sbatch --nodes 1 --wrap=sleep 12", "sbatch --nodes * --wrap= sleep *");
	check("env -u", "env -u");
}

static void nothing_that_a_process_may_be_called_breaks_it(void **state)
{
	(void) state;
	check("''", "''");
	check("'' '' ''", "'' *...");
	check("'a b' x", "'a b' x");
	check("/ x", "'' x");
	check("x\x1b[2J y", "$'x\\e[2J' y");
	check("prog a\x01z \xff", "prog *...");
}

static void a_million_words_are_bounded_and_long_shapes_still_differ(void **state)
{
	size_t n = 1000000;
	char **argv = calloc(n, sizeof(*argv));
	char *many;
	char *other;
	char *values;

	(void) state;
	for (size_t i = 0; i < n; i++)
		argv[i] = i % 2 ? writable("a") : writable("b");
	many = size_shape_of(argv, n);
	argv[n - 1] = writable("c");
	other = size_shape_of(argv, n);
	for (size_t i = 1; i < n; i++)
		argv[i] = writable("x.bam");
	values = size_shape_of(argv, n);
	assert_int_equal(strlen(many), SIZE_SHAPE_MAX);
	assert_int_equal(strlen(other), SIZE_SHAPE_MAX);
	assert_memory_equal(many, other, SIZE_SHAPE_MAX - 16);
	assert_string_not_equal(many, other);
	assert_string_equal(values, "b *.bam...");
	free(many);
	free(other);
	free(values);
	free(argv);
}

static void a_word_of_a_mebibyte_is_bounded(void **state)
{
	size_t n = 1 << 20;
	char *word = malloc(n + 1);
	static const char fills[] = { 'a', '5', '-', '/', '.', '=', '\'', (char) 0xc3, (char) 0xff,
		'\n' };

	(void) state;
	word[n] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(fills); i++) {
		char *words[] = { word, word, writable("-c"), word };
		char *code[] = { writable("python3"), writable("-c"), word };
		char *ret;

		memset(word, fills[i], n);
		ret = size_shape_of(words, 4);
		assert_non_null(ret);
		assert_true(strlen(ret) <= SIZE_SHAPE_MAX);
		free(ret);
		ret = size_shape_of(code, 3);
		assert_memory_equal(ret, "python3 -c ", 11);
		assert_true(strlen(ret) < 80);
		free(ret);
	}
	free(word);
}

static void the_text_of_a_command_has_the_shape_of_its_words(void **state)
{
	static const struct {
		const char *text, *shape;
	} commands[] = {
		{ "bwa mem -t 8 ref.fa a_1.fq a_2.fq", "bwa mem -t * *.fa *.fq..." },
		{ "  /bin/bash\t-c  'echo hi'\n", "bash -c 'echo hi'" },
		{ "bash -c \"a \\\"b\\\" c\" x", "bash -c 'a \"b\" c' x" },
		{ "bash -c 'it'\\''s'", "bash -c 'it'\\''s'" },
		{ "my\\ prog 'not closed", "'my prog' *" },
		{ "prog '' x", "prog * x" },
		{ "prog $'a\\'b' x", "prog * x" },
		{ "prog a'b'\"c\"d", "prog abcd" },
		{ "prog \\", "prog '\\'" },
		{ "''", "''" },
		{ "", "" },
		{ " \t", "" },
	};

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		AUTO_FREE char *got = size_shape_of_text(commands[i].text);

		assert_string_equal(got, commands[i].shape);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tools_keep_their_subcommands_and_lose_their_inputs),
		cmocka_unit_test(values_and_names_are_told_apart),
		cmocka_unit_test(a_plain_word_behind_an_option_is_a_mode),
		cmocka_unit_test(many_values_are_one_with_dots_and_one_is_not_many),
		cmocka_unit_test(interpreters_keep_their_script_module_or_code),
		cmocka_unit_test(long_code_is_a_hash_of_it_without_its_numbers),
		cmocka_unit_test(launchers_stay_and_their_program_is_the_program),
		cmocka_unit_test(nothing_that_a_process_may_be_called_breaks_it),
		cmocka_unit_test(a_million_words_are_bounded_and_long_shapes_still_differ),
		cmocka_unit_test(a_word_of_a_mebibyte_is_bounded),
		cmocka_unit_test(the_text_of_a_command_has_the_shape_of_its_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
