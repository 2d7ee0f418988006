/* SPDX-License-Identifier: MIT */
/* The lines of the JSON document that export_json.c writes and json.c reads. */
#ifndef ASSAY_RECORD_FOREIGN_EXPORT_DOCUMENT_H
#define ASSAY_RECORD_FOREIGN_EXPORT_DOCUMENT_H

#define EXPORT_DOCUMENT_SCHEMA "assay-export"
#define EXPORT_DOCUMENT_HEAD                                                                       \
	"{\"schema\":\"" EXPORT_DOCUMENT_SCHEMA "\",\"version\":\"1.0\",\"runs\":["
/* Each run: these, with its state, its info and its windows between them. */
#define EXPORT_DOCUMENT_RUN "{\"state\":"
#define EXPORT_DOCUMENT_INFO ",\"info\":\n"
#define EXPORT_DOCUMENT_WINDOWS "\n,\"windows\":["
#define EXPORT_DOCUMENT_RUN_END "\n]}"
#define EXPORT_DOCUMENT_END "\n]}\n"

#endif
