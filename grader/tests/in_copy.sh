# in_copy.sh - what scripts share that call ./grade in a copy of the kit, in which the student's files and points may be changed; they
# begin with `. in_copy.sh`. The caller has set `kit` (the kit's folder) and `folder` (to work in, made anew); from here on `root` is the
# copy, and all of outside.sh is there.
rm -rf "$folder"
mkdir -p "$folder"
. "$kit/grader/tests/outside.sh"
. "$kit/grader/tests/kit_copy.sh"
root=$folder/kit
kit_copy "$kit" "$root" || { echo "FAIL the kit cannot be copied"; exit 1; }
unset WARPSTEP_RESULTS NO_COLOR COLUMNS
