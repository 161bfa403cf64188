/* test_options.c - the command line: what it means, and what it refuses. */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/run.h"
#include "grader/commands.h"
#include "grader/options.h"

static struct options options;
static char error[300];

/* Words of a command line, parted by blanks. */
static bool read_line(const char *line)
{
    static char copy[300];
    char *argv[20] = {"grade"};
    int argc = 1;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    *error = '\0';
    return options_read(&options, argc, argv, error, sizeof error);
}

START_TEST(nothing_lists_the_labs)
{
    ck_assert(read_line(""));
    ck_assert_ptr_eq(options.command, &commands[COMMAND_LIST]);
}
END_TEST

START_TEST(a_lab_is_graded)
{
    ck_assert(read_line("lab3"));
    ck_assert_ptr_eq(options.command, &commands[COMMAND_GRADE]);
    ck_assert_str_eq(options.lab, "lab3");
    ck_assert_ptr_null(options.stage);
}
END_TEST

START_TEST(a_stage_stands_behind_a_dot)
{
    ck_assert(read_line("lab3.2"));
    ck_assert_str_eq(options.lab, "lab3");
    ck_assert_str_eq(options.stage, "2");
    ck_assert(read_line("lab3 --stage padded"));
    ck_assert_str_eq(options.stage, "padded");
}
END_TEST

START_TEST(a_model_of_gpu_means_the_virtual_one)
{
    ck_assert(read_line("--gpu p100 lab3"));
    ck_assert_str_eq(options.gpu, "p100");
    ck_assert(options.is_virtual);
}
END_TEST

START_TEST(batch_takes_a_lab_and_a_folder)
{
    ck_assert(read_line("batch lab3 DIR --out O"));
    ck_assert_str_eq(options.command->name, "batch");
    ck_assert_str_eq(options.lab, "lab3");
    ck_assert_str_eq(options.names[0], "DIR");
    ck_assert_str_eq(options.out, "O");
}
END_TEST

START_TEST(a_folder_may_begin_with_a_dash)
{
    ck_assert(read_line("batch lab3 -- -x"));
    ck_assert_str_eq(options.names[0], "-x");
}
END_TEST

START_TEST(switches_are_read)
{
    ck_assert(read_line("lab3 --json -v --solution --virtual"));
    ck_assert(options.is_json && options.is_verbose && options.is_solution && options.is_virtual);
    ck_assert(read_line("--help"));
    ck_assert(options.is_help);
    ck_assert(read_line("lab3 --version"));
    ck_assert(options.is_version);
}
END_TEST

static const struct {
    const char *line, *says;
} refused[] = {
    {"--nonsense", "--nonsense"},
    {"-x lab3", "-x"},
    {"lab3 --gpu", "wants a value"},
    {"lab3 lab4", "lab4"},
    {"batch lab3", "./grade batch lab3 DIR"},
    {"batch lab3 a b", "too many"},
    {"export csv", "./grade export FORMAT DIR"},
    {"export csv d -o", "wants a value"},
    {"export csv d --json", "takes no --json"},
    {"check", "./grade check lab3"},
    {"history", "./grade history lab3"},
    {"history lab3.2", "as a whole"},
    {"history lab3 --gpu t4", "takes no --gpu"},
    {"compare lab3 a", "./grade compare lab3 A B"},
    {"hint", "./grade hint lab3.2"},
    {"hint lab3.2 --json", "takes no --json"},
    {"lab3 --more", "takes no --more"},
    {"lab3 --form x", "--form wants gradescope|"},
    {"lab3 --form text --json", "choose one"},
    {"history lab3 --form text", "takes no --form"},
    {"doctor lab3", "too many"},
    {"reset lab3 --json", "takes no --json"},
    {"lab3 --file a --solution", "choose one"},
    {"batch lab3 d --file x", "`./grade batch` takes no --file"},
    {"lab3 --out x", "takes no --out"},
    {"lab3.2 --stage 3", "--stage"},
    {"--stage 3", "Which lab"},
    {"../lab3", "not the name of a lab"},
    {".2", "not the name of a lab"},
    {"labwithanamethatislongerthanthirtytwobytes", "not the name of a lab"},
};

START_TEST(mistakes_are_named)
{
    ck_assert_msg(!read_line(refused[_i].line), "`%s` is taken", refused[_i].line);
    ck_assert_msg(strstr(error, refused[_i].says) != NULL, "`%s`: %s", refused[_i].line, error);
}
END_TEST

START_TEST(compare_takes_two_files)
{
    ck_assert(read_line("compare lab3 a.cu b.cu --stage tiled"));
    ck_assert_str_eq(options.command->name, "compare");
    ck_assert_str_eq(options.names[0], "a.cu");
    ck_assert_str_eq(options.names[1], "b.cu");
    ck_assert_str_eq(options.stage, "tiled");
}
END_TEST

START_TEST(help_is_the_commands_own)
{
    ck_assert(read_line("history --help"));
    ck_assert(options.is_help);
    ck_assert_str_eq(options.command->name, "history");
    ck_assert(read_line("lab3 --help"));
    ck_assert_ptr_eq(options.command, &commands[COMMAND_GRADE]);
}
END_TEST

static void assert_fits(const struct command *command)
{
    char *text = NULL;
    size_t size;
    int lines = 0, columns = 0;
    FILE *file = open_memstream(&text, &size);
    options_put_help(command, file);
    fclose(file);
    for (const char *at = text; *at; at++) {
        columns = *at == '\n' ? 0 : columns + 1;
        lines += *at == '\n';
        ck_assert_msg(columns <= 80, "%s", text);
    }
    ck_assert_int_le(lines, 24);
    free(text);
}

START_TEST(every_help_fits_on_a_screen)
{
    assert_fits(NULL);
    for (const struct command *one = commands; one->run; one++)
        assert_fits(one);
}
END_TEST

START_TEST(the_help_has_every_command)
{
    char *text = NULL, usage[100];
    size_t size;
    FILE *file = open_memstream(&text, &size);
    options_put_help(NULL, file);
    fclose(file);
    for (const struct command *one = commands; one->run; one++) {
        snprintf(usage, sizeof usage, "./grade %s%s%s", one->name, *one->name ? " " : "", one->words);
        ck_assert_msg(strstr(text, usage) != NULL, "%s", usage);
    }
    free(text);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("options");
    tcase_add_test(tests, nothing_lists_the_labs);
    tcase_add_test(tests, a_lab_is_graded);
    tcase_add_test(tests, a_stage_stands_behind_a_dot);
    tcase_add_test(tests, a_model_of_gpu_means_the_virtual_one);
    tcase_add_test(tests, batch_takes_a_lab_and_a_folder);
    tcase_add_test(tests, a_folder_may_begin_with_a_dash);
    tcase_add_test(tests, switches_are_read);
    tcase_add_loop_test(tests, mistakes_are_named, 0, sizeof refused / sizeof *refused);
    tcase_add_test(tests, compare_takes_two_files);
    tcase_add_test(tests, help_is_the_commands_own);
    tcase_add_test(tests, every_help_fits_on_a_screen);
    tcase_add_test(tests, the_help_has_every_command);
    return run_tests("options", tests);
}
