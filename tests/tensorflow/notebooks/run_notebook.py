"""Runs the code cells of a notebook in order, in the current directory: ``python run_notebook.py FILE.ipynb``.

A cell of ``%%writefile`` writes its file, other cells for IPython are passed over, and so are single lines for it.
"""

import json
import re
import sys

sys.path.insert(0, "")
with open(sys.argv[1], encoding="utf-8") as file:
    cells = json.load(file)["cells"]
names = {"__name__": "__main__"}
for number, cell in enumerate(cells, start=1):
    source = "".join(cell["source"])
    written = re.match(r"%%writefile (\S+)\n", source)
    if cell["cell_type"] != "code" or (source.startswith("%%") and not written):
        continue
    if written:
        with open(written[1], "w", encoding="utf-8") as module:
            module.write(source[written.end() :])
        continue
    exec(compile(re.sub(r"(?m)^[!%].*$", "", source), f"cell {number}", "exec"), names)
