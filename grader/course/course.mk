# A class's results: records, store, tables. SQLite is what instructors need, not students: without it there is no store, and words
# say so.

HAS_SQLITE := $(shell echo '\#include <sqlite3.h>' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)

COURSE_SOURCES := record store_rows $(if $(HAS_SQLITE),store,store_none) course late course_csv
COURSE_LIBS    := $(if $(HAS_SQLITE),-lsqlite3)
GRADE_SOURCES  += $(addprefix course/,$(COURSE_SOURCES))

# Points in the forms of course platforms.
EXPORT_SOURCES := formats class words tables junit gradescope autolab classroom50 prairielearn lti
GRADE_SOURCES  += export export_folder $(addprefix course/export_,$(EXPORT_SOURCES))
