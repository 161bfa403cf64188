# What the handouts have besides text: drawings, and tables of speedups to expect. Both are made by programs, and a test says
# where one is stale.

.PHONY: pictures
pictures: ## draw the pictures of the handouts
	@sh handouts/pictures/draw.sh handouts/pictures

.PHONY: report-picture
report-picture: lab3 ## take the picture of a report that README.md shows
	@sh handouts/pictures/report.sh terminal >handouts/pictures/grade.svg

# Between <!-- expected labN --> and <!-- end -->.
.PHONY: handout-tables
handout-tables: $(LAB_IDS:%=$(BUILD)/labs/%/bench) ## fill in the tables of expected speedups in the handouts
	@sh $(LAB_BENCH)/expected.sh $(BUILD) $(BENCH_OUT) $(LAB_IDS)

SUITES += handouts
.PHONY: test-handouts
test-handouts: lab3 $(LAB_IDS:%=$(BUILD)/labs/%/bench)
	@+$(SUITE) handouts sh handouts/test.sh $(BUILD) $(RESULTS)/handouts $(LAB_IDS)
