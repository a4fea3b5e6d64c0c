"""The client. Each method is one request; its answer is a document of `throughline.types`."""

from __future__ import annotations

import json
from http.client import HTTPException, HTTPResponse
from typing import Any, Iterator, Literal, Mapping, cast
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from .types import (
    ContextDocument,
    ForgetDocument,
    MemoriesDocument,
    RecordDocument,
    RememberedDocument,
    SearchDocument,
    TurnDocument,
)

Role = Literal["user", "assistant", "tool_use", "tool_result"]


class ThroughlineError(Exception):
    """A request failed. `code` is a word for programs, and the message says what to do."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class TurnStream:
    """The words of a reply as they come. Once they have all come, `document` is the whole turn."""

    document: TurnDocument

    def __init__(self, response: HTTPResponse) -> None:
        self._response = response

    def __iter__(self) -> Iterator[str]:
        with self._response:
            for name, data in _events(self._response):
                if name == "delta":
                    yield data["text"]
                elif name == "error":
                    raise ThroughlineError(200, data["error"]["code"], data["error"]["message"])
                elif name == "done":
                    self.document = cast(TurnDocument, data)
                    return
        raise ThroughlineError(0, "broke_off", "the stream broke off; the turn goes on and its reply is recorded")


class Memory:
    """The memory behind a Throughline server.

    A token that is bound to a chat needs no `chat` in the calls; `None` then means that chat.
    """

    def __init__(
        self, url: str = "http://127.0.0.1:7717", token: str | None = None, *, timeout: float = 120
    ) -> None:
        self.url = url.rstrip("/")
        self.timeout = timeout
        self._headers = {"Content-Type": "application/json"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"

    def context(
        self,
        chat: str | None,
        message: str,
        *,
        format: Literal["messages", "xml", "text", "roles"] = "messages",
        provider: Literal["anthropic", "openai"] = "anthropic",
        lane: str | None = None,
        preset: str | None = None,
        budget: int | None = None,
        reply_to: str | None = None,
        no_tags: bool = False,
    ) -> ContextDocument:
        """What a model should read to answer a message."""
        body = {
            "chat": chat, "message": message, "format": format, "provider": provider, "lane": lane,
            "preset": preset, "budget": budget, "reply_to": reply_to, "no_tags": no_tags,
        }
        return cast(ContextDocument, self._post("/v1/context", body))

    def record(
        self,
        chat: str | None,
        text: str,
        *,
        role: Role = "user",
        lane: str | None = None,
        at: str | None = None,
        speaker: str | None = None,
        reply_to: str | None = None,
        external_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> RecordDocument:
        """Records one message. Show a person the `text` of an assistant's, which has no tags."""
        body = {
            "chat": chat, "text": text, "role": role, "lane": lane, "at": at, "speaker": speaker,
            "reply_to": reply_to, "external_id": external_id, "metadata": metadata,
        }
        return cast(RecordDocument, self._post("/v1/messages", body, idempotency_key))

    def search(
        self,
        query: str,
        *,
        chat: str | None = None,
        all: bool = False,
        kind: Literal["message", "memory", "summary"] | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int = 10,
    ) -> SearchDocument:
        """Searches one chat, or all chats of the caller's person."""
        body = {"query": query, "chat": chat, "all": all, "kind": kind, "since": since, "until": until, "limit": limit}
        return cast(SearchDocument, self._post("/v1/search", body))

    def turn(self, chat: str | None, message: str, *, idempotency_key: str | None = None) -> TurnDocument:
        """Lets the server's model answer a message."""
        body = {"chat": chat, "message": message}
        return cast(TurnDocument, self._post("/v1/turns", body, idempotency_key))

    def stream(self, chat: str | None, message: str, *, idempotency_key: str | None = None) -> TurnStream:
        """The same, word by word: `for words in memory.stream(chat, "…")`."""
        headers = {"Accept": "text/event-stream"}
        return TurnStream(self._send("POST", "/v1/turns", {"chat": chat, "message": message}, idempotency_key, headers))

    def memories(self, chat: str | None) -> MemoriesDocument:
        """The memories that may be seen in a chat."""
        query = urlencode({"chat": chat}) if chat is not None else ""
        return cast(MemoriesDocument, self._read(self._send("GET", f"/v1/memories?{query}")))

    def remember(self, chat: str | None, text: str, *, kind: str | None = None) -> RememberedDocument:
        """Remembers a statement."""
        return cast(RememberedDocument, self._post("/v1/memories", {"chat": chat, "text": text, "kind": kind}))

    def forget(
        self, chat: str | None, topic: str | None = None, *, id: str | None = None, dry_run: bool = False
    ) -> ForgetDocument:
        """Forgets a topic, or one memory or message by its id; with `dry_run`, only shows what would be forgotten."""
        body = {"chat": chat, "topic": topic, "id": id, "dry_run": dry_run}
        return cast(ForgetDocument, self._post("/v1/forget", body))

    def _post(self, path: str, body: Mapping[str, Any], key: str | None = None) -> Any:
        return self._read(self._send("POST", path, body, key))

    def _read(self, response: HTTPResponse) -> Any:
        with response:
            return json.load(response)

    def _send(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        key: str | None = None,
        more: Mapping[str, str] = {},
    ) -> HTTPResponse:
        headers = {**self._headers, **more}
        if key is not None:
            headers["Idempotency-Key"] = quote(key)
        given = {name: value for name, value in (body or {}).items() if value is not None}
        data = json.dumps(given).encode() if body is not None else None
        try:
            return urlopen(Request(self.url + path, data, headers, method=method), timeout=self.timeout)
        except HTTPError as error:
            raise _refused(error) from None
        except (URLError, HTTPException, OSError) as error:
            raise ThroughlineError(0, "unreachable", f"{self.url} cannot be reached: {error}") from error


def _refused(error: HTTPError) -> ThroughlineError:
    try:
        told = json.load(error)["error"]
        return ThroughlineError(error.code, told["code"], told["message"])
    except (ValueError, KeyError, TypeError):
        return ThroughlineError(error.code, "failed", f"the server answered {error.code} {error.reason}")


def _events(lines: Iterator[bytes]) -> Iterator[tuple[str, Any]]:
    """The server-sent events: their names and data."""
    name, data = "message", ""
    for line in (line.decode().rstrip("\r\n") for line in lines):
        field, _, value = line.partition(":")
        if field == "event":
            name = value.strip()
        elif field == "data":
            data += value.strip()
        elif not line and data:
            yield name, json.loads(data)
            name, data = "message", ""
