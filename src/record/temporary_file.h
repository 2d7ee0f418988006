/* SPDX-License-Identifier: MIT */
/* Files that are complete before they have their name. */
#ifndef ASSAY_RECORD_TEMPORARY_FILE_H
#define ASSAY_RECORD_TEMPORARY_FILE_H

#define TEMPORARY_NAME_SIZE 64
#define TEMPORARY_TRIES 100

/* The name of the temporary file of that number: short whatever the record is called, for a prefix may use up all that NAME_MAX
 * allows. */
void temporary_file_name(char name[TEMPORARY_NAME_SIZE], int number);
/* Makes one in that directory, open for writing, and gives its name. A negative errno on failure. */
int temporary_file_open(int dirfd, char name[TEMPORARY_NAME_SIZE]);

#endif
