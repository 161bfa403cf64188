# kit_copy.sh - a copy of the kit in which the student's files may be changed: kit_copy KIT COPY, for scripts that begin with
# `. kit_copy.sh`. Labs are copied with their times; all that is built, and all that is only read, are links.
kit_copy() {
    mkdir -p "$2/build" || return
    cp -a "$1/labs" "$1/grade" "$2/" || return
    for part in Makefile common grader handouts solutions; do ln -s "$1/$part" "$2/$part" || return; done
    for part in "$1"/build/*; do
        case $part in */results | */test) ;; *) ln -s "$part" "$2/build/" || return ;; esac
    done
}
