# What students get: no solutions, no tests. In build/kit; the archive is the same on every machine.
.PHONY: student-kit
student-kit: ## what students get, without solutions and tests: build/kit/warpstep.tar.gz
	@sh grader/kit/pack.sh $(BUILD)/kit
