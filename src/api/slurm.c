/* SPDX-License-Identifier: MIT */
/* Takes Slurm's ids out of the environment: srun(1), sbatch(1), "OUTPUT ENVIRONMENT VARIABLES". */
#include "api/slurm.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "linux/slurm_names.h"
#include "model/run_info.h"

static bool is_name(const char *text)
{
	size_t n =
		strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");

	return n > 0 && n <= 255 && text[n] == '\0';
}

static bool is_number(const char *text, uint64_t *ret)
{
	size_t n = strspn(text, "0123456789");

	if (n == 0 || n > 10 || text[n] != '\0')
		return false;
	*ret = strtoull(text, NULL, 10);
	return true;
}

enum form { ID, STEP, NAME };

static const struct {
	const char *key, *variable, *older; /* the name it had before, or NULL */
	enum form form;
} ids[] = {
	{ "job_id", "SLURM_JOB_ID", "SLURM_JOBID", ID },
	{ "step_id", "SLURM_STEP_ID", "SLURM_STEPID", STEP },
	{ "task_id", "SLURM_PROCID", NULL, ID },
	{ "local_task_id", "SLURM_LOCALID", NULL, ID },
	{ "node_id", "SLURM_NODEID", NULL, ID },
	{ "node_name", "SLURMD_NODENAME", NULL, NAME },
	{ "array_job_id", "SLURM_ARRAY_JOB_ID", NULL, ID },
	{ "array_task_id", "SLURM_ARRAY_TASK_ID", NULL, ID },
	{ "cluster", "SLURM_CLUSTER_NAME", NULL, NAME },
};

static void take(struct assay_run_info *info, size_t i, const char *name, const char *text)
{
	uint64_t number = 0;
	const char *word = NULL;
	bool good;

	if (ids[i].form == NAME) {
		good = is_name(text);
		word = text;
	} else {
		good = is_number(text, &number);
		word = good && ids[i].form == STEP ? slurm_step_word(number) : NULL;
		good = good && (word || number <= SLURM_ID_MAX);
	}
	if (good)
		run_info_fact(info, "slurm", NULL, ids[i].key, word, number);
	else
		run_info_note(info, "%s is no %s of Slurm: left out", name,
			ids[i].form == NAME ? "name" : "id");
}

void slurm_facts(struct assay_run_info *info)
{
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		const char *name = ids[i].variable;
		const char *text = getenv(name);

		if (!text && ids[i].older) {
			name = ids[i].older;
			text = getenv(name);
		}
		if (text && *text)
			take(info, i, name, text);
	}
}
