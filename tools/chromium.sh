#!/usr/bin/env bash
# Installs Debian's Chromium for the browser tests, if it is missing and the user may install packages.
# Never fails: without a browser, the browser tests are skipped and say so in one line.
set -u
command -v chromium > /dev/null && exit 0
grep -rq 'mark\.browser' tests || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    echo "installing Chromium for the browser tests"
    export DEBIAN_FRONTEND=noninteractive
    { apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium; } < /dev/null > /dev/null 2>&1 && exit 0
fi
echo "no Chromium here: the browser tests will be skipped (apt install chromium)"
