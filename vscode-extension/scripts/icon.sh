#!/bin/sh
# Draws media/icon.png from media/icon.svg; CHROMIUM names the browser that draws it.
set -eu
cd "$(dirname "$0")/../media"
"${CHROMIUM:-chromium}" --headless --no-sandbox --disable-gpu --hide-scrollbars --default-background-color=00000000 \
  --window-size=256,256 --screenshot="$PWD/icon.png" "file://$PWD/icon.svg" 2>/dev/null
