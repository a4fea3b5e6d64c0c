"""Made by clients/generate.py from /openapi.json. Do not edit."""

from typing import Any, Dict, List, Literal, NotRequired, TypedDict, Union


Answer = Union["ForgetDocument", "UndoneDocument"]


class BadEntryDocument(TypedDict):
    """An entry that is not a message."""

    line: int
    why: str


class CapDocument(TypedDict):
    """A cap."""

    usd: float
    tokens: int


class CapsDocument(TypedDict):
    """The most that a day may cost."""

    replies: "CapDocument"
    background: "CapDocument"


class ChatDocument(TypedDict):
    """A chat and how much is in it."""

    chat: str
    messages: int
    lanes: int
    last_at: NotRequired[Union[str, None]]
    person: NotRequired[Union[str, None]]


class ChatsDocument(TypedDict):
    """Chats, the most recent first."""

    chats: List["ChatDocument"]


class CheckDocument(TypedDict):
    """One check."""

    check: str
    state: str
    message: str


class CommandDocument(TypedDict):
    """The result of a command."""

    reply: str


class ContextDocument(TypedDict):
    """The context of the next turn."""

    chat: str
    lane: str
    preset: str
    format: str
    thread: str
    anchor: NotRequired[Union[str, None]]
    budget: int
    tokens: int
    layers: List["LayerDocument"]
    text: NotRequired[Union[str, None]]
    messages: NotRequired[Any]


class ContextQuery(TypedDict):
    """A question for the context of the next turn."""

    chat: NotRequired[Union[str, None]]
    lane: NotRequired[Union[str, None]]
    message: NotRequired[Union[str, None]]
    preset: NotRequired[Union[str, None]]
    budget: NotRequired[Union[int, None]]
    format: NotRequired[Union[str, None]]
    provider: NotRequired["Provider"]
    reply_to: NotRequired[Union[str, None]]
    no_tags: NotRequired[bool]


ConversationDocument = TypedDict("ConversationDocument", {
    "id": str,
    "lane": str,
    "from": str,
    "to": str,
    "messages": int,
})


class ConversationPage(TypedDict):
    """A conversation, or a page of it."""

    id: NotRequired[Union[str, None]]
    chat: str
    messages: List["MessageDocument"]
    next_cursor: NotRequired[Union[str, None]]


class ConversationsDocument(TypedDict):
    """The conversations of a chat, newest first."""

    chat: str
    conversations: List["ConversationDocument"]
    next_cursor: NotRequired[Union[str, None]]


class DoctorDocument(TypedDict):
    """What was looked at."""

    ok: bool
    checks: List["CheckDocument"]


class DoneDocument(TypedDict):
    """The figures of a forgetting."""

    undo_until: NotRequired[Union[str, None]]
    memories: NotRequired[int]
    messages: NotRequired[int]
    summaries: NotRequired[int]
    backups: NotRequired[List[str]]
    finished: NotRequired[int]
    unscrubbed: NotRequired[Union[str, None]]


class ErrorBody(TypedDict):
    """A failure."""

    code: str
    message: str


class ErrorDocument(TypedDict):
    """The body of every failure."""

    error: "ErrorBody"


class ForgetDocument(TypedDict):
    """What was forgotten, or would be."""

    undo_until: NotRequired[Union[str, None]]
    memories: NotRequired[int]
    messages: NotRequired[int]
    summaries: NotRequired[int]
    backups: NotRequired[List[str]]
    finished: NotRequired[int]
    unscrubbed: NotRequired[Union[str, None]]
    matches: List["MatchDocument"]
    forgotten: int
    receipt: NotRequired[Union[str, None]]
    undone: NotRequired[Union[int, None]]


class ForgetQuery(TypedDict):
    """What to forget. One of `topic`, `id`, `all` and `undo`."""

    chat: NotRequired[Union[str, None]]
    topic: NotRequired[Union[str, None]]
    id: NotRequired[Union[str, None]]
    all: NotRequired[bool]
    dry_run: NotRequired[bool]
    permanently: NotRequired[bool]
    undo: NotRequired[Union[str, None]]


class HitDocument(TypedDict):
    """One hit."""

    score: float
    kind: str
    id: str
    messages: List[str]
    chat: str
    lane: NotRequired[Union[str, None]]
    conversation: NotRequired[Union[str, None]]
    role: NotRequired[Union[str, None]]
    speaker: NotRequired[Union[str, None]]
    at: str
    text: str
    why: "WhyDocument"


class ImportDocument(TypedDict):
    """The result of an import."""

    imported: int
    skipped: int
    failed: int
    chats: int
    errors: List["BadEntryDocument"]
    note: NotRequired[Union[str, None]]


class ItemDocument(TypedDict):
    """One piece, and why it is included or left out."""

    kind: str
    id: str
    tokens: int
    why: str


class LaneDocument(TypedDict):
    """A lane and how much is in it."""

    lane: str
    messages: int
    last_at: NotRequired[Union[str, None]]


class LaneMessage(TypedDict):
    """A message of a lane."""

    id: str
    role: str
    speaker: NotRequired[Union[str, None]]
    at: str
    text: str
    turn: NotRequired[Union[str, None]]
    shortfall: NotRequired[Union[str, None]]


class LanePart(TypedDict):
    """A part of a lane."""

    chat: str
    lane: str
    messages: List["LaneMessage"]
    before: bool
    after: bool


class LanesDocument(TypedDict):
    """The lanes of a chat, the most recent first."""

    chat: str
    lanes: List["LaneDocument"]
    connected: bool


class LayerDocument(TypedDict):
    """One layer."""

    name: str
    tokens: int
    budget: int
    text: str
    items: List["ItemDocument"]
    dropped: List["ItemDocument"]


class MatchDocument1(TypedDict):
    """A memory."""

    id: str
    kind: str
    text: str
    category: str
    status: str
    confidence: float
    extracted: bool
    scope: str
    chat: str
    person: NotRequired[Union[str, None]]
    speaker: NotRequired[Union[str, None]]
    sources: List[str]
    spans: List[List[int]]
    day: NotRequired[Union[str, None]]
    deadline: NotRequired[Union[str, None]]
    valid_from: str
    valid_to: NotRequired[Union[str, None]]
    superseded_by: NotRequired[Union[str, None]]
    used_at: NotRequired[Union[str, None]]
    quotes: NotRequired[Union[List["QuoteDocument"], None]]
    match: str
    certain: bool


class MatchDocument2(TypedDict):
    """Sentences of a message."""

    match: str
    id: str
    certain: bool
    text: str


MatchDocument = Union["MatchDocument1", "MatchDocument2"]


class MemoriesDocument(TypedDict):
    """Memories."""

    memories: List["MemoryDocument"]
    next_cursor: NotRequired[Union[str, None]]


class MemoryDocument(TypedDict):
    """A memory."""

    id: str
    kind: str
    text: str
    category: str
    status: str
    confidence: float
    extracted: bool
    scope: str
    chat: str
    person: NotRequired[Union[str, None]]
    speaker: NotRequired[Union[str, None]]
    sources: List[str]
    spans: List[List[int]]
    day: NotRequired[Union[str, None]]
    deadline: NotRequired[Union[str, None]]
    valid_from: str
    valid_to: NotRequired[Union[str, None]]
    superseded_by: NotRequired[Union[str, None]]
    used_at: NotRequired[Union[str, None]]
    quotes: NotRequired[Union[List["QuoteDocument"], None]]


class MemoryEdit(TypedDict):
    """A change to a memory."""

    text: NotRequired[Union[str, None]]
    kind: NotRequired[Union[str, None]]
    status: NotRequired[Union[str, None]]


class MessageDocument(TypedDict):
    """A message."""

    id: str
    role: str
    speaker: NotRequired[Union[str, None]]
    at: str
    text: str


class MessagesPage(TypedDict):
    """Messages of a lane, newest first."""

    chat: str
    lane: str
    messages: List["MessageDocument"]
    next_cursor: NotRequired[Union[str, None]]


class NewCommand(TypedDict):
    """A command."""

    text: str
    chat: NotRequired[Union[str, None]]
    lane: NotRequired[Union[str, None]]


class NewMessage(TypedDict):
    """A message to record."""

    text: str
    chat: NotRequired[Union[str, None]]
    lane: NotRequired[Union[str, None]]
    role: NotRequired[Union[str, None]]
    at: NotRequired[Union[str, None]]
    speaker: NotRequired[Union[str, None]]
    reply_to: NotRequired[Union[str, None]]
    external_id: NotRequired[Union[str, None]]
    metadata: NotRequired[Dict[str, Any]]


class NewTurn(TypedDict):
    """A message to answer."""

    message: str
    chat: NotRequired[Union[str, None]]
    lane: NotRequired[Union[str, None]]
    agent: NotRequired[Union[str, None]]
    speaker: NotRequired[Union[str, None]]
    reply_to: NotRequired[Union[str, None]]


class OngoingDocument(TypedDict):
    """The live conversation."""

    messages: int
    about: List[str]


class ProfileDocument(TypedDict):
    """The profile of a chat's people, and figures about the chat."""

    profile: str
    narrative: NotRequired[Union[str, None]]
    facts: List[str]
    preferences: List[str]
    goals: List[str]
    dates: List[str]
    outcomes: List[str]
    messages: int
    summaries: int
    verbatim: int


Provider = Literal["anthropic", "openai"]


class QuoteDocument(TypedDict):
    """Words that prove a memory."""

    message: str
    chat: str
    at: str
    speaker: NotRequired[Union[str, None]]
    role: str
    text: str


class ReceiptDocument(TypedDict):
    """A turn with its receipt."""

    turn: str
    chat: str
    lane: str
    status: str
    started_at: str
    ended_at: NotRequired[Union[str, None]]
    reply: NotRequired[Union[str, None]]
    delivery: NotRequired[Union[str, None]]
    model: NotRequired[Union[str, None]]
    preset: NotRequired[Union[str, None]]
    tokens: NotRequired[Union[int, None]]
    budget: NotRequired[Union[int, None]]
    own_ms: NotRequired[Union[float, None]]
    model_ms: NotRequired[Union[float, None]]
    degraded: List[str]
    usage: "UsageDocument"
    receipt: NotRequired[Union["TurnReceipt", None]]


class ReceiptLayer(TypedDict):
    """One layer of a receipt."""

    name: str
    tokens: int
    budget: int
    items: List["ItemDocument"]
    dropped: List["ItemDocument"]


class ReceiptTool(TypedDict):
    """One call of a tool by the model. What it looked for and found is not in it."""

    tool: str
    hits: NotRequired[Union[int, None]]
    ms: float
    is_error: bool


class RecentDocument(TypedDict):
    """A recent message, shortened."""

    who: str
    at: str
    text: str


class RecordDocument(TypedDict):
    """A recorded message."""

    id: str
    chat: str
    lane: str
    conversation: str
    text: NotRequired[Union[str, None]]
    memories: NotRequired[Union[List["MemoryDocument"], None]]
    indexed: NotRequired[Union[bool, None]]


class RememberQuery(TypedDict):
    """A statement to remember."""

    text: str
    chat: NotRequired[Union[str, None]]
    kind: NotRequired[Union[str, None]]


class RememberedDocument(TypedDict):
    """What was remembered."""

    memories: List["MemoryDocument"]
    known: bool
    replaced: List[str]


class RoutineDocument(TypedDict):
    """A routine of the settings."""

    name: str
    enabled: bool
    schedule: NotRequired[Union[str, None]]
    next: NotRequired[Union[str, None]]
    kind: str
    decides: bool
    chat: str
    lane: str
    agent: NotRequired[Union[str, None]]


class RoutinesDocument(TypedDict):
    """The routines."""

    routines: List["RoutineDocument"]


class RunDocument(TypedDict):
    """A run of a routine."""

    routine: str
    chat: NotRequired[Union[str, None]]
    due: str
    state: str
    started: str
    ended: NotRequired[Union[str, None]]
    message: NotRequired[Union[str, None]]
    problem: NotRequired[Union[str, None]]
    text: NotRequired[Union[str, None]]


class RunsDocument(TypedDict):
    """Runs of routines."""

    runs: List["RunDocument"]


class SearchDocument(TypedDict):
    """The result of a search."""

    query: str
    verdict: str
    took_ms: float
    hits: List["HitDocument"]
    next_cursor: NotRequired[Union[str, None]]
    degraded: NotRequired[Union[str, None]]


class SearchQuery(TypedDict):
    """A search."""

    query: str
    chat: NotRequired[Union[str, None]]
    all: NotRequired[bool]
    lane: NotRequired[Union[str, None]]
    kind: NotRequired[Union[str, None]]
    since: NotRequired[Union[str, None]]
    until: NotRequired[Union[str, None]]
    limit: NotRequired[Union[int, None]]


class SpentDocument(TypedDict):
    """What models cost over a number of days."""

    since: str
    total: "SpentFigures"
    days: List["SpentOnDayDocument"]
    by: List["SpentOnDocument"]
    caps: "CapsDocument"


class SpentFigures(TypedDict):
    """Figures of calls."""

    calls: int
    failed: int
    input_tokens: int
    output_tokens: int
    cost_usd: float


class SpentOnDayDocument(TypedDict):
    """A day."""

    day: str
    replies: "SpentFigures"
    background: "SpentFigures"


class SpentOnDocument(TypedDict):
    """A purpose and model."""

    calls: int
    failed: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    purpose: str
    model: str


class SummariesDocument(TypedDict):
    """The summaries of a chat, and what has none yet."""

    summaries: List["SummaryDocument"]
    ongoing: "OngoingDocument"
    recent: List["RecentDocument"]
    routines: List["RoutineDocument"]


SummaryDocument = TypedDict("SummaryDocument", {
    "id": str,
    "scope": str,
    "lane": NotRequired[Union[str, None]],
    "from": str,
    "to": str,
    "messages": int,
    "version": int,
    "stale": bool,
    "sections": Dict[str, Any],
    "text": str,
})


class TurnDocument(TypedDict):
    """A turn and its reply."""

    reply: str
    turn: str
    receipt: "TurnReceipt"
    usage: "UsageDocument"


class TurnEntryDocument(TypedDict):
    """A turn as it is listed."""

    turn: str
    chat: str
    lane: str
    status: str
    started_at: str
    ended_at: NotRequired[Union[str, None]]
    reply: NotRequired[Union[str, None]]
    delivery: NotRequired[Union[str, None]]
    model: NotRequired[Union[str, None]]
    preset: NotRequired[Union[str, None]]
    tokens: NotRequired[Union[int, None]]
    budget: NotRequired[Union[int, None]]
    own_ms: NotRequired[Union[float, None]]
    model_ms: NotRequired[Union[float, None]]
    degraded: List[str]
    usage: "UsageDocument"


class TurnReceipt(TypedDict):
    """What went into a turn and why: ids and figures, never text."""

    preset: str
    model: str
    thread: str
    budget: int
    tokens: int
    layers: List["ReceiptLayer"]
    tools: NotRequired[List["ReceiptTool"]]
    degraded: List[str]
    own_ms: float
    model_ms: float


class TurnsDocument(TypedDict):
    """Turns, newest first."""

    turns: List["TurnEntryDocument"]
    next_cursor: NotRequired[Union[str, None]]


class UndoneDocument(TypedDict):
    """A forgetting that was undone."""

    undone: int
    receipt: str
    memories: int
    messages: int


class UsageDocument(TypedDict):
    """Tokens and cost."""

    input_tokens: int
    output_tokens: int
    cost_usd: NotRequired[Union[float, None]]


class WhyDocument(TypedDict):
    """The evidence for a hit."""

    words: float
    coverage: float
    terms: int
    meaning: float
    soft_overlap: float
    time: float
    speaker: float
