/* run.h - what the main() of a test program ends with. */
#ifndef BASE_TESTS_RUN_H
#define BASE_TESTS_RUN_H

#include <check.h>
#include <stdlib.h>

static int run_tests(const char *name, TCase *tests)
{
    Suite *suite = suite_create(name);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
