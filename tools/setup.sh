#!/bin/sh
# Installs what tests and benchmarks need beside Rust. Quick when everything is there, never fails: what cannot be
# installed here is named, and the tests that need it are skipped with that reason.
#
#   tools/setup.sh          for the tests
#   tools/setup.sh bench    also the crawlers we compare ourselves with
#
# What is not a Debian package goes to $GLEANER_CACHE (default ~/.cache/gleaner).
set -u

cache=${GLEANER_CACHE:-$HOME/.cache/gleaner}
here=$(cd "$(dirname "$0")/.." && pwd)
missing=

# need COMMAND PACKAGE: the package is wanted when the command is not there. System folders count, also without root's path.
need() {
    PATH=$PATH:/usr/sbin:/sbin command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}

install_packages() {
    [ -z "$missing" ] && return
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
        echo "setup: not root or no apt-get; please install:$missing"
        return
    fi
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086 # a list of packages
    if ! apt-get install -y -qq --no-install-recommends $missing >"$cache/apt.log" 2>&1; then
        { apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing; } >"$cache/apt.log" 2>&1 ||
            echo "setup: packages could not be installed (see $cache/apt.log):$missing"
    fi
}

# in_venv FOLDER COMMAND PACKAGE: a Python package in a virtual environment of its own.
in_venv() {
    [ -x "$cache/$1/bin/$2" ] && return
    if ! { python3 -m venv "$cache/$1" && "$cache/$1/bin/pip" install -q "$3"; } >"$cache/pip-$3.log" 2>&1; then
        echo "setup: $3 could not be installed (see $cache/pip-$3.log)"
    fi
}

# module_in_venv FOLDER MODULE [PACKAGE]: the same for a package that brings no command.
module_in_venv() {
    "$cache/$1/bin/python" -c "import $2" >/dev/null 2>&1 && return
    if ! { python3 -m venv "$cache/$1" && "$cache/$1/bin/pip" install -q "${3:-$2}"; } >"$cache/pip-$2.log" 2>&1; then
        echo "setup: ${3:-$2} could not be installed (see $cache/pip-$2.log)"
    fi
}

# for_axe: the checker of accessibility, from npm.
for_axe() {
    [ -f "$cache/axe/node_modules/axe-core/axe.min.js" ] && return
    mkdir -p "$cache/axe"
    npm install --silent --no-audit --no-fund --prefix "$cache/axe" axe-core >"$cache/axe.log" 2>&1 ||
        echo "setup: axe-core could not be installed (see $cache/axe.log)"
}

mkdir -p "$cache" || exit 0

need strace strace
need sqlite3 sqlite3
need mkfs.ext4 e2fsprogs
need mount mount
need cc gcc
need python3 python3
need zstd zstd
python3 -c 'import ensurepip' >/dev/null 2>&1 || missing="$missing python3-venv"
need php php-cli
# Two wikis and what PHP needs for them. They bring no command, and PHP's own server serves them.
[ -f /usr/share/mediawiki/index.php ] || missing="$missing mediawiki"
[ -f /usr/share/dokuwiki/doku.php ] || missing="$missing dokuwiki"
# A blog, its theme and its database. MariaDB is started by the tests alone: the core package brings no service.
[ -f /usr/share/wordpress/wp-load.php ] || missing="$missing wordpress"
[ -d /usr/share/wordpress/wp-content/themes/twentytwentythree ] || missing="$missing wordpress-theme-twentytwentythree"
need mariadbd mariadb-server-core
php -m 2>/dev/null | grep -qix mysqli || missing="$missing php-mysql"
for extension in sqlite3 xml mbstring intl; do
    php -m 2>/dev/null | grep -qix "$extension" || missing="$missing php-$extension"
done
need sshd openssh-server
need nginx nginx-light
need apache2 apache2-bin
need chromium chromium
# PostScript is read by ghostscript; pdftotext judges what we make of PDF.
need gs ghostscript
need pdftotext poppler-utils
# LibreOffice makes PDF of office documents and shows what slides say: about 280 MB, without a desktop.
need soffice "libreoffice-impress-nogui libreoffice-writer-nogui"
# Tomcat brings no command; Java is a recommendation only, so it is named.
need java default-jre-headless
[ -d /usr/share/tomcat10 ] || missing="$missing tomcat10"
[ -d /usr/share/tomcat10-examples ] || missing="$missing tomcat10-examples"
if [ "${1:-}" = bench ]; then
    need wget2 wget2
    need lftp lftp
fi
install_packages
in_venv venv warcio warcio
# They open what we export.
in_venv venv wacz wacz
module_in_venv venv pyarrow
module_in_venv venv networkx
# The algorithms of networkx compute with it.
module_in_venv venv scipy
# A repository of a library, as OAI-PMH has it.
module_in_venv venv oaipmh pyoai
module_in_venv venv lxml
module_in_venv venv pybtex
module_in_venv venv citeproc citeproc-py
for_axe
if [ "$(id -u)" = 0 ]; then
    "$here/tools/inn.sh"
    "$here/tools/ftp-servers.sh"
fi

if [ "${1:-}" = bench ]; then
    in_venv bench-venv scrapy scrapy
    # Cargo looks for itself whether anything has to be built.
    (cd "$here/bench/peers/spider" && CARGO_TARGET_DIR="$cache/spider" cargo build --release --locked --quiet) ||
        echo "setup: the spider peer could not be built"
fi
exit 0
