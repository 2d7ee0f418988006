/* SPDX-License-Identifier: MIT */
/* What is inlined in pages: made of web/ and of uPlot by tools/web_page.py when assay is built. */
#ifndef ASSAY_PAGE_WEB_PAGE_H
#define ASSAY_PAGE_WEB_PAGE_H

#include <stdbool.h>
#include <stddef.h>

extern const unsigned char web_style[], web_script[];
extern const size_t web_style_size, web_script_size;
/* uPlot is in the script. */
extern const bool web_has_charts;
/* "sha256-...", as a Content-Security-Policy has them. */
extern const char web_style_hash[], web_script_hash[];

#endif
