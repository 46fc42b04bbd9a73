"""The JSON Schemas of docs/formats. Report schemas leave room for later keys, as docs promise; `strict` makes every key that
they do not name an error."""

import json
import warnings

from jsonschema import Draft202012Validator

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # newer releases prefer another library; Debian 12 has none
    from jsonschema import RefResolver


# kind -> schema and its definition, "" for the whole schema
KINDS = {
    "PlacementReport": ("placement-report", ""),
    "FragmentationReport": ("fragmentation-report", ""),
    "PendingReport": ("pending-report", "PendingReport"),
    "List": ("pending-report", "List"),
    "WorkloadReport": ("pending-report", "WorkloadReport"),
    "VerificationReport": ("pending-report", "VerificationReport"),
    "MessageReport": ("pending-report", "MessageReport"),
    "AllocationReport": ("allocation-report", "AllocationReport"),
    "SelectorReport": ("allocation-report", "SelectorReport"),
    "GangReport": ("gang-report", ""),
    "ChainReport": ("chain-report", "ChainReport"),
    "ChainDiff": ("chain-report", "ChainDiff"),
    "CheckReport": ("check-report", ""),
    "MigLayoutReport": ("mig-layout-report", ""),
    "VersionReport": ("version-report", ""),
}


def closed(schema):
    """A copy in which objects have no keys but those that the schema names."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    copied = {key: closed(part) for key, part in schema.items()}
    if copied.get("type") == "object" and "properties" in copied:
        copied.setdefault("additionalProperties", False)
    return copied


class Schemas:
    """The schemas of a folder; they refer to each other by file name."""

    def __init__(self, folder, *, strict):
        self.by_uri = {}
        for path in sorted(folder.glob("*.schema.json")):
            schema = json.loads(path.read_text(encoding="utf-8"))
            Draft202012Validator.check_schema(schema)
            self.by_uri[path.as_uri()] = closed(schema) if strict else schema
        self.folder = folder

    def errors(self, name, definition, document):
        """What is wrong with a document: by a schema, or by one of its $defs."""
        uri = (self.folder / f"{name}.schema.json").as_uri()
        schema = self.by_uri[uri]
        resolver = RefResolver(uri, schema, store=dict(self.by_uri))
        validator = Draft202012Validator(schema["$defs"][definition] if definition else schema, resolver=resolver)
        return [f"/{'/'.join(map(str, error.absolute_path))}: {error.message}" for error in validator.iter_errors(document)]
