/* SPDX-License-Identifier: MIT */
/* cmocka with its headers in the order it needs, for every unit test. */
#ifndef ASSAY_TESTS_UNIT_TEST_H
#define ASSAY_TESTS_UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
