#!/usr/bin/env bash
# Annotates what is found, and fails: for any of it, or, with BASELINE, for what that plan does not name.
# PATHS: files and directories; BASELINE: a plan in JSON, or nothing.
set -uo pipefail
read -r -a paths <<< "${PATHS:-.}"
if [ -z "${BASELINE:-}" ]; then exec estimator-migrate check --format github "${paths[@]}"; fi
exec estimator-migrate plan "${paths[@]}" --baseline "$BASELINE" --format github
