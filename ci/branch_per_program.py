"""One branch and one commit for each program that is rewritten whole, so that each is reviewed by itself.

usage: python ci/branch_per_program.py [PATH]...

Run it in a clean git work tree, where the branch is checked out that the others begin at. Programs that share a file
are one row of the plan, and so one branch. What a branch holds is written by `estimator-migrate write`, nothing else.
"""

import json
import re
import subprocess
import sys


def git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def main(paths: list[str]) -> int:
    if git("status", "--porcelain"):
        print("The work tree has changes: commit or stash them first.", file=sys.stderr)
        return 2
    begin = git("branch", "--show-current") or git("rev-parse", "HEAD")
    plan = subprocess.run(
        ["estimator-migrate", "plan", *(paths or ["."]), "--format", "json"],
        check=False,
        capture_output=True,
        text=True,
    )
    if plan.returncode > 1:
        print(plan.stderr, end="", file=sys.stderr)
        return plan.returncode
    for program in json.loads(plan.stdout)["programs"]:
        if program["status"] not in ("ready", "needs"):
            continue
        entry = program["entry_points"][0]
        branch = "migrate/" + re.sub(r"[^\w.-]+", "-", entry.removeprefix("./").rsplit(".", 1)[0])
        git("switch", "--quiet", "--create", branch, begin)
        done = subprocess.run(["estimator-migrate", "write", "--quiet", *program["files"]], check=False)
        if done.returncode > 1:
            print(f"{entry} could not be written whole; the work tree is on {branch}.", file=sys.stderr)
            return done.returncode
        git("add", "--all")
        git("commit", "--quiet", "--message", f"Migrate {entry} off tf.estimator")
        print(branch, git("diff", "--shortstat", begin))
        git("checkout", "--quiet", begin)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
