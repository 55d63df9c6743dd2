#!/bin/sh
# Comes before all other parts: what they write is for root alone.
umask 077
mkdir -p /var/lib/heat-cfntools /var/lib/cloud/data
