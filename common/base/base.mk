# What every part of the kit may use: memory that is freed at once, lists, hashes, files that are read whole.

BASE         := common/base
BASE_OBJECTS := $(patsubst $(BASE)/%.c,$(BUILD)/base/%.o,$(wildcard $(BASE)/*.c))

$(BUILD)/base/%.o: $(BASE)/%.c
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -fPIC -Icommon $(CPPFLAGS) -c $< -o $@
