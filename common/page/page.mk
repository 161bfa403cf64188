# A page for browsers around JSON: what ./grade explain --html and VGPU_REPORT write.

PAGE         := common/page
PAGE_SCRIPTS := $(addprefix $(PAGE)/,dom.js values.js bars.js source.js headline.js memory.js occupancy.js accesses.js roofline.js timeline.js tape.js \
                  loops.js player.js pipeline.js stages.js page.js)
PAGE_OBJECTS := $(BUILD)/page/page.o $(BUILD)/page/parts.o

$(BUILD)/page/parts.c: $(PAGE)/embed.sh $(PAGE)/page.css $(PAGE_SCRIPTS)
	@mkdir -p $(@D)
	$(Q)sh $< page_css $(PAGE)/page.css > $@ && sh $< page_js $(PAGE_SCRIPTS) >> $@

$(BUILD)/page/parts.o: $(BUILD)/page/parts.c
	$(Q)$(CC) $(CFLAGS) -Wno-overlength-strings -fPIC -Icommon $(CPPFLAGS) -c $< -o $@

$(BUILD)/page/%.o: $(PAGE)/%.c
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -fPIC -Icommon $(CPPFLAGS) -c $< -o $@
