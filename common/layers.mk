# The floors of the house: which folder may use which. Included last, when all objects are known.

LAYER_OBJECTS := $(sort $(VGPU_OBJECTS) $(BLAS_OBJECTS) $(RAND_OBJECTS) $(LAB_CORE) $(LAB_MAIN) $(TRACE_OBJECTS) $(JUDGE_VIRTUAL) $(JUDGE_GPU) \
                 $(SCOUT_OBJECTS) $(GRADE_OBJECTS) $(KEEPER_OBJECTS) $(COMPILER_OBJECTS))

.PHONY: layers
layers: $(LAYER_OBJECTS) ## draw which folder uses which, from the object files; fails where an arrow points up
	@sh common/layers.sh common/layers.txt $(BUILD) $(LAYER_OBJECTS)

SUITES += layers
QUICK  += layers
.PHONY: test-layers
test-layers: $(LAYER_OBJECTS)
	@$(SUITE) layers sh common/layers.sh common/layers.txt $(BUILD) $(LAYER_OBJECTS)
