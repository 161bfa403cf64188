#!/bin/sh
# setup.sh - sees to it that the tools named exist: setup.sh check clang clang-tidy clang-format cppcheck
# Missing ones are installed by the system's package manager when this runs as root or sudo asks no password; otherwise
# one line says what to install. Nothing else is installed or downloaded, and the CUDA Toolkit never is.
set -u

has_header() { echo "#include <$1>" | ${CC:-cc} -E -x c - >/dev/null 2>&1; }

has() {
    case $1 in
    check) has_header check.h ;;
    sqlite) has_header sqlite3.h ;;
    libarchive) has_header archive.h ;;
    chromium) sh handouts/pages/pages.sh browser >/dev/null ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

# Ubuntu's packages named chromium are snaps, which need a service that containers do not have.
is_only_a_snap() { [ "$1" = chromium ] && grep -qs '^ID=ubuntu' /etc/os-release; }

# tool manager -> package
package() {
    case $2/$1 in
    */bwrap) echo bubblewrap ;;
    apt-get/sqlite) echo libsqlite3-dev ;;
    dnf/sqlite) echo sqlite-devel ;;
    zypper/sqlite) echo sqlite3-devel ;;
    dnf/sqlite3 | pacman/sqlite3) echo sqlite ;;
    apt-get/sbatch) echo slurm-client ;;
    */munged) echo munge ;;
    dnf/sbatch) echo slurm ;;
    dnf/slurmctld) echo slurm-slurmctld ;;
    dnf/slurmd) echo slurm-slurmd ;;
    apt-get/libarchive) echo libarchive-dev ;;
    dnf/libarchive | zypper/libarchive) echo libarchive-devel ;;
    dnf/check) echo check-devel ;;
    dnf/clang-tidy | dnf/clang-format) echo clang-tools-extra ;;
    zypper/check) echo libcheck-devel ;;
    zypper/clang-tidy | zypper/clang-format) echo clang-tools ;;
    pacman/pandoc) echo pandoc-cli ;;
    pacman/clang-tidy | pacman/clang-format) echo clang ;;
    *) echo "$1" ;;
    esac
}

install_packages() { # manager packages...
    manager=$1
    shift
    case $manager in
    apt-get) $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$@" ||
        { $root apt-get update -q && $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$@"; } ;;
    dnf) $root dnf install -y -q "$@" ;;
    pacman) $root pacman -S --noconfirm --needed "$@" ;;
    zypper) $root zypper --non-interactive install "$@" ;;
    esac >&2
}

missing= status=0
for tool in "$@"; do
    has "$tool" && continue
    if is_only_a_snap "$tool"; then
        echo "setup: please install Google Chrome (google-chrome-stable, from Google), or set CHROMIUM: Ubuntu's own Chromium is a snap" >&2
        status=1
    else
        missing="$missing $tool"
    fi
done
nvcc=${NVCC:-nvcc}
command -v "$nvcc" >/dev/null 2>&1 || [ -x "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ] ||
    echo "setup: no nvcc found; install the CUDA Toolkit 13.0 yourself, or set CUDA_HOME: nothing here can do it for you" >&2
[ -z "$missing" ] && exit $status

manager=
for candidate in apt-get dnf pacman zypper; do
    command -v $candidate >/dev/null 2>&1 && manager=$candidate && break
done
packages=
for tool in $missing; do
    packages="$packages $(package "$tool" "${manager:-none}")"
done
root=
if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then root="sudo -n"; else manager=; fi
fi
if [ -z "$manager" ]; then
    echo "setup: please install$packages (as root), then try again" >&2
    exit 1
fi
echo "setup: installing$packages with $manager" >&2
# shellcheck disable=SC2086
install_packages $manager $packages
for tool in $missing; do
    has "$tool" || { echo "setup: $manager could not install$packages; please install them yourself" >&2; exit 1; }
done
exit $status
