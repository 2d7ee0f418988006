/* SPDX-License-Identifier: MIT */
/* How a target is written: in full words, in a file's name, for people. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "target/target.h"
#include "target/target_parts.h"

/* The word a user would type, with nothing left out that is known by now. */
static void add_text(struct buf *out, const struct target_term *term)
{
	buf_add_text(out, target_kind_name(term->kind));
	switch (term->kind) {
	case TARGET_TREE:
	case TARGET_SESSION:
	case TARGET_GROUP:
		buf_addf(out, ":%d", (int) term->id);
		break;
	case TARGET_PIDS:
		for (size_t i = 0; i < term->n_pids; i++)
			buf_addf(out, "%c%d", i ? ',' : ':', (int) term->pids[i].pid);
		break;
	case TARGET_SLURM:
		buf_addf(out, ":%llu%s%s", (unsigned long long) term->slurm_job,
			term->slurm_step[0] ? "." : "", term->slurm_step);
		break;
	case TARGET_CGROUP:
		if (term->controller)
			buf_addf(out, ":%s", term->controller);
		__attribute__((fallthrough));
	case TARGET_USER:
	case TARGET_CONTAINER:
	case TARGET_NAME:
	case TARGET_MATCH:
		if (term->text)
			buf_addf(out, ":%s", term->text);
		break;
	case TARGET_JOB:
	case TARGET_SYSTEM:
		break;
	}
}

static void add_people(
	struct buf *out, const struct target_term *term, const struct proc_stat *first)
{
	const char *text = term->text ? term->text : "";

	switch (term->kind) {
	case TARGET_TREE:
		buf_addf(out, "process %d", (int) term->id);
		if (first)
			buf_addf(out, " (%s)", shown(first->name).text);
		buf_add_text(out, " and its descendants");
		break;
	case TARGET_SESSION:
		buf_addf(out, "session %d", (int) term->id);
		break;
	case TARGET_GROUP:
		buf_addf(out, "process group %d", (int) term->id);
		break;
	case TARGET_USER:
		buf_addf(out, "user %s", shown(text).text);
		if (term->uid != (uid_t) -1)
			buf_addf(out, "%s(uid %lu)", *text ? " " : "", (unsigned long) term->uid);
		break;
	case TARGET_SLURM:
		buf_addf(out, "Slurm job %llu%s%s", (unsigned long long) term->slurm_job,
			term->slurm_step[0] ? ", step " : "", term->slurm_step);
		break;
	case TARGET_CGROUP:
		buf_addf(out, "cgroup %s", *text ? shown(text).text : "of our own");
		if (term->controller)
			buf_addf(out, " (%s)",
				*term->controller ? shown(term->controller).text : "version 2");
		break;
	case TARGET_CONTAINER:
		buf_addf(out, "container %s", shown(text).text);
		break;
	case TARGET_PIDS:
		if (term->n_pids == 1)
			buf_addf(out, "process %d alone", (int) term->pids[0].pid);
		else
			buf_addf(out, "%zu processes by their ids", term->n_pids);
		break;
	case TARGET_NAME:
		buf_addf(out, "processes named %s", shown(text).text);
		break;
	case TARGET_MATCH:
		buf_addf(out, "command lines that match %s", shown(text).text);
		break;
	case TARGET_SYSTEM:
		buf_add_text(out, "all processes of the machine");
		break;
	case TARGET_JOB:
		buf_add_text(out, "the job");
		break;
	}
}

/* Letters, digits and a few signs; of anything else one '_'. */
static void write_file_word(struct target *t)
{
	size_t n = 0;
	char last = '_';

	for (const char *at = t->text; *at && n < sizeof(t->file_word) - 1; at++) {
		char c = *at;
		bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
			     (c >= 'A' && c <= 'Z') || c == '.' || c == '-';

		if (c == ':')
			c = '-';
		else if (!plain)
			c = '_';
		if ((c == '_' || c == '-') && (last == '_' || last == '-'))
			continue;
		t->file_word[n++] = last = c;
	}
	while (n > 0 && strchr("_-.", t->file_word[n - 1]))
		n--;
	t->file_word[n] = '\0';
}

int target_write_texts(struct target *t, const struct proc_stat *first)
{
	struct buf text = { 0 };
	struct buf people = { 0 };

	for (size_t i = 0; i < t->n_terms; i++) {
		if (i > 0) {
			buf_add_char(&text, '+');
			buf_add_text(&people, ", ");
		}
		add_text(&text, &t->terms[i]);
		add_people(&people, &t->terms[i], first);
	}
	if (text.failed || people.failed || !text.data || !people.data) {
		buf_done(&text);
		buf_done(&people);
		return -ENOMEM;
	}
	free(t->text);
	t->text = text.data;
	write_file_word(t);
	int n = snprintf(t->people, sizeof(t->people), "%s", people.data);

	if (n >= (int) sizeof(t->people))
		memcpy(t->people + sizeof(t->people) - 4, "...", 4);
	buf_done(&people);
	return 0;
}
