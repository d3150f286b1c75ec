#!/usr/bin/env python3
"""A stage: refuses plans that change anything outside some directories.

    pai-plan "..." | scope.py src tests | pai-exec
"""
import json
import sys

try:
    doc = json.load(sys.stdin)
    steps = doc.get("plan", {}).get("execution_plan", {}).get("steps", [])
except (ValueError, AttributeError):
    sys.exit("scope.py: no document on standard input")

code = doc.get("error", {}).get("code", 0)
for step in steps:
    for path in (step.get("target", ""), step.get("destination", "")):
        changes = path and step["action"] not in ("READ", "TREE", "LIST_PATH")
        if changes and code == 0 and path.split("/")[0] not in sys.argv[1:]:
            code = 3
            doc["error"] = {"stage": "scope", "code": code, "message": f"{path!a} is out of scope"}
json.dump(doc, sys.stdout)
print()
sys.exit(code)
