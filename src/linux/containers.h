/* SPDX-License-Identifier: MIT */
/* Containers: their ids in paths of cgroups, and what their engines keep in files of names, ids and processes. Nothing is executed. */
#ifndef ASSAY_LINUX_CONTAINERS_H
#define ASSAY_LINUX_CONTAINERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct roots;

#define CONTAINER_ID_SIZE 65 /* 64 hexadecimal digits */
#define CONTAINER_SHORT_ID 12 /* what engines show of it */

/* Whether a word can be (the beginning of) an id by which a container is found without its name. */
bool container_is_id(const char *word);
/* Whether it is one that an engine would give a container: no path, no control character. */
bool container_is_name(const char *word);
/* Looks for the cgroup of a container whose id begins so: docker-ID.scope, /docker/ID, libpod-ID.scope, cri-containerd-ID.scope, crio-ID ...; not that
 * of podman's monitor, libpod-conmon-ID. *ret_n: so much of the path is the container's own cgroup. */
bool container_in_path(
	const char *path, size_t n, const char *id, size_t *ret_n, char ret_id[CONTAINER_ID_SIZE]);

struct container {
	const char *engine; /* "docker", "podman", "apptainer" */
	char id[CONTAINER_ID_SIZE]; /* "" for an instance of apptainer */
	pid_t pid; /* of apptainer: its first process; else 0 */
};

/*
 * Each takes the text of one file and finds the container of that name: docker's config.v2.json, podman's containers.json, an instance's NAME.json.
 * 0; -ENOENT: none is called so; -EINVAL: the text is not whole JSON, says of it neither id nor process, or is of so many values that no
 * engine wrote it; -ENOMEM.
 */
int container_in_docker(const char *text, size_t n, const char *name, struct container *ret);
int container_in_podman(const char *text, size_t n, const char *name, struct container *ret);
int container_in_apptainer(const char *text, size_t n, const char *name, struct container *ret);

/*
 * Looks where the engines keep their files, those of the machine and those below `home` (NULL: nowhere). -ENOENT; -ENOTUNIQ: several engines know the
 * name; -EACCES: none was found, and one place may not be read, which *ret_closed then names.
 */
int container_by_name(const struct roots *roots, const char *home, const char *name,
	struct container *ret, const char **ret_closed);

#endif
