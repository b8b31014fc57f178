# Reads manifests as a JSON list on standard input; prints what each of Kubernetes' versions has against them.
import json
import sys

import kubernetes_validate

manifests = json.load(sys.stdin)
known = set(kubernetes_validate.utils.all_versions())
versions = sorted(version for version in known if int(version.split(".")[1]) >= 30)
errors = []
for version in versions:
    for manifest in manifests:
        try:
            kubernetes_validate.validate(manifest, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            errors.append(f"{version}: {manifest['kind']} {manifest['metadata']['name']}: {error.message}")
print(json.dumps({"versions": versions, "errors": errors}))
