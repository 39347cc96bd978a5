"""Checks the manifests beside it, of examples/kubernetes and of examples/search, strictly: no field that the cluster would ignore.

    pip install kubernetes-validate==1.34.1
    go mod download github.com/kserve/kserve@v0.15.2
    go mod download github.com/kubeflow/katib@v0.19.0
    python3 check.py "$(go env GOMODCACHE)/github.com/kserve/kserve@v0.15.2/config/crd/full/serving.kserve.io_inferenceservices.yaml" \
        "$(go env GOMODCACHE)/github.com/kubeflow/katib@v0.19.0/pkg/apis/v1beta1/swagger.json"

Kubernetes' own kinds are checked against the schemas of that package, KServe's against its resource definition, and Katib's
against its description of the API: its resource definition says nothing.
"""
import json
import pathlib
import re
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

katib = json.loads(pathlib.Path(sys.argv[2]).read_text())["definitions"]
for name in set(re.findall('"#/definitions/([^"]*)"', json.dumps(katib))) - set(katib):
    katib[name] = {}  # of Kubernetes
experiment = {"definitions": {name: closed(schema) for name, schema in katib.items()}, "$ref": "#/definitions/v1beta1.Experiment"}


def check_experiment(manifest):
    """Checks an experiment, the job of its trials, and that each parameter of the job is one of the search."""
    jsonschema.validate(manifest, experiment)
    template = manifest["spec"]["trialTemplate"]
    kubernetes_validate.validate(template["trialSpec"], "1.34", strict=True)
    names = {
        "used": set(re.findall(r"\$\{trialParameters\.([^}]*)}", json.dumps(template["trialSpec"]))),
        "given": {p["name"] for p in template["trialParameters"]},
        "referred to": {p["reference"] for p in template["trialParameters"]},
        "searched": {p["name"] for p in manifest["spec"]["parameters"]},
    }
    if names["used"] != names["given"] or names["referred to"] != names["searched"]:
        raise jsonschema.ValidationError(f"parameters differ: {names}")


failed = False
here = pathlib.Path(__file__).parent
for path in sorted([*here.glob("*.yaml"), *here.parent.glob("examples/kubernetes/*.yaml"), here.parent / "examples/search/katib.yaml"]):
    for manifest in yaml.safe_load_all(path.read_text()):
        kind = (manifest["apiVersion"], manifest["kind"])
        try:
            if kind == ("kubeflow.org/v1beta1", "Experiment"):
                check_experiment(manifest)
            elif kind in kserve:
                jsonschema.validate(manifest, kserve[kind])
            else:
                kubernetes_validate.validate(manifest, "1.34", strict=True)
            print(f"{path.name}: {manifest['kind']} {manifest['metadata']['name']} is valid")
        except (jsonschema.ValidationError, kubernetes_validate.ValidationError) as error:
            print(f"{path.name}: {manifest['kind']} {manifest['metadata']['name']}: {'.'.join(map(str, error.path))}: {error.message}")
            failed = True
sys.exit(failed)
