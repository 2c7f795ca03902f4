#!/bin/sh
# Makes the standby the primary. Run it on the standby, as the user of PostgreSQL, once the old primary is
# certain to be off (fenced): two primaries would each take in records that the other lacks.
#
#   PGDATA=/var/lib/postgresql/15/main PGBIN=/usr/lib/postgresql/15/bin PGPORT=5432 ./promote-standby.sh
#
# With PgBouncer on the same machine, name its file and process, and where the primary is from now on:
#   PGBOUNCER_INI=/etc/pgbouncer/pgbouncer.ini PGBOUNCER_PID=/run/postgresql/pgbouncer.pid NEW_HOST=10.0.0.2
set -eu

# The standby of this standby does not exist yet: without this line every commit would wait for it.
sed -i '/^synchronous_standby_names/d' "$PGDATA/postgresql.auto.conf"
echo "synchronous_standby_names = ''" >> "$PGDATA/postgresql.auto.conf"
"$PGBIN/pg_ctl" -D "$PGDATA" reload
"$PGBIN/pg_ctl" -D "$PGDATA" -w promote

if [ -n "${PGBOUNCER_INI:-}" ]; then
  sed -i "s/host=[^ ]* port=[0-9]*/host=$NEW_HOST port=$PGPORT/" "$PGBOUNCER_INI"
  kill -HUP "$(cat "$PGBOUNCER_PID")"
fi
