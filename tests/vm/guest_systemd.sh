#!/bin/sh
# What is looked at inside the machine of test_systemd.py, under systemd as process 1; each check is one
# line "ok" or "not ok", lines with "#" are for people.

socket=/run/toolhost/toolhostd.sock
unit=toolhostd.service

check ()
{
  what=$1 pattern=$2
  shift 2
  output=$("$@" 2>&1)
  if echo "$output" | grep -Eq -- "$pattern"; then echo "ok $what"
  else
    echo "not ok $what"
    echo "$output" | tail -n 5 | sed "s/^/# got: /"
    grep -v '"info"' /run/toolhostd.log | tail -n 8 | cut -c1-400 | sed "s/^/# log: /"
  fi
}

call () { toolhost --socket $socket call "$@"; }
show () { systemctl show -P "$1" $unit; }
# Processes of workers; with an argument only those that are process $1 of their namespace.
workers ()
{
  for process in /proc/[0-9]*; do
    grep -q "toolhost-worker" $process/cmdline 2> /dev/null || continue
    [ $# = 0 ] || grep -Eq "^NSpid:.*[^0-9]$1$" $process/status || continue
    echo ${process#/proc/}
  done
}

ip link set lo up
systemd-sysusers
systemctl daemon-reload
check "the service starts, and says itself that it is ready" "^active$" \
  sh -c "systemctl start $unit; systemctl is-active $unit"
check "its sockets were opened for it" "toolhostd.socket" show TriggeredBy
check "it says what it has" "^[0-9]+ plugins, [0-9]+ tools$" show StatusText
check "systemd watches it" "^30s$" show WatchdogUSec
check "a call" "^hello$" call echo '{"text":"hello"}'
check "a call over TCP" '"status": *"ok"|^ok' wget -q -O - http://127.0.0.1:8377/healthz

main=$(show MainPID)
check "the daemon is not root" "^Uid:.[1-9][0-9]*.[1-9]" grep Uid: /proc/$main/status
check "and has no capability" "^CapPrm:.0+$" grep CapPrm: /proc/$main/status
pid=$(workers 2 | tail -n 1)
echo "# daemon $main, worker $pid: $(tr '\0' ' ' < /proc/$pid/cmdline)"
for kind in user pid mnt net ipc uts cgroup; do
  check "a worker has its own $kind namespace" "^differs$" \
    sh -c "[ \$(readlink /proc/$pid/ns/$kind) != \$(readlink /proc/$main/ns/$kind) ] && echo differs"
done
check "a worker has a uid of its own" "^Uid:.6[0-9]{4}" grep Uid: /proc/$pid/status
group=$(sed -n 's/^0:://p' /proc/$pid/cgroup)
echo "# its cgroup: $group"
check "a worker has a cgroup below the service's" "^/system.slice/$unit/toolhost[.][0-9]+/w[0-9]+$" echo "$group"
check "with its memory limited" "^[0-9]+$" cat /sys/fs/cgroup$group/memory.max
check "and its processes" "^[0-9]+$" cat /sys/fs/cgroup$group/pids.max
echo "# $(toolhost --socket $socket plugins | grep -o '"guarantees":{[^}]*}' | head -n 1)"
check "the guarantee says so" '"memory-cap":"cgroup v2' toolhost --socket $socket plugins
check "memory is bounded" "tool_crashed|^2[0-9][0-9]$" call malloc_bomb
check "and answers" "^after$" call echo '{"text":"after"}'
check "it is the same process" "^$main$" show MainPID
check "a reload" "^active$" sh -c "systemctl reload $unit; systemctl is-active $unit"
systemctl kill -s STOP --kill-whom=main $unit
usleep 200000
systemctl kill -s CONT --kill-whom=main $unit
check "a call after a pause" "^hello$" call echo '{"text":"hello"}'
check "a worker that ends with its daemon is not left" "^0$" sh -c "systemctl kill -s KILL --kill-whom=main $unit; usleep 300000; ls -d /proc/$pid 2> /dev/null | wc -l"
check "the killed service comes back" "^again$" sh -c \
  "sleep 3; toolhost --socket $socket call echo '{\"text\":\"again\"}'"
check "it stops" "^inactive$" sh -c "systemctl stop $unit; systemctl is-active $unit"
check "with success" "^success$" show Result
check "and no worker was signalled by systemd" "^0$" grep -c SIGTERM /run/toolhostd.log
check "nothing of it is left" "^0$" sh -c "echo $(workers | wc -l)"
check "its exposure is at most 3.5" "exposure level.* ([0-2][.]|3[.][0-5])" systemd-analyze security --no-pager $unit
