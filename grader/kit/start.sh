#!/bin/sh
# warpstep-start [FOLDER] - a folder of your own for the labs: copies of the files to edit, links to the kit, which is shared.
# Without FOLDER: warpstep, here. What is there already stays as it is; labs that are new in the kit are added.
# It is readable by you alone, whatever your umask is.
set -eu
umask 077
kit=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
folder=${1:-warpstep}
case $folder in
-*) sed -n '2,4s/^# //p' "$0"; [ "$folder" = --help ]; exit ;;
esac
if [ -e "$folder/grade" ] && [ "$(readlink -f "$folder/grade")" != "$kit/grade" ] && [ ! -L "$folder/grade" ]; then
    echo "warpstep-start: $folder holds a kit of its own already" >&2
    exit 1
fi
mkdir -p "$folder/build"
chmod go= "$folder" "$folder/build"
for lab in "$kit"/labs/*/; do
    name=$(basename "$lab")
    own=$folder/labs/$name
    mkdir -p "$own"
    chmod go= "$folder/labs" "$own"
    for path in "$lab"*; do
        file=$(basename "$path")
        if [ "$file" = "${name%%-*}.cu" ]; then
            [ -e "$own/$file" ] || { cp "$path" "$own/$file" && chmod 600 "$own/$file"; }
        else
            case $file in *.h) ln -sfn "$path" "$own/$file" ;; esac
        fi
    done
done
for name in grade Makefile handouts README.md; do ln -sfn "$kit/$name" "$folder/$name"; done
echo "$folder is yours: cd $folder && make lab3 && ./grade lab3"
