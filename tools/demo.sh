#!/bin/sh
# The web site of a small town library runs on this machine, is collected, changes, and is tracked: what Gleaner does, in under a
# minute. Leaves nothing behind.
#
#   tools/demo.sh FOLDER-OF-THE-BINARIES
set -eu

bin=$1
work=$(mktemp -d)
mkfifo "$work/say"
"$bin/townlibrary" <"$work/say" >"$work/site.log" 2>&1 &
site=$!
# Held open, so that the site goes on until we end.
exec 3>"$work/say"
trap 'exec 3>&-; kill $site 2>/dev/null; rm -rf "$work"' EXIT

# Waits until the site has said something.
wait_for() {
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        grep -q "$1" "$work/site.log" && return
        sleep 0.2
    done
    echo "the site of the demo did not start:"
    cat "$work/site.log"
    exit 1
}
wait_for seed=
seed=$(sed -n 's/^seed=//p' "$work/site.log")
export GLEANER_DATA="$work/data"

say() {
    printf '\n\033[1m%s\033[0m\n' "$*"
}

show() {
    printf '\n\033[2m$ gleaner %s\033[0m\n' "$*"
    "$bin/gleaner" "$@"
}

say "Millbrook Town Library has a small web site at $seed. Gleaner collects it:"
show crawl "$seed" --name library --delay 0
show ls

echo change >&3
wait_for changed
say "A week later: longer hours, a new event, a corrected phone number, a notice taken down, a page moved. What does Gleaner see?"
show track library
show report
say "What exactly changed on two of the pages:"
show diff "${seed}opening-hours.html" --format words
show diff "${seed}contact.html" --format words
say "The notice is gone from the site, and still here:"
show ls --gone
show cat "${seed}notices/roof.html" --as main
say "Search finds what the site says now, and what it said before:"
show search roof --vanished
say "A copy of the site to browse without a server, and a check that every byte is intact:"
show mirror library "$work/copy"
show verify

say "What to try next"
cat <<'END'
  gleaner crawl https://example.com/          collect a site of your own into ./gleaner-data
  gleaner track                               look again: what is new, what changed, what is gone
  gleaner report --format html > report.html  the changes as a page that you can send by email
  gleaner report --broken                     dead links, and the pages that have them
  gleaner search "some words"                 find what was collected
  gleaner mirror example.com copy             a copy to browse
  gleaner --help                              everything else; docs/ has a page for each
END
