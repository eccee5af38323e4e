"""The result as JUnit's XML, which CI systems show as tests: a test case for each comparison."""

from pathlib import Path
from xml.etree import ElementTree

from migrate.verify.verification import Verification


def text(verification: Verification) -> str:
    """The document: a comparison that differs is a failure, a fault that could not be brought about is skipped."""
    comparisons, missed = verification.comparisons, verification.not_tried
    failures = sum(not comparison.matches for _, comparison in comparisons)
    counts = {"tests": len(comparisons) + len(missed), "failures": failures, "skipped": len(missed), "errors": 0}
    of_all = {name: str(count) for name, count in counts.items()}
    root = ElementTree.Element("testsuites", of_all)
    suite = ElementTree.SubElement(root, "testsuite", {"name": "estimator-migrate verify", **of_all})
    owner = Path(verification.request.new.script).stem
    for title, comparison in comparisons:
        seconds = sum(
            each.ended - each.began for record in (comparison.old, comparison.new) for each in record.attempts
        )
        names = {"classname": owner, "name": title, "time": f"{seconds:.3f}"}
        case = ElementTree.SubElement(suite, "testcase", names)
        if not comparison.matches:
            ElementTree.SubElement(case, "failure", {"message": comparison.first}).text = comparison.text
    for reason in missed:
        name, _, why = reason.partition(": ")
        case = ElementTree.SubElement(suite, "testcase", {"classname": owner, "name": name})
        ElementTree.SubElement(case, "skipped", {"message": why})
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
