/* SPDX-License-Identifier: MIT */
/*
 * The shape of a command: what stays when the same work is done on other inputs. The name of the program (of an interpreter: and of its script or module), words
 * that are no values, and names of options stay; numbers, paths, files, and the values of options become "*". Runs of one shape are runs of one job.
 *
 * - A program, a script and a module go by their last path component; a launcher (env, nice, srun, mpirun, conda run, apptainer exec ...) stays with its own options,
 *   whose values become "*", and the program is what follows. Code that was given as a word stays, with "*" for its numbers; code of more than 60 bytes as a hash of that.
 * - A word of ASCII letters, "-" and "_" stays (a subcommand, a mode), also behind an option. A file is "*" and its extension (".fq.gz", in lower case); a counter is no
 *   extension ("core.1", "x.chr21"). Any other word is "*". NAME=VALUE is "NAME=*", -j8 is "-j*"; -1 to -9 are options (bowtie2 -1 a.fq -2 b.fq, gzip -9).
 * - Equal values beside each other, two or more, are one with "..." behind, and so are an option and its value that are repeated (-I a.bam -I b.bam); the value right
 *   behind an option stands for itself, as "-o all.bam a.bam" has one input. Three files and thirty are one job with more or less of the same. One and several are two
 *   shapes: to merge is other work than to convert, and a second value may be another argument, which the first run did not have.
 */
#ifndef ASSAY_SIZE_SHAPE_H
#define ASSAY_SIZE_SHAPE_H

#include <stddef.h>

#define SIZE_SHAPE_MAX 1000 /* bytes; of a longer one the rest is a hash */

/* "python3 train.py --epochs=* *". Printable when the words are. On the heap; NULL without memory. argc is 1 or more. */
char *size_shape_of(char *const *argv, size_t argc);
/*
 * For jobs of a scheduler, whose command is that of sbatch or not told: "(job align_*)", behind the shape where there is one. Numbers in the name are "*". Takes over
 * the shape, which may be NULL. On the heap; NULL without memory.
 */
char *size_shape_with_job(char *shape, const char *name);
/* For runs of other tools, of which only the text of the command is known: its words are those of a shell. "" when there is none. */
char *size_shape_of_text(const char *command);

#endif
