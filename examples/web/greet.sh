#!/bin/sh
mkdir -p /srv/www
echo "Hello from $NAME" > /srv/www/index.html
cd /srv/www && exec python3 -m http.server $PORT
