#!/usr/bin/env bash
# Annotates what is found, and fails: for any of it, or, with BASELINE, for what that plan does not name.
# PATHS: files and directories; BASELINE: a plan in JSON, or nothing.
set -uo pipefail
read -r -a paths <<< "${PATHS:-.}"
estimator-migrate check --format github "${paths[@]}"
code=$?
if [ "$code" -gt 1 ] || [ -z "${BASELINE:-}" ]; then exit "$code"; fi
exec estimator-migrate plan "${paths[@]}" --baseline "$BASELINE"
