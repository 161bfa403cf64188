/* test_archives.c - submissions in archives: which file is taken, and what hostile, damaged and huge ones come to.
 * The archives are made here, by libarchive; without it there is one test. */
#define _GNU_SOURCE
#include "grader/tests/intake_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/tests/run.h"
#include "grader/course/apart.h"
#include "grader/course/intake_parts.h"

/* ------------------------------------------------------------------------------------------- a process apart */

static void say_hello(const void *context)
{
    apart_answer(context, strlen(context));
}

static void try_to_escape(const void *context)
{
    (void)context;
    const bool is_open =
        open("/etc/passwd", O_RDONLY) >= 0 || open("/tmp/warpstep-escaped", O_CREAT | O_WRONLY, 0600) >= 0;
    const bool has_more = fcntl(3, F_GETFD) >= 0 && errno != EPERM;
    const bool has_socket = socket(AF_INET, SOCK_STREAM, 0) >= 0, has_child = fork() >= 0;
    apart_answer(is_open || has_more || has_socket || has_child ? "free" : "kept", 4);
}

static void crash(const void *context)
{
    apart_answer("half", 4);
    *(volatile int *)(uintptr_t)context = 1;
}

static void flood(const void *context)
{
    static char zeros[1 << 16];
    (void)context;
    for (;;)
        apart_answer(zeros, sizeof zeros);
}

START_TEST(a_process_apart_answers_and_can_do_nothing_else)
{
    size_t size;
    char *answer = apart_run(0, say_hello, "hello", 100, &size);
    ck_assert(answer && size == 5 && strcmp(answer, "hello") == 0);
    free(answer);
    answer = apart_run(0, try_to_escape, NULL, 100, &size);
    ck_assert(answer && strcmp(answer, "kept") == 0);
    free(answer);
    ck_assert(!apart_run(0, crash, NULL, 100, &size) && errno == EINTR);
    ck_assert(!apart_run(0, flood, NULL, 1 << 20, &size) && errno == EFBIG);
    ck_assert(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}
END_TEST

#ifndef HAVE_LIBARCHIVE

START_TEST(without_libarchive_an_archive_says_what_to_do)
{
    PUT("anna.zip", "ben/work.tar.gz");
    read_intake();
    ck_assert(!intake_knows_archives());
    expect_flaw("anna.zip", "built without libarchive: install libarchive-dev and run make");
    expect_flaw("ben", "work.tar.gz: an archive, and this kit was built without libarchive");
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, without_libarchive_an_archive_says_what_to_do);
}

#else
#include <archive.h>
#include <archive_entry.h>

/* ------------------------------------------------------------------------------------------- making archives */

struct making {
    struct archive *archive;
    char name[300];
};

/* In the format that the name's end asks for. */
static struct making make(const char *name)
{
    struct making making = {.archive = archive_write_new()};
    snprintf(making.name, sizeof making.name, "%s", name);
    if (strstr(name, ".zst")) {
        archive_write_set_format_pax_restricted(making.archive);
        ck_assert_int_eq(archive_write_add_filter_zstd(making.archive), ARCHIVE_OK);
    } else {
        const char *kind = strstr(name, ".tgz") ? "a.tar.gz" : name;
        ck_assert_int_ge(archive_write_set_format_filter_by_ext(making.archive, kind), ARCHIVE_WARN);
    }
    return making;
}

static void start(struct making *making)
{
    char first[300];
    snprintf(first, sizeof first, "%s", making->name);
    if (strchr(first, '/')) {
        *strrchr(first, '/') = '\0';
        mkdir(path_of(first), 0755);
    }
    ck_assert_int_eq(archive_write_open_filename(making->archive, path_of(making->name)), ARCHIVE_OK);
}

static void add_entry(struct making *making, const char *name, mode_t type, const char *link,
                      const void *bytes, size_t size)
{
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, type);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, (int64_t)size);
    if (type == AE_IFLNK)
        archive_entry_set_symlink(entry, link);
    else if (link)
        archive_entry_set_hardlink(entry, link);
    ck_assert_int_ge(archive_write_header(making->archive, entry), ARCHIVE_WARN);
    if (size)
        ck_assert_int_eq(archive_write_data(making->archive, bytes, size), (ssize_t)size);
    archive_entry_free(entry);
}

static void add(struct making *making, const char *name)
{
    add_entry(making, name, AE_IFREG, NULL, name, strlen(name));
}

static void close_it(struct making *making)
{
    ck_assert_int_ge(archive_write_free(making->archive), ARCHIVE_WARN);
}

/* An archive of files that hold their own names. */
static void pack_names(const char *name, const char *const *names)
{
    struct making making = make(name);
    start(&making);
    for (; *names; names++)
        add(&making, *names);
    close_it(&making);
}
#define PACK(name, ...) pack_names(name, (const char *const[]){__VA_ARGS__, NULL})

static void cut_file(const char *name, double share)
{
    struct stat status;
    ck_assert_int_eq(stat(path_of(name), &status), 0);
    ck_assert_int_eq(truncate(path_of(name), (off_t)((double)status.st_size * share)), 0);
}

/* ------------------------------------------------------------------------------------------- what is taken */

START_TEST(every_kind_of_archive_is_read)
{
    static const char *const names[] = {"a.zip",      "a1.tar",    "a2.tar.gz",  "a3.tgz",
                                        "a4.tar.bz2", "a5.tar.xz", "a6.tar.zst", "a7.7z"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        PACK(names[i], "lab3.cu");
    read_intake();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect_file(names[i], "lab3.cu", "");
    expect_student("a.zip", "a");
    expect_student("a2.tar.gz", "a2");
}
END_TEST

START_TEST(only_the_labs_file_leaves_the_archive_under_a_name_of_ours)
{
    char found[400] = "";
    PACK("anna.zip", "lab3.cu", "notes.txt", "Makefile", "data/x.bin");
    PACK("ben.zip", "hand-in/Lab3.cu", "hand-in/README.md");
    read_intake();
    expect_file("anna.zip", "lab3.cu", "3 other files were left");
    expect_file("ben.zip", "hand-in/Lab3.cu", "hand-in/Lab3.cu was taken for lab3.cu; 1 other file was left");
    char line[200];
    snprintf(line, sizeof line, "cd %s/work && find . -type f | sort | tr '\\n' ' '", base);
    FILE *list = popen(line, "r");
    ck_assert(list && fgets(found, sizeof found, list));
    pclose(list);
    ck_assert_str_eq(found, "./1/lab3.cu ./2/lab3.cu ");
}
END_TEST

START_TEST(names_in_archives_are_chosen_as_in_folders)
{
    PACK("anna.zip", "__MACOSX/._lab3.cu", "__MACOSX/lab3.cu", ".git/lab3.cu", "build/lab3.cu",
         "lab3 (1).cu");
    PACK("ben.zip", "lab3_a.cu", "lab3_b.cu");
    PACK("carl.zip", "notes.txt", "x.c");
    PACK("dora.zip", "lab3\\lab3.cu");
    PACK("eve.tar", "./lab3.cu");
    PACK("fay.zip", "solution.cu");
    read_intake();
    expect_file("anna.zip", "lab3 (1).cu", "lab3 (1).cu was taken for lab3.cu");
    expect_flaw("ben.zip", "several files could be lab3.cu, and none was taken: lab3_a.cu, lab3_b.cu");
    expect_flaw("carl.zip", "there is no lab3.cu in the archive: it holds notes.txt, x.c");
    expect_file("dora.zip", "lab3\\lab3.cu", "lab3/lab3.cu was taken");
    expect_file("eve.tar", "./lab3.cu", "");
    expect_file("fay.zip", "solution.cu", "solution.cu was taken");
}
END_TEST

/* As programs of today write a zip: bit 11 of an entry's flags says that its name is UTF-8. */
static void flag_as_utf8(const char *name)
{
    static const struct {
        const char *mark;
        size_t flags;
    } headers[] = {{"PK\3\4", 6}, {"PK\1\2", 8}};
    static char bytes[1 << 16];
    FILE *file = fopen(path_of(name), "r+");
    ck_assert(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    for (size_t at = 0; at + 10 < size; at++) {
        for (size_t i = 0; i < 2; i++)
            if (memcmp(bytes + at, headers[i].mark, 4) == 0)
                bytes[at + headers[i].flags + 1] |= 8;
    }
    rewind(file);
    ck_assert(fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* What lies in base/out, from an archive of a class. */
static bool unpack_class(const char *name, char **flaw)
{
    char folder[100];
    snprintf(folder, sizeof folder, "%s/out", base);
    command("rm -rf %s/out && mkdir %s/out");
    return intake_unpack(path_of(name), folder, flaw);
}

static bool is_unpacked(const char *name)
{
    char path[400];
    snprintf(path, sizeof path, "%s/out/%s", base, name);
    return holds(path, name);
}

START_TEST(names_are_read_as_utf8_whatever_the_locale_is)
{
    char *flaw = NULL;
    PACK("anna.zip",
         "\xc3\x9c"
         "bung/lab3.cu",
         "\xc3\x9c"
         "bung/notes.txt");
    PACK("class.zip", "Ben B\xc3\xa4r/lab3.cu", "Zo\xc3\xab/lab3.cu", "\xe6\x9d\x8e/lab3.cu",
         "Ben Baer/lab3.cu");
    PACK("class.tar", "Ben B\xc3\xa4r/lab3.cu", "Zo\xc3\xab/lab3.cu");
    flag_as_utf8("anna.zip");
    for (int is_flagged = 0; is_flagged < 2; is_flagged++) {
        ck_assert_msg(unpack_class("class.zip", &flaw), "%s", flaw);
        ck_assert(is_unpacked("Ben B\xc3\xa4r/lab3.cu") && is_unpacked("Zo\xc3\xab/lab3.cu") &&
                  is_unpacked("\xe6\x9d\x8e/lab3.cu") && is_unpacked("Ben Baer/lab3.cu"));
        flag_as_utf8("class.zip");
    }
    ck_assert_msg(unpack_class("class.tar", &flaw), "%s", flaw);
    ck_assert(is_unpacked("Ben B\xc3\xa4r/lab3.cu") && is_unpacked("Zo\xc3\xab/lab3.cu"));
    command("rm %s/in/class.*");
    read_intake();
    expect_file("anna.zip",
                "\xc3\x9c"
                "bung/lab3.cu",
                "\xc3\x9c"
                "bung/lab3.cu was taken for lab3.cu");
}
END_TEST

START_TEST(a_name_that_cannot_be_read_is_told_and_is_no_other_students)
{
    char *flaw = NULL;
    PACK("class.zip", "anna/lab3.cu", "Ben B\xe4r/lab3.cu", "Ben B\xf6r/lab3.cu");
    ck_assert_msg(unpack_class("class.zip", &flaw), "%s", flaw); /* bytes of an old program: no flag */
    flag_as_utf8("class.zip");
    ck_assert(!unpack_class("class.zip", &flaw));
    ck_assert_msg(strstr(flaw, "entry 2, whose name cannot be read"), "%s", flaw);
    free(flaw);
    PACK("carl.zip", "B\xe4r/lab3.cu");
    PACK("dora.zip", "lab3.cu", "B\xe4r/lab3.cu");
    flag_as_utf8("carl.zip");
    flag_as_utf8("dora.zip");
    command("rm %s/in/class.zip");
    read_intake();
    expect_flaw("carl.zip",
                "in the archive there is entry 1, whose name cannot be read: it says that it is UTF-8");
    expect_file("dora.zip", "lab3.cu", "");
}
END_TEST

START_TEST(an_archive_in_a_folder_counts_where_no_file_does)
{
    PACK("anna/work.zip", "lab3.cu");
    PACK("ben/work.zip", "lab3.cu");
    PUT("ben/Lab3.cu", "ben/notes.txt", "carl/notes.txt");
    PACK("carl/one.zip", "lab3.cu");
    PACK("carl/two.zip", "lab3.cu");
    PACK("Jane Doe_5_assignsubmission_file_lab3.zip", "lab3.cu");
    PACK("doejane_5_6_lab3.zip", "src/lab3.cu");
    PACK("lab3-dora-main.zip", "lab3-dora-main/lab3.cu");
    read_intake();
    expect_file("anna", "lab3.cu", "work.zip was unpacked");
    expect_file("ben", "ben/Lab3.cu", "Lab3.cu was taken");
    expect_flaw("carl", "several archives hold the file, and none was taken");
    expect_file("Jane Doe_5_assignsubmission_file_lab3.zip", "lab3.cu", "");
    expect_file("doejane_5_6_lab3.zip", "src/lab3.cu", "src/lab3.cu was taken");
    expect_student("lab3-dora-main.zip", "dora");
}
END_TEST

static void nest(const char *outer, const char *inner)
{
    static char bytes[1 << 16];
    FILE *file = fopen(path_of(inner), "r");
    ck_assert(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    unlink(path_of(inner));
    struct making making = make(outer);
    start(&making);
    add_entry(&making, inner, AE_IFREG, NULL, bytes, size);
    close_it(&making);
}

START_TEST(an_archive_in_an_archive_is_looked_into_once)
{
    PACK("x.zip", "lab3.cu");
    nest("anna.tar.gz", "x.zip");
    PACK("x.zip", "lab3.cu");
    nest("y.zip", "x.zip");
    nest("ben.zip", "y.zip");
    read_intake();
    expect_file("anna.tar.gz", "lab3.cu", "x.zip/lab3.cu was taken for lab3.cu");
    expect_flaw("ben.zip", "there is no lab3.cu in the archive: it holds y.zip/x.zip");
}
END_TEST

/* ------------------------------------------------------------------------------------------- hostile ones */

START_TEST(links_devices_and_pipes_are_not_taken)
{
    static const struct {
        const char *name;
        mode_t type;
        const char *link, *words;
    } rows[] = {{"soft.tar", AE_IFLNK, "/etc/passwd", "lab3.cu is a link in the archive"},
                {"hard.tar", AE_IFREG, "/etc/passwd", "lab3.cu is a link in the archive"},
                {"device.tar", AE_IFCHR, NULL, "lab3.cu is no file in the archive"},
                {"pipe.tar", AE_IFIFO, NULL, "lab3.cu is no file in the archive"},
                {"soft.zip", AE_IFLNK, "/etc/passwd", "lab3.cu is a link in the archive"},
                {"folder.tar", AE_IFDIR, NULL, "it is empty"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct making making = make(rows[i].name);
        start(&making);
        add_entry(&making, "lab3.cu", rows[i].type, rows[i].link, NULL, 0);
        close_it(&making);
    }
    read_intake();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_flaw(rows[i].name, rows[i].words);
}
END_TEST

START_TEST(no_name_in_an_archive_is_a_path)
{
    char escaped[100];
    PACK("up.tar", "../../lab3.cu");
    PACK("within.zip", "a/../lab3.cu");
    PACK("beside.tar", "lab3.cu", "../notes.txt");
    PACK("dots.tar", "a../b.../lab3.cu");
    PACK("absolute.tar", "/tmp/warpstep-escaped/lab3.cu");
    PACK("twice.tar", "lab3.cu", "lab3.cu");
    PACK("odd.tar", "a\nb\x1b/\xff/Lab3.cu");
    read_intake();
    expect_flaw("up.tar", "an archive with a path that leads out of it: ../../lab3.cu");
    expect_flaw("within.zip", "leads out of it: a/../lab3.cu");
    expect_flaw("beside.tar", "leads out of it: ../notes.txt");
    expect_file("dots.tar", "a../b.../lab3.cu", "a../b.../lab3.cu was taken for lab3.cu");
    expect_file("absolute.tar", "/tmp/warpstep-escaped/lab3.cu", "/tmp/warpstep-escaped/lab3.cu was taken");
    expect_flaw("twice.tar", "none was taken: lab3.cu, lab3.cu");
    ck_assert_ptr_null(strpbrk(find("odd.tar")->note, "\n\x1b\xff"));
    ck_assert_int_ne(access("/tmp/warpstep-escaped", F_OK), 0);
    snprintf(escaped, sizeof escaped, "%s/lab3.cu", base);
    ck_assert_int_ne(access(escaped, F_OK), 0);
}
END_TEST

START_TEST(bombs_are_given_up)
{
    const size_t piece = 16 << 20;
    char *zeros = calloc(1, piece), name[40];
    struct making bomb = make("bomb.tar.zst"), many = make("many.zip"), large = make("large.zip");
    archive_write_set_options(large.archive, "zip:compression-level=1");
    start(&bomb);
    for (int i = 0; i < 20; i++)
        add_entry(&bomb, "data", AE_IFREG, NULL, zeros, piece);
    add(&bomb, "lab3.cu");
    close_it(&bomb);
    start(&many);
    for (int i = 0; i < 10001; i++) {
        snprintf(name, sizeof name, "%d.txt", i);
        add(&many, name);
    }
    add(&many, "lab3.cu");
    close_it(&many);
    start(&large);
    add_entry(&large, "lab3.cu", AE_IFREG, NULL, zeros, piece);
    close_it(&large);
    free(zeros);
    read_intake();
    expect_flaw("bomb.tar.zst", "more than 256 MB");
    expect_flaw("many.zip", "more than 10000 entries");
    expect_flaw("large.zip", "larger than 4 MB");
}
END_TEST

START_TEST(a_zip_may_be_large_beside_the_file)
{
    const size_t piece = 16 << 20;
    char *zeros = calloc(1, piece);
    struct making making = make("data.zip");
    archive_write_set_options(making.archive, "zip:compression-level=1");
    start(&making);
    for (int i = 0; i < 20; i++)
        add_entry(&making, "data", AE_IFREG, NULL, zeros, piece);
    add(&making, "lab3.cu");
    close_it(&making);
    free(zeros);
    read_intake();
    expect_file("data.zip", "lab3.cu", "20 other files were left");
}
END_TEST

START_TEST(damaged_archives_say_so_and_no_byte_of_them_hurts)
{
    char text[20000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + rand() % 26);
    static const char *const names[] = {"cut.zip",    "cut.tar", "cut.tar.gz",
                                        "cut.tar.xz", "cut.7z",  "cut.tar.zst"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct making making = make(names[i]);
        start(&making);
        add_entry(&making, "lab3.cu", AE_IFREG, NULL, text, sizeof text);
        close_it(&making);
        cut_file(names[i], 0.5);
    }
    PUT("text.zip", "text.rar");
    put("empty.zip", "");
    read_intake();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect_flaw(names[i], "damaged");
    expect_flaw("text.zip", "damaged, or no archive that can be read");
    expect_flaw("text.rar", "damaged, or no archive that can be read");
    expect_flaw("empty.zip", "");
}
END_TEST

/* The file is whole, or it is not taken; tar, and gzip as libarchive reads it, have no sum of their bytes. */
START_TEST(a_changed_byte_never_gives_a_changed_file)
{
    static const char *const names[] = {"a.zip", "a.7z", "a.tar.xz"};
    char bytes[4096];
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        PACK(names[n], "lab3.cu");
        FILE *file = fopen(path_of(names[n]), "r");
        const size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        for (size_t i = 0; i < size; i += 1 + size / 40) {
            const char change = (char)(1 + rand() % 255);
            bytes[i] ^= change;
            put_bytes(names[n], bytes, size);
            bytes[i] ^= change;
            read_intake();
            const struct intake_submission *one = find(names[n]);
            ck_assert_msg(!one->path || holds(one->path, "lab3.cu"), "%s, byte %zu", names[n], i);
        }
        unlink(path_of(names[n]));
    }
}
END_TEST

START_TEST(encrypted_files_are_named)
{
    struct making making = make("secret.zip");
    if (archive_write_set_options(making.archive, "zip:encryption=traditional") != ARCHIVE_OK ||
        archive_write_set_passphrase(making.archive, "x") != ARCHIVE_OK) {
        archive_write_free(making.archive);
        return;
    }
    start(&making);
    add(&making, "lab3.cu");
    close_it(&making);
    read_intake();
    expect_flaw("secret.zip", "lab3.cu is encrypted in the archive");
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, every_kind_of_archive_is_read);
    tcase_add_test(tests, only_the_labs_file_leaves_the_archive_under_a_name_of_ours);
    tcase_add_test(tests, names_in_archives_are_chosen_as_in_folders);
    tcase_add_test(tests, names_are_read_as_utf8_whatever_the_locale_is);
    tcase_add_test(tests, a_name_that_cannot_be_read_is_told_and_is_no_other_students);
    tcase_add_test(tests, an_archive_in_a_folder_counts_where_no_file_does);
    tcase_add_test(tests, an_archive_in_an_archive_is_looked_into_once);
    tcase_add_test(tests, links_devices_and_pipes_are_not_taken);
    tcase_add_test(tests, no_name_in_an_archive_is_a_path);
    tcase_add_test(tests, bombs_are_given_up);
    tcase_add_test(tests, a_zip_may_be_large_beside_the_file);
    tcase_add_test(tests, damaged_archives_say_so_and_no_byte_of_them_hurts);
    tcase_add_test(tests, a_changed_byte_never_gives_a_changed_file);
    tcase_add_test(tests, encrypted_files_are_named);
}
#endif

int main(void)
{
    TCase *tests = tcase_create("archives");
    tcase_add_checked_fixture(tests, begin, finish);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, a_process_apart_answers_and_can_do_nothing_else);
    add_tests(tests);
    return run_tests("archives", tests);
}
