# A class's results: submissions, records, store, tables. Libraries that only instructors need are used where they are; without
# SQLite there is no store, without libarchive no archive is opened, and words say so. `make setup` installs both.

HAS_SQLITE     := $(shell echo "int main(void) { return sqlite3_libversion_number() < 3032000; }" | $(CC) -include sqlite3.h -x c - -lsqlite3 -o /dev/null 2>/dev/null && echo yes)
HAS_LIBARCHIVE := $(shell echo "int main(void) { return archive_version_number() < 3003000; }" | $(CC) -include archive.h -x c - -larchive -o /dev/null 2>/dev/null && echo yes)

COURSE_SOURCES := record csv store_rows $(if $(HAS_SQLITE),store store_vfs store_keep db,store_none) course late course_csv course_sums by_hand \
                  apart intake intake_take intake_whose intake_names intake_search intake_archive intake_metadata intake_roster intake_match
COURSE_LIBS    := $(if $(HAS_SQLITE),-lsqlite3) $(if $(HAS_LIBARCHIVE),-larchive)
GRADE_SOURCES  += $(addprefix course/,$(COURSE_SOURCES))

# Points in the forms of course platforms.
EXPORT_SOURCES := formats class words tables gradebook junit gradescope autolab classroom50 prairielearn lti
GRADE_SOURCES  += export export_folder $(addprefix course/export_,$(EXPORT_SOURCES))

COURSE_CFLAGS  := $(if $(HAS_LIBARCHIVE),-DHAVE_LIBARCHIVE)
# Made again when a library has come or gone.
COURSE_HAS := $(BUILD)/course-has-$(if $(HAS_SQLITE),sqlite,nothing)-$(if $(HAS_LIBARCHIVE),libarchive,nothing)
ifeq ($(wildcard $(COURSE_HAS)),)
.PHONY: course-has-changed
$(BUILD)/grade/course/intake_archive.o $(BUILD)/grade/course/record.o: course-has-changed
course-has-changed:
	$(Q)mkdir -p $(BUILD) && rm -f $(BUILD)/course-has-* && touch $(COURSE_HAS)
endif

# Pages of a class: the scripts of common/page that draw any page, and those in pages/; and pairs that are alike.
GRADE_SOURCES += $(addprefix course/,pages pages_json pages_parts alike alike_tokens alike_rank)
CLASS_SCRIPTS := $(addprefix common/page/,dom.js values.js bars.js) \
                 $(addprefix grader/course/pages/,stats.js plots.js tables.js class.js student.js board.js similar.js main.js)
$(BUILD)/grade/course/pages_parts.c: common/page/embed.sh grader/course/pages/class.css $(CLASS_SCRIPTS)
	@mkdir -p $(@D)
	$(Q)sh $< class_css grader/course/pages/class.css > $@ && sh $< class_js $(CLASS_SCRIPTS) >> $@
$(BUILD)/grade/course/pages_parts.o: $(BUILD)/grade/course/pages_parts.c
	$(Q)$(CC) $(CFLAGS) -Wno-overlength-strings $(CPPFLAGS) -c $< -o $@
