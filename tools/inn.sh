#!/bin/sh
# Installs INN, the news server that the NNTP tests start for themselves. Quick when it is there, never fails: without it
# those tests are skipped with that reason. It does not start a service; tests run it on addresses of their own.
#
#   tools/inn.sh
set -u

cache=${GLEANER_CACHE:-$HOME/.cache/gleaner}
conf=/etc/news/inn.conf

is_ready() {
    [ -x /usr/lib/news/bin/innd ] && [ -f /var/lib/news/active ] && [ -f /var/lib/news/history ]
}

# The lock is waited for: another installation may be under way.
install_inn() {
    apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends inn2
}

is_ready && exit 0
mkdir -p "$cache" || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "setup: not root or no apt-get; please install: inn2"
    exit 0
fi
export DEBIAN_FRONTEND=noninteractive
{
    install_inn || { apt-get update -qq && install_inn; }
    # INN refuses to be set up where the host has no domain, as in containers. Said by hand, it needs none.
    if ! is_ready && [ -f "$conf" ]; then
        grep -q '^domain: *[^ ]' "$conf" || { sed -i '/^domain:/d' "$conf" && echo 'domain: example.test' >>"$conf"; }
        dpkg --configure inn2
    fi
} >"$cache/inn.log" 2>&1
is_ready || echo "setup: inn2 could not be installed (see $cache/inn.log)"
exit 0
