#!/bin/sh
# The examples work as they are: the policies are good, and the plugin builds and passes its test
# against the installed SDK.  Prints TAP.
set -u

prefix=$TOOLHOST_STAGE$TOOLHOST_PREFIX
examples=$TOOLHOST_SOURCE/examples
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
number=0

# point NAME COMMAND...: one point; what the command says only when it fails
point () {
  name=$1
  shift
  number=$((number + 1))
  if "$@" > "$work/said" 2>&1; then
    echo "ok $number - $name"
  else
    sed 's/^/# /' "$work/said"
    echo "not ok $number - $name"
  fi
}

policies_are_good () {
  mkdir -p "$work/config/plugins.d" &&
    cp "$examples"/policies/*.json "$work/config/plugins.d" &&
    "$prefix/sbin/toolhostd" --check --config-dir "$work/config" --state-dir none
}

builds_and_passes () {
  cp -r "$examples/plugins/$1" "$work" &&
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name toolhost-mock.pc)") &&
    export PKG_CONFIG_PATH &&
    MAKEFLAGS='' MAKELEVEL='' make -C "$work/$1" "$1.so" check
}

point "the policies are good" policies_are_good
if [ "$TOOLHOST_SANITIZER" = no ]; then
  for plugin in hello recipients; do
    point "$plugin builds against the installed SDK and passes its test" builds_and_passes "$plugin"
  done
fi
echo "1..$number"
