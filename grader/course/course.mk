# A class's results: records, store, tables. SQLite is what instructors need, not students: without it there is no store, and words
# say so.

HAS_SQLITE := $(shell echo '\#include <sqlite3.h>' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)

COURSE_SOURCES := record store_rows $(if $(HAS_SQLITE),store,store_none) course late course_csv
COURSE_LIBS    := $(if $(HAS_SQLITE),-lsqlite3)
GRADE_SOURCES  += $(addprefix course/,$(COURSE_SOURCES))
