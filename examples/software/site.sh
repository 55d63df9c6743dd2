#!/bin/sh
# Starts the web site, and reports how many entries it shows.
set -e
export PORT TITLE DATABASE_URL DATABASE_PASSWORD
mkdir -p /opt/guestbook
printf '%s' "$program" > /opt/guestbook/site.py

[ ! -e /run/guestbook.pid ] || kill "$(cat /run/guestbook.pid)" || true
python3 /opt/guestbook/site.py > /var/log/guestbook.log 2>&1 &
echo $! > /run/guestbook.pid

page=/run/guestbook.html
if ! curl --silent --fail --output "$page" --retry 50 --retry-delay 1 --retry-connrefused --max-time 60 \
    "http://127.0.0.1:$PORT/"; then
    cat /var/log/guestbook.log >&2
    exit 1
fi
echo "The site is up"
grep -o '<li>' "$page" | wc -l | tr -d '\n' > "$heat_outputs_path.entries"
