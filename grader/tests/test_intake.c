/* test_intake.c - folders of submissions: which file is taken, and whose it is. Archives have a test of their own. */
#define _GNU_SOURCE
#include "grader/tests/intake_folder.h"

#include "base/tests/run.h"
#include "base/utf8.h"
#include "grader/course/intake_parts.h"

/* ------------------------------------------------------------------------------------------- which file */

START_TEST(the_labs_file_is_taken_without_a_word)
{
    PUT("anna/lab3.cu", "anna/notes.txt", "anna/lab3_old.cu", "ben.cu", "carl.CU");
    read_intake();
    ck_assert_int_eq(taken.count, 3);
    expect_file("anna", "anna/lab3.cu", "");
    expect_file("ben.cu", "ben.cu", "");
    expect_file("carl.CU", "carl.CU", "");
    expect_student("ben.cu", "ben");
    expect_student("carl.CU", "carl");
}
END_TEST

START_TEST(names_that_are_nearly_the_labs_are_taken_with_a_note)
{
    static const char *const names[] = {"Lab3.cu",       "LAB3.CU",     "lab3 (1).cu",   "lab3-2.cu",
                                        "lab3_final.cu", "lab3.cu.txt", "jane_lab3.cu",  "Copy of lab3.cu",
                                        "solution.cu",   "src/lab3.cu", "a/b/c/lab3.cu", "lab3/Lab3.cu"};
    char name[100];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(name, sizeof name, "s%zu/%s", i, names[i]);
        PUT(name);
    }
    read_intake();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char source[20], words[100];
        snprintf(name, sizeof name, "s%zu/%s", i, names[i]);
        snprintf(source, sizeof source, "s%zu", i);
        snprintf(words, sizeof words, "%s was taken for lab3.cu", names[i]);
        expect_file(source, name, words);
    }
}
END_TEST

START_TEST(names_of_other_labs_are_not_taken)
{
    ck_assert_int_eq(intake_fit("lab3.cu", "lab3.cu"), INTAKE_EXACT);
    ck_assert_int_eq(intake_fit("lab31.cu", "lab3.cu"), INTAKE_OTHER);
    ck_assert_int_eq(intake_fit("Lab4.cu", "lab3.cu"), INTAKE_OTHER);
    ck_assert_int_eq(intake_fit("Lab3.cu", "lab3.cu"), INTAKE_VARIANT);
    ck_assert_int_eq(intake_fit("mylab3.cu", "lab3.cu"), INTAKE_CUDA);
    ck_assert_int_eq(intake_fit("lab3.c", "lab3.cu"), INTAKE_OTHER);
    ck_assert_int_eq(intake_fit("lab3.cuh", "lab3.cu"), INTAKE_OTHER);
    ck_assert_int_eq(intake_fit("lab3.tar.gz", "lab3.cu"), INTAKE_ARCHIVE);
    ck_assert_int_eq(intake_fit(".cu", "lab3.cu"), INTAKE_OTHER);
    ck_assert_int_eq(intake_fit("", "lab3.cu"), INTAKE_OTHER);
}
END_TEST

START_TEST(of_several_that_fit_equally_none_is_taken_and_all_are_named)
{
    PUT("anna/lab3 (1).cu", "anna/lab3_final.cu", "ben/a.cu", "ben/b.cu", "carl/x/lab3.cu", "carl/y/lab3.cu");
    read_intake();
    expect_flaw("anna", "several files could be lab3.cu, and none was taken: lab3 (1).cu, lab3_final.cu");
    expect_flaw("ben", "there is no lab3.cu in the folder: it holds a.cu, b.cu");
    expect_flaw("carl", "none was taken: x/lab3.cu, y/lab3.cu");
}
END_TEST

START_TEST(a_better_name_wins_and_then_the_one_that_lies_less_deep)
{
    PUT("anna/lab3_final.cu", "anna/old/lab3.cu", "ben/labs/lab3/lab3.cu",
        "ben/common/lab/skeletons/lab3/lab3.cu", "carl/lab3_v2.cu", "carl/main.cu");
    read_intake();
    expect_file("anna", "anna/old/lab3.cu",
                "old/lab3.cu was taken for lab3.cu, though there is also lab3_final.cu");
    expect_file("ben", "ben/labs/lab3/lab3.cu", "labs/lab3/lab3.cu was taken");
    expect_file("carl", "carl/lab3_v2.cu", "lab3_v2.cu was taken");
}
END_TEST

START_TEST(what_systems_and_programs_leave_is_nobodys_work)
{
    PUT("anna/__MACOSX/lab3.cu", "anna/.git/lab3.cu", "anna/build/lab3.cu", "anna/._lab3.cu", "anna/Lab3.cu",
        "ben/.git/lab3.cu", "carl/1/2/3/4/5/6/7/8/9/lab3.cu");
    read_intake();
    expect_file("anna", "anna/Lab3.cu", "Lab3.cu was taken");
    expect_flaw("ben", "there is no lab3.cu in the folder: it holds .git");
    expect_flaw("carl", "there is no lab3.cu in the folder: it holds 1");
}
END_TEST

START_TEST(links_pipes_and_folders_in_the_files_place_are_named)
{
    PUT("anna/notes.txt", "ben/other.cu", "carl/lab3.cu/notes.txt", "target.cu");
    ck_assert_int_eq(symlink("/etc/passwd", path_of("anna/lab3.cu")), 0);
    ck_assert_int_eq(mkfifo(path_of("ben/lab3.cu"), 0600), 0);
    ck_assert_int_eq(symlink("/", path_of("root")), 0);
    ck_assert_int_eq(symlink("target.cu", path_of("link.cu")), 0);
    ck_assert_int_eq(mkdir(path_of("empty"), 0700), 0);
    PUT("text.txt");
    read_intake();
    expect_flaw("anna", "lab3.cu is a link, and links are not followed");
    expect_flaw("ben", "lab3.cu is a pipe");
    expect_flaw("carl", "lab3.cu is a folder");
    expect_flaw("root", "a link, and links are not followed");
    expect_flaw("link.cu", "a link, and links are not followed");
    expect_flaw("empty", "it is empty");
    expect_flaw("text.txt", "neither a folder nor a file NAME.cu");
}
END_TEST

START_TEST(what_a_folder_holds_is_listed_in_short)
{
    char name[40];
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "many/%d.cu", i);
        PUT(name);
    }
    read_intake();
    expect_flaw("many", "it holds 0.cu, 1.cu, 10.cu, 100.cu, 101.cu and 295 more");
}
END_TEST

START_TEST(the_folder_of_results_and_what_platforms_add_are_no_submissions)
{
    PUT("results/anna.json", "index.html", ".DS_Store", "Thumbs.db", "__MACOSX/._anna.cu", "anna.cu");
    put("Grades.csv", "Identifier,Full name,Email address\nParticipant 1,A B,a@x\n");
    put("roster.csv", "id,name\n1,a\n1,b\n");
    put("data.csv", "x,y\n1,2\n");
    put_bytes("._anna.cu", "\0\5\26\7abc", 7);
    put("submission_metadata.yml", "");
    read_intake();
    ck_assert_int_eq(taken.count, 2);
    expect_file("anna.cu", "anna.cu", "");
    expect_flaw("data.csv", "neither a folder");
    PUT("results/lab3.cu");
    read_intake();
    expect_file("results", "results/lab3.cu", "");
}
END_TEST

/* ------------------------------------------------------------------------------------------- names of platforms */

START_TEST(canvas_names_say_who_and_whether_late)
{
    PUT("doejane_12345_678910_lab3.cu", "muellerjörg_LATE_12346_678911_lab3-1.cu", "smithal_777_1_Lab3_v2.cu",
        "smithal_777_2_notes.txt", "leeann_8_text.html", "anon_Xy1z_55_lab3.cu", "LATE_anon_Ab_56_lab3.cu");
    read_intake();
    ck_assert_int_eq(taken.count, 6);
    expect_file("doejane_12345_678910_lab3.cu", "doejane_12345_678910_lab3.cu", "");
    expect_student("doejane_12345_678910_lab3.cu", "doejane");
    expect_file("muellerjörg_LATE_12346_678911_lab3-1.cu", "muellerjörg_LATE_12346_678911_lab3-1.cu", "");
    ck_assert(find("muellerjörg_LATE_12346_678911_lab3-1.cu")->is_late);
    ck_assert(!find("doejane_12345_678910_lab3.cu")->is_late);
    expect_student("muellerjörg_LATE_12346_678911_lab3-1.cu", "muellerjörg");
    expect_file("smithal_777_1_Lab3_v2.cu", "smithal_777_1_Lab3_v2.cu", "Lab3_v2.cu was taken for lab3.cu");
    expect_file("LATE_anon_Ab_56_lab3.cu", "LATE_anon_Ab_56_lab3.cu", "");
    expect_student("LATE_anon_Ab_56_lab3.cu", "anon_Ab");
    expect_student("anon_Xy1z_55_lab3.cu", "anon_Xy1z");
    ck_assert(find("LATE_anon_Ab_56_lab3.cu")->is_late);
    expect_flaw("leeann_8_text.html", "there is no lab3.cu in the submission: it holds text.html");
}
END_TEST

START_TEST(canvas_files_handed_in_again_stay_several_submissions)
{
    PUT("doejane_1_99_lab3.cu", "doejane_1_100_lab3-1.cu", "doejane_1_101_notes.txt", "doejane_2_5_lab3.cu");
    read_intake();
    ck_assert_int_eq(taken.count, 3);
    ck_assert_str_eq(taken.list[0].source, "doejane_1_99_lab3.cu");
    ck_assert_str_eq(taken.list[1].source, "doejane_1_100_lab3-1.cu");
    expect_student("doejane_1_99_lab3.cu", "doejane_1");
    expect_student("doejane_1_100_lab3-1.cu", "doejane_1");
    expect_student("doejane_2_5_lab3.cu", "doejane_2");
}
END_TEST

START_TEST(moodle_folders_and_files_say_who)
{
    PUT("Jane Doe_12345_assignsubmission_file_/lab3.cu",
        "Jane Doe_12345_assignsubmission_onlinetext_/onlinetext.html",
        "Al_B Smith_9_assignsubmission_file_lab3.cu", "Al_B Smith_9_assignsubmission_file_notes.txt",
        "Bo Li_3_assignsubmission_file/Lab3.cu", "Cy Ng_4_assignsubmission_onlinetext_/onlinetext.html");
    read_intake();
    ck_assert_int_eq(taken.count, 4);
    expect_file("Jane Doe_12345_assignsubmission_file_", "Jane Doe_12345_assignsubmission_file_/lab3.cu", "");
    expect_student("Jane Doe_12345_assignsubmission_file_", "Jane Doe");
    expect_file("Al_B Smith_9_assignsubmission_file_lab3.cu", "Al_B Smith_9_assignsubmission_file_lab3.cu",
                "");
    expect_student("Al_B Smith_9_assignsubmission_file_lab3.cu", "Al_B Smith");
    expect_file("Bo Li_3_assignsubmission_file", "Bo Li_3_assignsubmission_file/Lab3.cu",
                "Lab3.cu was taken");
    expect_flaw("Cy Ng_4_assignsubmission_onlinetext_", "it holds onlinetext.html");
}
END_TEST

static const char metadata[] =
    "---\n"
    "submission_11:\n"
    "  :submitters:\n"
    "  - :name: Jane O'Doe\n"
    "    :sid: '123'\n"
    "    :email: jane@x.org\n"
    "  :created_at: 2026-04-26 17:34:00.861687000 Z\n"
    "  :score: 2.0\n"
    "  :results:\n"
    "    output: 'submission_12:\n"
    "\n"
    "      :submitters:\n"
    "      - :name: Eve\n"
    "'\n"
    "  :history:\n"
    "  - :id: 5\n"
    "    :created_at: 2020-01-01 00:00:00 Z\n"
    "submission_12:\r\n"
    "  :created_at: 2017-06-01T14:22:32.365935-07:00\r\n"
    "  :submitters:\r\n"
    "    - :name: 'Al ''B'' Smith'\r\n"
    "      :email: al@x.org\r\n"
    "    - :name: Bo\r\n"
    "      :sid: 333\r\n"
    "    - :name: \"Ren\\u00e9 \\\"R\\\" \\xd8 \\ud83d\\ude00 \\U0001f600 \\ud83d \\0 \\u12 \\\\\"\n"
    "      :sid: \"4\\x34\"\n"
    "      :email: '\\u00e9@x.org'\n"
    "submission_13:\n"
    "  :submitters: []\n";

START_TEST(gradescope_metadata_say_who_and_when)
{
    PUT("submission_11/lab3.cu", "submission_12/lab3.cu", "submission_13/lab3.cu", "submission_14/lab3.cu");
    put("submission_metadata.yml", metadata);
    read_intake();
    ck_assert_int_eq(taken.count, 6);
    expect_student("submission_11", "123");
    ck_assert_str_eq(find("submission_12")->name, "Al 'B' Smith");
    expect_student("submission_12 (44)", "44");
    ck_assert_str_eq(find("submission_12 (44)")->name, "René \"R\" Ø 😀 😀 \uFFFD \uFFFD u12 \\");
    ck_assert_str_eq(find("submission_12 (44)")->email, "\\u00e9@x.org");
    ck_assert_str_eq(find("submission_11")->submitted, "2026-04-26T17:34:00Z");
    expect_student("submission_12", "al@x.org");
    ck_assert_str_eq(find("submission_12")->submitted, "2017-06-01T21:22:32Z");
    expect_student("submission_12 (333)", "333");
    expect_file("submission_12 (333)", "submission_12/lab3.cu", "handed in together with others");
    ck_assert_str_eq(find("submission_12 (333)")->submitted, "2017-06-01T21:22:32Z");
    expect_student("submission_13", "submission_13");
    expect_student("submission_14", "submission_14");
    ck_assert_str_eq(find("submission_14")->submitted, "");
}
END_TEST

START_TEST(moments_are_read_or_left_empty)
{
    static const struct {
        const char *text, *moment;
    } rows[] = {{"2026-04-26 17:34:00.861687000 Z", "2026-04-26T17:34:00Z"},
                {"2026-12-31T23:30:00-0100", "2027-01-01T00:30:00Z"},
                {"2026-01-01 00:10:00 +01:00", "2025-12-31T23:10:00Z"},
                {"2026-01-01 00:00:00", "2026-01-01T00:00:00Z"},
                {"2026-01-01", ""},
                {"tomorrow", ""},
                {"", ""},
                {"0000-00-00 00:00:00", ""},
                {"9999-99-99 99:99:99 +99:99", ""}};
    char out[32];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        intake_read_moment(rows[i].text, out);
        ck_assert_str_eq(out, rows[i].moment);
    }
}
END_TEST

START_TEST(github_folders_say_the_login)
{
    PUT("lab3-anna-b/lab3.cu", "cuda-Lab3-ben/lab3.cu", "lab3-2.cu", "lab31-carl/lab3.cu");
    read_intake();
    expect_student("lab3-anna-b", "anna-b");
    expect_student("cuda-Lab3-ben", "ben");
    expect_student("lab3-2.cu", "lab3-2");
    expect_student("lab31-carl", "lab31-carl");
}
END_TEST

/* ------------------------------------------------------------------------------------------- whose it is */

START_TEST(archives_of_branches_have_the_assignment_in_common)
{
    PUT("cuda-one-anna-main.zip", "cuda-one-ben-b-master.zip", "carl-d.zip");
    read_intake();
    expect_student("cuda-one-anna-main.zip", "anna");
    expect_student("cuda-one-ben-b-master.zip", "ben-b");
    expect_student("carl-d.zip", "carl-d");
}
END_TEST

START_TEST(different_names_never_become_one_student)
{
    PUT("bob/lab3.cu", "bob.cu", "bob.CU", "Bob/lab3.cu", "doejane_1_2_lab3.cu", "doejane/lab3.cu",
        "Jo_5_assignsubmission_file_lab3.cu", "Jo_6_assignsubmission_file_lab3.cu", "Jo_5/lab3.cu",
        "lab3-jo/lab3.cu", "jo.cu");
    read_intake();
    for (size_t i = 1; i < taken.count; i++)
        ck_assert_str_ne(taken.list[i].student, taken.list[i - 1].student);
    ck_assert_int_eq(taken.count, 11);
    expect_student("bob", "bob");
    expect_student("bob.cu", "bob.cu");
    expect_student("Bob", "Bob");
}
END_TEST

START_TEST(any_bytes_are_a_name)
{
    char longest[256];
    memset(longest, 'x', 255);
    longest[255] = '\0';
    memcpy(longest + 252, ".cu", 3);
    PUT("a\nb.cu", "a\tb.cu", "\x1b[31m.cu", "\xff.cu", "\\xff.cu", "-rf.cu", "--help/lab3.cu", "...cu",
        " .cu", ".cu", "$(touch x).cu", "%s%n.cu", "\xe2\x80\xae.cu", "_1_2_lab3.cu",
        "_1_assignsubmission_file_", "\"'.cu");
    put(longest, "x");
    read_intake();
    ck_assert_int_eq(taken.count, 17);
    for (size_t i = 0; i < taken.count; i++) {
        const struct intake_submission *one = &taken.list[i];
        char *again = utf8_name(one->student), *source = utf8_name(one->source);
        ck_assert_str_eq(again, one->student);
        ck_assert_str_eq(source, one->source);
        ck_assert(*one->student);
        free(again);
        free(source);
        for (size_t k = 0; k < i; k++)
            ck_assert_str_ne(one->student, taken.list[k].student);
    }
    expect_file("\\xff.cu", "\\xff.cu", "");
    expect_file("\\xff.cu (again)", "\xff.cu", "");
}
END_TEST

static const char class[] = "id,name,email,section\n"
                            "100,\"Doe, Jane\",jdoe@x.org,A\n"
                            "200,Jörg Müller,joerg@x.org,A\n"
                            "300,Ann Lee,al@x.org,B\n"
                            "400,Lee Ann,la@x.org,B\n"
                            "500,Al Smith,smith1@x.org,B\n"
                            "600,Al Smith,smith2@x.org,B\n"
                            "bob,Bob Bee Bow,bob@x.org,C\n";

START_TEST(a_roster_knows_ids_logins_addresses_and_names)
{
    static const struct {
        const char *source, *id;
    } rows[] = {{"100", "100"},
                {"JDoe.cu", "100"},
                {"jdoe@x.org", "100"},
                {"jane doe", "100"},
                {"Doe, Jane.cu", "100"},
                {"doejane_100_5_lab3.cu", "100"},
                {"Jane  DOE_7_assignsubmission_file_lab3.cu", "100"},
                {"Jorg Muller", "200"},
                {"mu\xcc\x88ller jo\xcc\x88rg", "200"},
                {"müllerjörg_7_5_lab3.cu", "200"},
                {"Ann Lee", "300"},
                {"Lee Ann", "400"},
                {"smith1.cu", "500"},
                {"Bow, Bob Bee", "bob"},
                {"lab3-BOB", "bob"},
                {"bob_lab3.cu", "bob"},
                {"course-hw-bob", "bob"}};
    char name[100];
    use_roster(class);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(name, sizeof name, strstr(rows[i].source, ".cu") ? "%s" : "%s/lab3.cu", rows[i].source);
        PUT(name);
    }
    read_intake();
    ck_assert_int_eq(taken.count, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(strcmp(find(rows[i].source)->student, rows[i].id) == 0, "%s: %s, %s", rows[i].source,
                      find(rows[i].source)->student, find(rows[i].source)->note);
    ck_assert_ptr_nonnull(strstr(find("JDoe.cu")->note, "is this student's, too"));
    ck_assert_str_eq(find("Ann Lee")->note, "");
}
END_TEST

START_TEST(where_the_roster_is_not_sure_nobody_is_chosen)
{
    use_roster(class);
    PUT("Al Smith/lab3.cu", "nobody.cu", "leeann_777_1_lab3.cu", "doejane_bob.cu", "jane_doe@x.org.cu",
        "muellerjoerg_100_9_lab3.cu", "smith1_300_1_lab3.cu");
    read_intake();
    expect_file("Al Smith", "Al Smith/lab3.cu", "Al Smith could be several in the roster");
    expect_student("Al Smith", "Al Smith");
    expect_file("nobody.cu", "nobody.cu", "nobody is not in the roster");
    expect_student("leeann_777_1_lab3.cu", "400");
    expect_student("doejane_bob.cu", "doejane_bob");
    expect_student("jane_doe@x.org.cu", "jane_doe@x.org");
    expect_file("smith1_300_1_lab3.cu", "smith1_300_1_lab3.cu", "are two students'");
    expect_student("smith1_300_1_lab3.cu", "smith1");
}
END_TEST

START_TEST(moodles_participants_are_found_by_number)
{
    use_roster("Bezeichner;Identifikator;Vollständiger Name;E-Mail-Adresse\n"
               "x;Teilnehmer/in17;Jane Doe;\nx;Teilnehmer/in18;Jane Doe;\n");
    PUT("Jane Doe_17_assignsubmission_file_/lab3.cu", "Jane Doe_18_assignsubmission_file_/lab3.cu",
        "Jane Doe_7_assignsubmission_file_/lab3.cu");
    read_intake();
    expect_student("Jane Doe_17_assignsubmission_file_", "Teilnehmer/in17");
    expect_student("Jane Doe_18_assignsubmission_file_", "Teilnehmer/in18");
    expect_file("Jane Doe_7_assignsubmission_file_", "Jane Doe_7_assignsubmission_file_/lab3.cu",
                "could be several");
}
END_TEST

START_TEST(gradescopes_submitters_are_found_in_the_roster)
{
    use_roster(
        "First Name,Last Name,SID,Email,Sections\nJane,O'Doe,123,other@x.org,1\nAl,Smith,9,AL@x.org,1\n");
    put("submission_metadata.yml", metadata);
    PUT("submission_11/lab3.cu", "submission_12/lab3.cu");
    read_intake();
    expect_student("submission_11", "123");
    expect_student("submission_12", "9");
    expect_student("submission_12 (333)", "333");
    ck_assert_str_eq(roster[0].name, "Jane O'Doe");
}
END_TEST

START_TEST(a_folder_that_is_not_there_says_so)
{
    struct intake none;
    const struct intake_order order = {.folder = "/nowhere", .file = "lab3.cu", .work = "/nowhere"};
    ck_assert(!intake_read(&none, &order));
    ck_assert_int_eq(none.count, 0);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("intake");
    tcase_add_checked_fixture(tests, begin, finish);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, the_labs_file_is_taken_without_a_word);
    tcase_add_test(tests, names_that_are_nearly_the_labs_are_taken_with_a_note);
    tcase_add_test(tests, names_of_other_labs_are_not_taken);
    tcase_add_test(tests, of_several_that_fit_equally_none_is_taken_and_all_are_named);
    tcase_add_test(tests, a_better_name_wins_and_then_the_one_that_lies_less_deep);
    tcase_add_test(tests, what_systems_and_programs_leave_is_nobodys_work);
    tcase_add_test(tests, links_pipes_and_folders_in_the_files_place_are_named);
    tcase_add_test(tests, what_a_folder_holds_is_listed_in_short);
    tcase_add_test(tests, the_folder_of_results_and_what_platforms_add_are_no_submissions);
    tcase_add_test(tests, canvas_names_say_who_and_whether_late);
    tcase_add_test(tests, canvas_files_handed_in_again_stay_several_submissions);
    tcase_add_test(tests, moodle_folders_and_files_say_who);
    tcase_add_test(tests, gradescope_metadata_say_who_and_when);
    tcase_add_test(tests, moments_are_read_or_left_empty);
    tcase_add_test(tests, github_folders_say_the_login);
    tcase_add_test(tests, archives_of_branches_have_the_assignment_in_common);
    tcase_add_test(tests, different_names_never_become_one_student);
    tcase_add_test(tests, any_bytes_are_a_name);
    tcase_add_test(tests, a_roster_knows_ids_logins_addresses_and_names);
    tcase_add_test(tests, where_the_roster_is_not_sure_nobody_is_chosen);
    tcase_add_test(tests, moodles_participants_are_found_by_number);
    tcase_add_test(tests, gradescopes_submitters_are_found_in_the_roster);
    tcase_add_test(tests, a_folder_that_is_not_there_says_so);
    return run_tests("intake", tests);
}
