#!/bin/sh
# What is looked at inside the machine of test_second_kernel.py; each check is one line "ok" or "not ok".

socket=/run/toolhost/toolhostd.sock
log=/tmp/log

# check WHAT PATTERN COMMAND…: does the command's output fit?
check ()
{
  what=$1 pattern=$2
  shift 2
  output=$("$@" 2>&1)
  if echo "$output" | grep -Eq "$pattern"; then echo "ok $what"
  else
    echo "not ok $what"
    echo "$output" | tail -n 5 | sed "s/^/# /"
    grep -v '"info"' $log | tail -n 5 | cut -c1-300 | sed "s/^/# log: /"
  fi
}

call () { toolhost --socket $socket call "$@"; }

# serve USER: a daemon started by the user, with every plugin of the machine, until `stop`.
serve ()
{
  : > $log
  rm -rf /run/toolhost
  mkdir -p /run/toolhost
  chmod 1777 /run/toolhost
  su -s /bin/sh $1 -c "exec toolhostd --config-dir /etc/toolhost --state-dir none --listen none --socket $socket" 2> $log &
  daemon=$!
  turns=0
  until grep -q '"event":"ready"' $log; do
    turns=$((turns + 1))
    if [ $turns = 300 ] || ! kill -0 $daemon 2> /dev/null; then
      echo "not ok $mode: the daemon starts"
      tail -n 5 $log | sed "s/^/# /"
      return 1
    fi
    usleep 100000
  done
}

stop ()
{
  kill $daemon 2> /dev/null
  wait $daemon
}

# What must hold whoever runs the daemon, and by whatever means.
deeds ()
{
  check "$mode: a call" "^from $mode$" call echo "{\"text\":\"from $mode\"}"
  check "$mode: fork bomb has no children" "^0$" call fork_bomb
  check "$mode: a call that never returns" "tool_timeout" call spin
  check "$mode: memory from malloc is bounded" "^2[0-9][0-9]$|tool_crashed" call malloc_bomb
  check "$mode: shared memory is bounded" "^2[0-9][0-9]$|tool_crashed" call malloc_bomb '{"shared":true}'
  check "$mode: /tmp is bounded" "^8192$" call disk_bomb
  check "$mode: a crash is one error" "tool_crashed" call null_deref
  check "$mode: and the daemon serves on" "^after$" call echo '{"text":"after"}'
  check "$mode: it is the same process" "(^| )$daemon( |$)" pidof toolhostd
}

for mode in root nobody; do
  serve $mode || continue
  deeds
  stop
done
