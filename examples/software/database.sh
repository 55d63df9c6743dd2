#!/bin/sh
# Starts the database, and reports where it is. An update starts it again; the entries stay.
set -e
export PORT PASSWORD DATABASE_FILE=/var/lib/guestbook/entries.sqlite
mkdir -p /opt/guestbook /var/lib/guestbook
printf '%s' "$program" > /opt/guestbook/database.py

[ ! -e /run/guestbook.pid ] || kill "$(cat /run/guestbook.pid)" || true
python3 /opt/guestbook/database.py > /var/log/guestbook.log 2>&1 &
echo $! > /run/guestbook.pid

url=http://$ADDRESS:$PORT/
if ! curl --silent --fail --output /dev/null --retry 50 --retry-delay 1 --retry-connrefused --max-time 60 \
    --header "Authorization: Bearer $PASSWORD" "$url"; then
    cat /var/log/guestbook.log >&2
    exit 1
fi
echo "The database is listening at $url"
printf '%s' "$url" > "$heat_outputs_path.url"
