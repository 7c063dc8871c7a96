#!/bin/sh
# Installs the FTP servers that tests start. Called by tools/setup.sh; quick when all are there, never fails.
#
# The three conflict as packages, so vsftpd is installed and the others are unpacked into
# $GLEANER_CACHE/servers/ftp/unpacked (default ~/.cache/gleaner), with the libraries they need beside them.
set -u

cache=${GLEANER_CACHE:-$HOME/.cache/gleaner}
folder=$cache/servers/ftp
unpacked=$folder/unpacked
log=$cache/ftp-servers.log

mkdir -p "$folder" || exit 0
missing=
[ -x /usr/sbin/vsftpd ] || missing="$missing vsftpd"
for library in libhiredis.so.0.14:libhiredis0.14 libmemcached.so.11:libmemcached11 \
    libmemcachedutil.so.2:libmemcachedutil2 libpcre2-posix.so.3:libpcre2-posix3 libsodium.so.23:libsodium23; do
    ldconfig -p 2>/dev/null | grep -q "${library%%:*}" || missing="$missing ${library##*:}"
done
if [ -n "$missing" ] || [ ! -x "$unpacked/usr/sbin/proftpd" ] || [ ! -x "$unpacked/usr/sbin/pure-ftpd" ]; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
        echo "setup: not root or no apt-get; please install:$missing and unpack proftpd and pure-ftpd into $unpacked"
        exit 0
    fi
    export DEBIAN_FRONTEND=noninteractive
    fetch() {
        # shellcheck disable=SC2086 # a list of packages
        { [ -z "$missing" ] || apt-get install -y -qq --no-install-recommends $missing; } &&
            (cd "$folder" && apt-get download -qq proftpd-core proftpd-mod-crypto pure-ftpd)
    }
    { fetch || { apt-get update -qq && fetch; }; } >"$log" 2>&1 || {
        echo "setup: FTP servers could not be installed (see $log)"
        exit 0
    }
    for package in "$folder"/*.deb; do
        dpkg -x "$package" "$unpacked" || echo "setup: cannot be unpacked: $package"
    done
fi
exit 0
