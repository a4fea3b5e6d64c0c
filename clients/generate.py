#!/usr/bin/env python3
"""Writes the types of both clients from the description of the API.

    curl -s http://127.0.0.1:7717/openapi.json | clients/generate.py [FOLDER]

FOLDER is where the clients are, and the folder of this script unless given.
"""

import json
import keyword
import sys
from pathlib import Path

NOTE = "Made by clients/generate.py from /openapi.json. Do not edit."
PYTHON = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
TYPESCRIPT = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


class Schemas:
    """The named schemas of a description."""

    def __init__(self, document):
        self.named = document["components"]["schemas"]

    def merged(self, schema):
        """The fields of an object and which of them are always there, with those of the objects it consists of."""
        if "$ref" in schema:
            return self.merged(self.named[schema["$ref"].rsplit("/", 1)[1]])
        fields, required = dict(schema.get("properties", {})), set(schema.get("required", []))
        for part in schema.get("allOf", []):
            more, needed = self.merged(part)
            fields.update(more)
            required |= needed
        for part in schema.get("oneOf", []):
            # An object that may be missing: none of its fields is certain.
            fields.update(self.merged(part)[0])
        return fields, required


def is_object(schema):
    return "properties" in schema or "allOf" in schema


def parts(schema):
    return schema.get("oneOf") or schema.get("anyOf") or []


def python_type(schema):
    if "$ref" in schema:
        return f'"{schema["$ref"].rsplit("/", 1)[1]}"'
    if parts(schema):
        return "Union[" + ", ".join(dict.fromkeys(python_type(part) for part in parts(schema))) + "]"
    if "enum" in schema:
        return "Literal[" + ", ".join(json.dumps(value) for value in schema["enum"]) + "]"
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return "Union[" + ", ".join(python_type({**schema, "type": kind}) for kind in kinds) + "]"
    if kinds == "array":
        return f"List[{python_type(schema.get('items', {}))}]"
    return PYTHON.get(kinds, "Dict[str, Any]" if kinds == "object" else "Any")


def typescript_type(schema):
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    if parts(schema):
        return " | ".join(dict.fromkeys(typescript_type(part) for part in parts(schema)))
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return " | ".join(typescript_type({**schema, "type": kind}) for kind in kinds)
    if kinds == "array":
        return f"Array<{typescript_type(schema.get('items', {}))}>"
    return TYPESCRIPT.get(kinds, "Record<string, unknown>" if kinds == "object" else "unknown")


def about(schema):
    return " ".join(schema.get("description", "").split())


def variants(name, schema):
    """The schema with a name for each object that stands in it without one."""
    named = []
    if not is_object(schema):
        for number, part in enumerate(parts(schema), 1):
            if is_object(part):
                named.append((f"{name}{number}", part))
        whole = iter(f"{name}{number}" for number, part in enumerate(parts(schema), 1) if is_object(part))
        either = [{"$ref": f"#/{next(whole)}"} if is_object(part) else part for part in parts(schema)]
        schema = {**schema, "oneOf": either} if either else schema
    return [*named, (name, schema)]


def python(schemas):
    lines = [f'"""{NOTE}"""', "", "from typing import Any, Dict, List, Literal, NotRequired, TypedDict, Union"]
    for given, description in sorted(schemas.named.items()):
        for name, schema in variants(given, description):
            lines += ["", ""]
            if not is_object(schema):
                lines.append(f"{name} = {python_type(schema)}")
                continue
            fields, required = schemas.merged(schema)
            typed = {
                field: python_type(of) if field in required else f"NotRequired[{python_type(of)}]"
                for field, of in fields.items()
            }
            if any(keyword.iskeyword(field) for field in typed):
                lines.append(f'{name} = TypedDict("{name}", {{')
                lines += [f'    "{field}": {kind},' for field, kind in typed.items()]
                lines.append("})")
                continue
            lines.append(f"class {name}(TypedDict):")
            if about(schema):
                lines += [f'    """{about(schema)}"""', ""]
            lines += [f"    {field}: {kind}" for field, kind in typed.items()] or ["    pass"]
    return "\n".join(lines) + "\n"


def typescript(schemas):
    lines = [f"// {NOTE}"]
    for given, description in sorted(schemas.named.items()):
        for name, schema in variants(given, description):
            lines.append("")
            if about(schema):
                lines.append(f"/** {about(schema)} */")
            if not is_object(schema):
                lines.append(f"export type {name} = {typescript_type(schema)};")
                continue
            fields, required = schemas.merged(schema)
            lines.append(f"export interface {name} {{")
            for field, of in fields.items():
                if about(of):
                    lines.append(f"  /** {about(of)} */")
                mark = "" if field in required else "?"
                lines.append(f"  {field}{mark}: {typescript_type(of)};")
            lines.append("}")
    return "\n".join(lines) + "\n"


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    schemas = Schemas(json.load(sys.stdin))
    (folder / "python/throughline/types.py").write_text(python(schemas))
    (folder / "typescript/src/types.ts").write_text(typescript(schemas))


if __name__ == "__main__":
    main()
