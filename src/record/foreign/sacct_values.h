/* SPDX-License-Identifier: MIT */
/* What stands in the cells of sacct(1). */
#ifndef ASSAY_RECORD_FOREIGN_SACCT_VALUES_H
#define ASSAY_RECORD_FOREIGN_SACCT_VALUES_H

#include <stdbool.h>
#include <stddef.h>

/* "5266672K", "1.5G", "4096": bytes; the letters K M G T P E are powers of 1024. Slurm writes no sign and no "1e3". */
bool sacct_size(const char *text, double *ret_bytes);
/* ReqMem: "4Gn" a node, "4000Mc" a CPU, "8G" as Slurm 21.08 and later have it; without a letter in MiB, as Slurm keeps and takes it. *ret_per: 'n', 'c', or '\0'. */
bool sacct_request(const char *text, double *ret_bytes, char *ret_per);
/* "1-02:03:04", "02:03:04.500", "03:04.500": seconds. Not for "UNLIMITED", "Partition_Limit", "INVALID" and the like. */
bool sacct_duration(const char *text, double *ret_seconds);
/* Of "cpu=00:00:10,mem=1024K,gres/gpumem=2G" the one with that name, copied. Nothing of a list that is damaged, whichever item it is. */
bool sacct_tres(const char *list, const char *name, char *ret, size_t size);
/* Whether one of its items has no name or no "=", as the second of "mem=12,5M" has none. */
bool sacct_tres_is_damaged(const char *list);
/* "0:9": exit code and signal. */
bool sacct_exit(const char *text, int *ret_code, int *ret_signal);
/* A cell that tells nothing: "", "Unknown", "None", "N/A", "(null)", "INVALID". */
bool sacct_is_nothing(const char *text);

#endif
