# What the handouts have besides text: drawings, and tables of speedups to expect. Both are made by programs, and a test says
# where one is stale. And how they become pages.

.PHONY: pictures
pictures: grade $(addprefix grade-,lab3) ## draw the pictures of the handouts, also those that the kit's pages have
	@sh handouts/pictures/draw.sh handouts/pictures
	@sh handouts/pictures/page.sh handouts/pictures

# What student.md shows of a page is what the page has today.
LONG += page-pictures
.PHONY: test-page-pictures
test-page-pictures: $(BUILD)/kit-ready
	@$(SUITE) page-pictures sh handouts/pictures/page_test.sh $(RESULTS)/page-pictures

.PHONY: report-picture
report-picture: lab3 ## take the picture of a report that README.md shows
	@sh handouts/pictures/report.sh terminal >handouts/pictures/grade.svg

# Between <!-- expected labN --> and <!-- end -->.
.PHONY: handout-tables
handout-tables: $(LAB_IDS:%=$(BUILD)/labs/%/bench) ## fill in the tables of expected speedups in the handouts
	@sh $(LAB_BENCH)/expected.sh $(BUILD) $(BENCH_OUT) $(LAB_IDS)

SUITES += handouts
LONG   += tables
.PHONY: test-handouts test-tables
test-handouts: lab3 $(LAB_IDS:%=$(BUILD)/labs/%/bench)
	@+UNTIMED=1 $(SUITE) handouts sh handouts/test.sh $(BUILD) $(RESULTS)/handouts $(LAB_IDS)
test-tables: lab3 $(LAB_IDS:%=$(BUILD)/labs/%/bench)
	@+$(SUITE) tables sh handouts/test.sh $(BUILD) $(RESULTS)/tables $(LAB_IDS)

# Every figure in prose has one source, and equals it: figures.txt. Pictures of reports and of pages have tests of their own.
FIGURE_RECORDS := handouts/h200.csv handouts/once.csv common/vgpu/bench/model-report.md $(wildcard common/vgpu/bench/h200/*.csv labs/*/reference.csv common/vgpu/gpus/*.gpu)
FIGURE_TEXTS   := README.md handouts/primer.md handouts/measuring.md handouts/student.md $(wildcard handouts/lab*.md) \
                  $(filter-out %/grade.svg %/page-before.svg %/page-memory.svg %/page-now.svg %/page-timeline.svg,$(wildcard handouts/pictures/*.svg))
.PHONY: figures
figures: ## look for figures in the handouts that differ from their source, or have none (list=1: propose one)
	$(Q)awk $(if $(list),-v list=1) -f handouts/figures.awk $(FIGURE_RECORDS) handouts/figures.txt $(FIGURE_TEXTS)

# Pages: pandoc makes HTML of GitHub's Markdown, and Chromium prints it. Chromium, because it is the browser that the pages are
# tested in: one style sheet serves screen and paper, and drawings look the same on both. LaTeX would need a style of its own and a
# converter for drawings. Instructors need these two tools, students do not.
PAGES       := $(BUILD)/handouts
PAGE_TEXTS  := $(shell find README.md handouts common grader -name '*.md' 2>/dev/null)
PAGE_PARTS  := $(addprefix handouts/pages/,pages.sh page.awk template.html style.css filter.lua cuda.xml)
SEARCH      := $(PAGES)/search.html
page_name    = $(if $(filter README.md,$1),index,$(subst /,-,$(patsubst handouts/%,%,$(1:.md=))))
PAGES_HTML  := $(foreach text,$(PAGE_TEXTS),$(PAGES)/$(call page_name,$(text)).html)
# Reports of hundreds of rows are for a screen.
PAGES_PDF   := $(foreach text,$(filter handouts/%,$(PAGE_TEXTS)),$(PAGES)/$(call page_name,$(text)).pdf)

.PHONY: handouts
handouts: ## all handouts as HTML pages and PDF files, in build/handouts/ (wants pandoc and Chromium)
	@command -v pandoc >/dev/null || { echo "make handouts: no pandoc: install the package pandoc, or let \`make setup\` do it"; exit 2; }
	$(Q)rm -f $(filter-out $(PAGES_HTML) $(SEARCH) $(PAGES_PDF),$(wildcard $(PAGES)/*.html $(PAGES)/*.pdf))
	$(Q)$(MAKE) pages-html
	$(Q)sh handouts/pages/pages.sh files $(PAGES)
	@browser=$$(sh handouts/pages/pages.sh browser) || { echo "make handouts: no PDF files, since there is $$browser"; exit 2; }
	$(Q)$(MAKE) pages-pdf
	@echo "$(PAGES)/index.html"

.PHONY: pages-html pages-pdf
pages-html: $(PAGES_HTML) $(SEARCH); @:
pages-pdf: $(PAGES_PDF); @:

# Every page lists all pages: it changes where one comes, goes, or gets another title.
.PHONY: always
$(PAGES)/list: always
	@mkdir -p $(@D)
	$(Q)sh handouts/pages/pages.sh list >$@.new
	$(Q)if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(SEARCH): $(PAGES_HTML) $(addprefix handouts/pages/,search.markdown search.awk search.js)
	@echo "PAGE  $@"
	$(Q)sh handouts/pages/pages.sh search $(PAGES)/list $(PAGES_HTML) $@

define page_rule
$(PAGES)/$(call page_name,$1).html: $1 $(PAGE_PARTS) $(PAGES)/list $$(wildcard handouts/pictures/*.svg)
	@echo "PAGE  $$@"
	$$(Q)sh handouts/pages/pages.sh html $(PAGES)/list $1 $$@
endef
$(foreach text,$(PAGE_TEXTS),$(eval $(call page_rule,$(text))))

$(PAGES)/%.pdf: $(PAGES)/%.html
	@echo "PRINT $@"
	$(Q)sh handouts/pages/pages.sh pdf $< $@

LONG   += pages
.PHONY: test-pages
test-pages:
	@sh common/setup.sh pandoc || true
	@sh common/setup.sh chromium || true
	@+$(SUITE) pages sh handouts/pages/check.sh $(BUILD) $(RESULTS)/pages
