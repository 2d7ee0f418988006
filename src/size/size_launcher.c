/* SPDX-License-Identifier: MIT */
/* The launchers and interpreters that are known, from their manual pages. One that is missing is an ordinary program: then its script goes by "*.py". */
#include "size/size_launcher.h"

#include <string.h>

#include "base/macros.h"

#define MPI_WORDS                                                                                  \
	"|np|n|c|ppn|npernode|npersocket|host|hosts|H|hostfile|machinefile|f|map-by|bind-to|rank-" \
	"by|wdir|wd|path|x|iface|"
#define MPI_PAIRS "|mca|gmca|omca|pmca|prtemca|env|genv|"
#define SRUN_WORDS                                                                                 \
	"|nodes|ntasks|cpus-per-task|ntasks-per-node|ntasks-per-core|ntasks-per-socket|mem|mem-"   \
	"per-cpu|mem-per-gpu|time|partition|account|qos|job-name|output|error|input|"              \
	"nodelist|exclude|constraint|gres|gpus|gpus-per-node|gpus-per-task|cpus-per-gpu|"          \
	"distribution|chdir|mpi|export|jobid|reservation|cpu-freq|threads-per-core|"
#define IMAGE_WORDS                                                                                \
	"|bind|home|pwd|cwd|env|env-file|workdir|overlay|scratch|app|hostname|mount|network|dns|"  \
	"memory|cpus|security|fusemount|"
#define CONTAINER_WORDS                                                                            \
	"|name|env|env-file|volume|mount|workdir|user|memory|memory-swap|cpus|cpuset-cpus|cpu-"    \
	"shares|gpus|network|entrypoint|hostname|label|publish|shm-size|ulimit|tmpfs|device|"      \
	"runtime|platform|pull|restart|security-opt|cap-add|cap-drop|ipc|pid|userns|"
#define NEXTFLOW_WORDS                                                                             \
	"|profile|params-file|c|C|config|w|work-dir|r|revision|entry|name|with-report|with-trace|" \
	"with-timeline|with-dag|with-docker|with-singularity|with-apptainer|with-conda|bucket-"    \
	"dir|output-dir|"
#define NSYS_WORDS "|output|trace|sample|stats|delay|duration|kill|capture-range|force-overwrite|"
#define TORCH_WORDS                                                                                \
	"|nproc_per_node|nproc-per-node|nnodes|node_rank|node-rank|master_addr|master-addr|"       \
	"master_port|master-port|rdzv_id|rdzv-id|rdzv_backend|rdzv-backend|rdzv_endpoint|"         \
	"rdzv-endpoint|rdzv_conf|rdzv-conf|max_restarts|max-restarts|log_dir|log-dir|num_gpus|"    \
	"num_nodes|hostfile|include|exclude|"
/* sbatch(1): those whose value may be a word of its own. */
#define SBATCH_WORDS                                                                               \
	"|--array|--account|--begin|--bb|--bbf|--clusters|--comment|--constraint|--container|--"   \
	"core-spec|--cores-per-socket|--cpu-freq|--cpus-per-gpu|--cpus-per-task|--deadline|--"     \
	"dependency|--delay-boot|--distribution|--error|--exclude|--export|--export-file|--extra-" \
	"node-info|--gid|--gpu-bind|--gpu-freq|--gpus|--gpus-per-node|--gpus-per-socket|--gpus-"   \
	"per-task|--gres|--gres-flags|--hint|--input|--job-name|--licenses|--mail-type|--mail-"    \
	"user|--mem|--mem-bind|--mem-per-cpu|--mem-per-gpu|--network|--nodefile|--nodelist|--"     \
	"nodes|--ntasks|--ntasks-per-core|--ntasks-per-gpu|--ntasks-per-node|--ntasks-per-socket|" \
	"--open-mode|--output|--partition|--prefer|--priority|--profile|--propagate|--qos|--"      \
	"reservation|--signal|--sockets-per-node|--switches|--thread-spec|--threads-per-core|--"   \
	"time|--time-min|--tmp|--tres-per-task|--uid|--wait-all-nodes|--wckey|--chdir|"
#define SPARK_WORDS                                                                                \
	"|master|class|name|conf|deploy-mode|driver-memory|executor-memory|executor-cores|num-"    \
	"executors|total-executor-cores|jars|packages|py-files|files|queue|"

static const struct size_launcher launchers[] = {
	/* clang-format off */
	{ "env", NULL, "uCS", "|unset|chdir|split-string|", NULL, 0, NULL },
	{ "nice", NULL, "n", "|adjustment|", NULL, 0, NULL },
	{ "ionice", NULL, "cn", "|class|classdata|", NULL, 0, NULL },
	{ "nohup", NULL, "", NULL, NULL, 0, NULL },
	{ "setsid", NULL, "", NULL, NULL, 0, NULL },
	{ "time", NULL, "fo", "|format|output|", NULL, 0, NULL },
	{ "timeout", NULL, "sk", "|signal|kill-after|", NULL, 1, NULL },
	{ "stdbuf", NULL, "ioe", "|input|output|error|", NULL, 0, NULL },
	{ "taskset", NULL, "", NULL, NULL, 1, NULL },
	{ "chrt", NULL, "TPD", NULL, NULL, 1, NULL },
	{ "numactl", NULL, "NmCip", "|cpunodebind|membind|physcpubind|interleave|preferred|", NULL, 0, NULL },
	{ "prlimit", NULL, "", NULL, NULL, 0, NULL },
	{ "sudo", NULL, "ugCDhpRrTtU", "|user|group|", NULL, 0, NULL },
	{ "xargs", NULL, "nPIdLsaE", "|max-args|max-procs|max-lines|delimiter|arg-file|", NULL, 0, NULL },
	{ "strace", NULL, "oePESsuab", NULL, NULL, 0, NULL },
	{ "valgrind", NULL, "", NULL, NULL, 0, NULL },
	{ "catchsegv", NULL, "", NULL, NULL, 0, NULL },
	{ "xvfb-run", NULL, "nsefpw", "|server-num|server-args|", NULL, 0, NULL },
	{ "perf", "|stat|record|", "eoprIFCGc", "|event|output|repeat|", NULL, 0, NULL },
	{ "nsys", "|profile|", "otscfwydpbn", NSYS_WORDS, NULL, 0, NULL },
	{ "srun", NULL, "nNcptAJoeiDwxqCdmGrLMPTW", SRUN_WORDS, NULL, 0, NULL },
	{ "mpirun", NULL, "nNcH", MPI_WORDS, MPI_PAIRS, 0, NULL },
	{ "mpiexec", NULL, "nNcH", MPI_WORDS, MPI_PAIRS, 0, NULL },
	{ "mpirun.openmpi", NULL, "nNcH", MPI_WORDS, MPI_PAIRS, 0, NULL },
	{ "mpiexec.openmpi", NULL, "nNcH", MPI_WORDS, MPI_PAIRS, 0, NULL },
	{ "mpirun.mpich", NULL, "nNcH", MPI_WORDS, MPI_PAIRS, 0, NULL },
	{ "mpiexec.mpich", NULL, "nNcH", MPI_WORDS, MPI_PAIRS, 0, NULL },
	{ "mpiexec.hydra", NULL, "nNcH", MPI_WORDS, MPI_PAIRS, 0, NULL },
	{ "orterun", NULL, "nNcH", MPI_WORDS, MPI_PAIRS, 0, NULL },
	{ "prterun", NULL, "nNcH", MPI_WORDS, MPI_PAIRS, 0, NULL },
	{ "aprun", NULL, "nNdSjm", "|cc|", NULL, 0, NULL },
	{ "ibrun", NULL, "no", NULL, NULL, 0, NULL },
	{ "conda", "|run|", "np", "|name|prefix|cwd|", NULL, 0, NULL },
	{ "mamba", "|run|", "np", "|name|prefix|cwd|", NULL, 0, NULL },
	{ "micromamba", "|run|", "nper", "|name|prefix|cwd|", NULL, 0, NULL },
	{ "poetry", "|run|", "CP", "|directory|project|", NULL, 0, NULL },
	{ "pipenv", "|run|", "", NULL, NULL, 0, NULL },
	{ "pixi", "|run|", "e", "|environment|manifest-path|", NULL, 0, NULL },
	{ "uv", "|run|", "p", "|python|with|project|directory|extra|group|env-file|", NULL, 0, NULL },
	{ "apptainer", "|exec|run|", "BHWSe", IMAGE_WORDS, NULL, 1, "|run|" },
	{ "singularity", "|exec|run|", "BHWSe", IMAGE_WORDS, NULL, 1, "|run|" },
	{ "docker", "|run|", "aceghlmpuvw", CONTAINER_WORDS, NULL, 0, NULL },
	{ "podman", "|run|", "aceghlmpuvw", CONTAINER_WORDS, NULL, 0, NULL },
	{ "nextflow", "|run|", "", NEXTFLOW_WORDS, NULL, 0, NULL },
	{ "miniwdl", "|run|", "dio", "|dir|input|", NULL, 0, NULL },
	{ "jupyter", "|nbconvert|execute|", "", "|to|output|output-dir|kernel_name|", NULL, 0, NULL },
	{ "torchrun", NULL, "", TORCH_WORDS, NULL, 0, NULL },
	{ "deepspeed", NULL, "", TORCH_WORDS, NULL, 0, NULL },
	{ "accelerate", "|launch|", "", "|config_file|num_processes|num_machines|mixed_precision|main_process_port|", NULL, 0, NULL },
	{ "spark-submit", NULL, "", SPARK_WORDS, NULL, 0, NULL },
	/* clang-format on */
};

static const struct size_interpreter interpreters[] = {
	/* clang-format off */
	{ .name = "python", .code = "c", .script_words = "|-m|", .letters = "WX" },
	{ .name = "sbatch", .code_words = "|--wrap|", .letters = "AabBcCdDeFGiJLmMnNopqStwx", .value_words = SBATCH_WORDS },
	{ .name = "papermill", .letters = "k", .value_words = "|--kernel|" },
	{ .name = "cwltool", .value_words = "|--outdir|--tmpdir-prefix|--cachedir|" },
	{ .name = "gnuplot", .code = "e", .code_may_follow = true },
	{ .name = "pypy", .code = "c", .script_words = "|-m|", .letters = "WX" },
	{ .name = "ipython", .code = "c", .script_words = "|-m|" },
	{ .name = "sh", .code = "c", .letters = "o", .first = CODE_BY_LETTER },
	{ .name = "bash", .code = "c", .letters = "oO", .value_words = "|--rcfile|--init-file|", .first = CODE_BY_LETTER },
	{ .name = "dash", .code = "c", .letters = "o", .first = CODE_BY_LETTER },
	{ .name = "ksh", .code = "c", .letters = "o", .first = CODE_BY_LETTER },
	{ .name = "zsh", .code = "c", .letters = "o", .first = CODE_BY_LETTER },
	{ .name = "Rscript", .code = "e", .code_may_follow = true },
	{ .name = "R", .code = "e", .script_words = "|-f|", .value_words = "|-g|-d|", .code_may_follow = true },
	{ .name = "perl", .code = "eE", .letters = "IMm", .code_may_follow = true },
	{ .name = "julia", .code = "eE", .code_words = "|--eval|--print|", .letters = "tpJL", .value_words = "|--threads|--procs|--project|--sysimage|--load|", .code_may_follow = true },
	{ .name = "ruby", .code = "e", .letters = "IrC", .code_may_follow = true },
	{ .name = "node", .code = "ep", .code_words = "|--eval|--print|", .letters = "r", .value_words = "|--require|--import|", .code_may_follow = true },
	{ .name = "php", .code = "r", .script_words = "|-f|", .letters = "dc" },
	{ .name = "lua", .code = "e", .letters = "l", .code_may_follow = true },
	{ .name = "octave", .code_words = "|--eval|", .value_words = "|--path|", .code_may_follow = true },
	{ .name = "matlab", .code_words = "|-batch|-r|", .value_words = "|-sd|-logfile|" },
	{ .name = "java", .script_words = "|-jar|-m|--module|", .value_words = "|-cp|-classpath|--class-path|-p|--module-path|--add-modules|--add-opens|--add-exports|" },
	{ .name = "awk", .script_words = "|-f|--file|", .letters = "Fv", .first = FIRST_IS_CODE },
	{ .name = "gawk", .script_words = "|-f|--file|", .letters = "Fv", .first = FIRST_IS_CODE },
	{ .name = "mawk", .script_words = "|-f|", .letters = "Fv", .first = FIRST_IS_CODE },
	{ .name = "sed", .code = "e", .script_words = "|-f|", .first = FIRST_IS_CODE, .code_may_follow = true },
	{ .name = "jq", .script_words = "|-f|--from-file|", .value_words = "|--indent|", .first = FIRST_IS_CODE },
	/* clang-format on */
};

const struct size_launcher *size_launcher_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(launchers); i++)
		if (strcmp(launchers[i].name, name) == 0)
			return &launchers[i];
	return NULL;
}

const struct size_interpreter *size_interpreter_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(interpreters); i++) {
		size_t n = strlen(interpreters[i].name);

		if (strncmp(interpreters[i].name, name, n) == 0 &&
			name[n + strspn(name + n, "0123456789.-")] == '\0')
			return &interpreters[i];
	}
	return NULL;
}

bool size_launcher_lists(const char *list, const char *word, size_t n)
{
	if (!list || n == 0)
		return false;
	for (const char *at = list + 1; *at;) {
		size_t length = strcspn(at, "|");

		if (length == n && memcmp(at, word, n) == 0)
			return true;
		at += length + 1;
	}
	return false;
}
