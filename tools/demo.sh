#!/bin/sh
# Starts a small site on this machine, crawls it, and shows what Gleaner does. Under a minute, leaves nothing behind.
#
#   tools/demo.sh FOLDER-OF-THE-BINARIES
set -eu

bin=$1
work=$(mktemp -d)
"$bin/synthsite" --pages 300 --port 0 --admin-port 0 >"$work/site.log" 2>&1 &
site=$!
trap 'kill $site 2>/dev/null; rm -rf "$work"' EXIT

# The site says where it is, once it is ready.
seed=
for _ in 1 2 3 4 5 6 7 8 9 10; do
    seed=$(sed -n 's/.*seed=\([^ ]*\).*/\1/p' "$work/site.log")
    [ -n "$seed" ] && break
    sleep 0.2
done
export GLEANER_DATA="$work/data"

show() {
    printf '\n\033[1m$ gleaner %s\033[0m\n' "$*"
    "$bin/gleaner" "$@"
}

echo "A site of 300 pages is running at $seed"
show crawl "$seed" --delay 0 --per-host 8 --max-pages 100
show crawl "$seed" --delay 0 --per-host 8
show runs
show report 2 | head -n 12

# The site says how it can be changed; without Python it stays as it is.
admin=$(sed -n 's/.*admin=\([^ ]*\).*/\1/p' "$work/site.log")
if [ -n "$admin" ] && command -v python3 >/dev/null 2>&1; then
    printf '\n\033[1mNow the site changes: some pages are edited, some come, some go.\033[0m\n'
    python3 -c "import sys, urllib.request; urllib.request.urlopen(sys.argv[1] + 'set?epoch=1').read()" "${admin%/}/"
    show track
    show report --state NEW | head -n 9
    changed=$("$bin/gleaner" report --state UPD --format csv | sed -n '2s/^UPD,\([0-9]*\),.*/\1/p')
    [ -n "$changed" ] && show diff "$changed" --format words | cut -c1-160 | head -n 12
fi
printf '\n\033[1m$ gleaner ls | head -n 5\033[0m\n'
"$bin/gleaner" ls | head -n 5
printf '\n\033[1m$ gleaner links 1 | head -n 8\033[0m\n'
"$bin/gleaner" links 1 | head -n 8
show explain "${seed}private/1.html"

printf '\n\033[1mNow a crawl is killed in the middle (kill -9), and resumed.\033[0m\n'
export GLEANER_DATA="$work/killed"
"$bin/gleaner" crawl "$seed" --delay 5 --per-host 2 --name killed >/dev/null 2>&1 &
victim=$!
sleep 1
kill -9 $victim 2>/dev/null || true
wait $victim 2>/dev/null || true
show runs
show resume
show verify
echo
echo "Everything lies in one folder: a catalog for SQLite and WARC files for every archive tool:"
ls -l "$GLEANER_DATA" "$GLEANER_DATA/archive"
