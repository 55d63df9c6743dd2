#!/bin/sh
# The volume comes a moment after the server has booted.
until [ -d /mnt/vdb ]; do sleep 0.2; done
echo "$NOTE" >> /mnt/vdb/notes
