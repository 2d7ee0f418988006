/* SPDX-License-Identifier: MIT */
/* Whether a network namespace holds the job and nobody else at this moment. */
#ifndef ASSAY_TARGET_OWN_NAMESPACE_H
#define ASSAY_TARGET_OWN_NAMESPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct roots;

/*
 * Looks at every process of the machine. True only when all could be looked at and each one in the namespace is the keeper, descends from it, or is
 * this process or a child of its own. Never in a container or with a /proc that hides processes: somebody may be there whom we
 * cannot see. `network_namespace` is as net_namespace() gives it.
 */
bool namespace_is_the_jobs(const struct roots *roots, uint64_t network_namespace, pid_t keeper);
/* Whether anybody else is seen in it, or somebody of whom that cannot be told. */
bool namespace_has_strangers(const struct roots *roots, uint64_t network_namespace, pid_t keeper);

#endif
