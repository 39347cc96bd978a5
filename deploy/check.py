"""Checks the manifests beside it, strictly: no field that the cluster would ignore.

    pip install kubernetes-validate==1.34.1
    go mod download github.com/kserve/kserve@v0.15.2
    python3 check.py "$(go env GOMODCACHE)/github.com/kserve/kserve@v0.15.2/config/crd/full/serving.kserve.io_inferenceservices.yaml"

Kubernetes' own kinds are checked against the schemas of that package, KServe's against its resource definition.
"""
import pathlib
import sys

import jsonschema
import kubernetes_validate
import yaml


def closed(schema):
    """The schema, with every object refusing properties that it does not name."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: closed(part) for key, part in schema.items()}
    if isinstance(schema.get("properties"), dict) and not schema.get("x-kubernetes-preserve-unknown-fields"):
        schema.setdefault("additionalProperties", False)
    if schema.get("x-kubernetes-int-or-string"):
        schema = {"type": ["integer", "string"]}
    return schema


definition = yaml.safe_load(pathlib.Path(sys.argv[1]).read_text())
kserve = {
    (definition["spec"]["group"] + "/" + version["name"], definition["spec"]["names"]["kind"]): closed(version["schema"]["openAPIV3Schema"])
    for version in definition["spec"]["versions"]
}
for schema in kserve.values():
    schema["properties"]["metadata"] = {"type": "object"}  # which the definition leaves to Kubernetes

failed = False
for path in sorted(pathlib.Path(__file__).parent.glob("*.yaml")):
    for manifest in yaml.safe_load_all(path.read_text()):
        kind = (manifest["apiVersion"], manifest["kind"])
        try:
            if kind in kserve:
                jsonschema.validate(manifest, kserve[kind])
            else:
                kubernetes_validate.validate(manifest, "1.34", strict=True)
            print(f"{path.name}: {manifest['kind']} {manifest['metadata']['name']} is valid")
        except (jsonschema.ValidationError, kubernetes_validate.ValidationError) as error:
            print(f"{path.name}: {manifest['kind']} {manifest['metadata']['name']}: {'.'.join(map(str, error.path))}: {error.message}")
            failed = True
sys.exit(failed)
