// Made by clients/generate.py from /openapi.json. Do not edit.

/** What was forgotten, or brought back. */
export type Answer = ForgetDocument | UndoneDocument;

/** An entry that is not a message. */
export interface BadEntryDocument {
  /** The line at which it begins. */
  line: number;
  /** Why it is not a message. */
  why: string;
}

/** A cap. */
export interface CapDocument {
  /** In dollars. */
  usd: number;
  /** In tokens read and written. */
  tokens: number;
}

/** The most that a day may cost. */
export interface CapsDocument {
  /** Of replies. */
  replies: CapDocument;
  /** Of background work. */
  background: CapDocument;
}

/** A chat and how much is in it. */
export interface ChatDocument {
  /** The chat. */
  chat: string;
  /** Its messages. */
  messages: number;
  /** Its lanes. */
  lanes: number;
  /** The time of the newest message. */
  last_at?: string | null;
  /** The person it belongs to, if one is known. */
  person?: string | null;
}

/** Chats, the most recent first. */
export interface ChatsDocument {
  /** The chats. */
  chats: Array<ChatDocument>;
}

/** One check. */
export interface CheckDocument {
  /** What was looked at. */
  check: string;
  /** ok, note or broken. */
  state: string;
  /** A sentence about it. */
  message: string;
}

/** The result of a command. */
export interface CommandDocument {
  /** The text to show. */
  reply: string;
}

/** The context of the next turn. */
export interface ContextDocument {
  /** The chat. */
  chat: string;
  /** The lane. */
  lane: string;
  /** The preset it was made by. */
  preset: string;
  /** The format. */
  format: string;
  /** continuation or new. */
  thread: string;
  /** The message that the current one is most likely about. */
  anchor?: string | null;
  /** Maximum tokens of all layers but the message. */
  budget: number;
  /** The tokens of all layers but the message. */
  tokens: number;
  /** The eight layers, in order. */
  layers: Array<LayerDocument>;
  /** The prompt, if the format is one text. */
  text?: string | null;
  /** The prompt, if the format is an array of messages. */
  messages?: unknown;
}

/** A question for the context of the next turn. */
export interface ContextQuery {
  /** The chat, unless the token is bound to one. */
  chat?: string | null;
  /** root, topic:N or reply:ID; where `reply_to` points, else root, unless given. */
  lane?: string | null;
  /** The current message. */
  message?: string | null;
  /** standard, tiered, rolling, lane, full or pairs. */
  preset?: string | null;
  /** Maximum tokens of everything but the message. */
  budget?: number | null;
  /** xml, text, roles or messages. */
  format?: string | null;
  /** The provider whose array shape the format `messages` has. */
  provider?: Provider;
  /** The message that it answers, by our id or the channel's. */
  reply_to?: string | null;
  /** Whether to leave out the tags by which a model asks to keep something. */
  no_tags?: boolean;
}

/** A conversation as it is listed. */
export interface ConversationDocument {
  /** Its first message. */
  id: string;
  /** The lane. */
  lane: string;
  /** When its first message was said. */
  from: string;
  /** When its last message was said. */
  to: string;
  /** How many messages it has. */
  messages: number;
}

/** A conversation, or a page of it. */
export interface ConversationPage {
  /** Its first message. */
  id?: string | null;
  /** The chat. */
  chat: string;
  /** The messages, oldest first. */
  messages: Array<MessageDocument>;
  /** The cursor of the next page, if there is one. */
  next_cursor?: string | null;
}

/** The conversations of a chat, newest first. */
export interface ConversationsDocument {
  /** The chat. */
  chat: string;
  /** The conversations. */
  conversations: Array<ConversationDocument>;
  /** The cursor of the next page, if there is one. */
  next_cursor?: string | null;
}

/** What was looked at. */
export interface DoctorDocument {
  /** Whether nothing is broken. */
  ok: boolean;
  /** The checks. */
  checks: Array<CheckDocument>;
}

/** The figures of a forgetting. */
export interface DoneDocument {
  /** Until when it can be undone. */
  undo_until?: string | null;
  /** Memories that were forgotten. */
  memories?: number;
  /** Messages in which sentences were forgotten. */
  messages?: number;
  /** Summaries that were cleaned. */
  summaries?: number;
  /** Backups that still hold it. */
  backups?: Array<string>;
  /** Earlier forgettings of the same that can no longer be undone. */
  finished?: number;
  /** Why its bytes may still be in the files for a while. */
  unscrubbed?: string | null;
}

/** A failure. */
export interface ErrorBody {
  /** A word for programs. */
  code: string;
  /** A sentence for people. */
  message: string;
}

/** The body of every failure. */
export interface ErrorDocument {
  /** The failure. */
  error: ErrorBody;
}

/** What was forgotten, or would be. */
export interface ForgetDocument {
  /** Until when it can be undone. */
  undo_until?: string | null;
  /** Memories that were forgotten. */
  memories?: number;
  /** Messages in which sentences were forgotten. */
  messages?: number;
  /** Summaries that were cleaned. */
  summaries?: number;
  /** Backups that still hold it. */
  backups?: Array<string>;
  /** Earlier forgettings of the same that can no longer be undone. */
  finished?: number;
  /** Why its bytes may still be in the files for a while. */
  unscrubbed?: string | null;
  /** What matches. */
  matches: Array<MatchDocument>;
  /** How many memories and messages were forgotten. */
  forgotten: number;
  /** The receipt, by which it can be undone for a day. */
  receipt?: string | null;
  /** How many memories and messages were brought back. */
  undone?: number | null;
}

/** What to forget. One of `topic`, `id`, `all` and `undo`. */
export interface ForgetQuery {
  /** The chat, unless the token is bound to one. */
  chat?: string | null;
  /** The topic. */
  topic?: string | null;
  /** The id of a memory or message. */
  id?: string | null;
  /** Whether to forget the whole chat. */
  all?: boolean;
  /** Whether only to list the matches. */
  dry_run?: boolean;
  /** Whether to forget at once and for good, without an undo. */
  permanently?: boolean;
  /** The receipt of the forgetting to undo. */
  undo?: string | null;
}

/** One hit. */
export interface HitDocument {
  /** Its score; it compares with hits of the same chat only. */
  score: number;
  /** message, memory or summary. */
  kind: string;
  /** Its id. */
  id: string;
  /** The messages that it represents. */
  messages: Array<string>;
  /** The chat. */
  chat: string;
  /** The lane; a memory has none. */
  lane?: string | null;
  /** The first message of its conversation. */
  conversation?: string | null;
  /** Who said it: user, assistant, tool_use or tool_result. */
  role?: string | null;
  /** The speaker's name, if it is known. */
  speaker?: string | null;
  /** When it was said, or since when it holds. */
  at: string;
  /** The text. */
  text: string;
  /** The evidence for it. */
  why: WhyDocument;
}

/** The result of an import. */
export interface ImportDocument {
  /** Messages that are new. */
  imported: number;
  /** Messages that were imported before. */
  skipped: number;
  /** Entries that are not messages. */
  failed: number;
  /** The number of chats that the messages are in. */
  chats: number;
  /** The first entries that are not messages. */
  errors: Array<BadEntryDocument>;
  /** Why no memories can be learned, and what to do. */
  note?: string | null;
}

/** One piece, and why it is included or left out. */
export interface ItemDocument {
  /** message, summary, memory, file or note. */
  kind: string;
  /** Its id. */
  id: string;
  /** Its tokens. */
  tokens: number;
  /** Why it is included or left out. */
  why: string;
}

/** A lane and how much is in it. */
export interface LaneDocument {
  /** root, topic:N or reply:ID. */
  lane: string;
  /** Its messages. */
  messages: number;
  /** The time of the newest message. */
  last_at?: string | null;
}

/** A message of a lane. */
export interface LaneMessage {
  /** Its id. */
  id: string;
  /** user, assistant, tool_use, tool_result or system. */
  role: string;
  /** The speaker's name, if it is known. */
  speaker?: string | null;
  /** When it was said. */
  at: string;
  /** The text. */
  text: string;
  /** The turn whose reply it is. */
  turn?: string | null;
  /** How a reply falls short: stopped, cut, unanswered, stand-in or replaced. */
  shortfall?: string | null;
}

/** A part of a lane. */
export interface LanePart {
  /** The chat. */
  chat: string;
  /** root, topic:N or reply:ID. */
  lane: string;
  /** The messages, oldest first. */
  messages: Array<LaneMessage>;
  /** Whether there are messages before these. */
  before: boolean;
  /** Whether there are messages after these. */
  after: boolean;
}

/** The lanes of a chat, the most recent first. */
export interface LanesDocument {
  /** The chat. */
  chat: string;
  /** The lanes. */
  lanes: Array<LaneDocument>;
  /** Whether the chat's channel is connected, such as Telegram: replies are sent there as well. */
  connected: boolean;
}

/** One layer. */
export interface LayerDocument {
  /** policy, identity, profile, summaries, memories, recent, quote or message. */
  name: string;
  /** The tokens of its text. */
  tokens: number;
  /** Maximum tokens of the layer. */
  budget: number;
  /** The text. */
  text: string;
  /** The pieces in the layer. */
  items: Array<ItemDocument>;
  /** The pieces that were left out. */
  dropped: Array<ItemDocument>;
}

/** A memory. */
export interface MatchDocument1 {
  /** Its id. */
  id: string;
  /** fact, preference, goal, date or outcome. */
  kind: string;
  /** The statement. */
  text: string;
  /** What it is about, such as home, work or food. */
  category: string;
  /** active, suggested, done, superseded or forgotten. */
  status: string;
  /** The confidence, from 0 to 1. */
  confidence: number;
  /** Whether it was found in what was said, or told to be remembered. */
  extracted: boolean;
  /** person or chat: where it may be seen. */
  scope: string;
  /** The chat it was learned in. */
  chat: string;
  /** The person it is about, if the scope is one. */
  person?: string | null;
  /** Who said it, if several people speak. */
  speaker?: string | null;
  /** The messages that prove it. */
  sources: Array<string>;
  /** The bytes of those messages that do. */
  spans: Array<Array<number>>;
  /** The day it is about, if it has one. */
  day?: string | null;
  /** The deadline of a goal. */
  deadline?: string | null;
  /** The time from which the statement holds. */
  valid_from: string;
  /** The time until which the statement held. */
  valid_to?: string | null;
  /** The memory that took its place. */
  superseded_by?: string | null;
  /** When it last went into a context. */
  used_at?: string | null;
  /** The words that prove it, where one memory is shown. */
  quotes?: Array<QuoteDocument> | null;
  /** memory. */
  match: string;
  /** Whether it contains the whole topic; others are only offered. */
  certain: boolean;
}

/** Sentences of a message. */
export interface MatchDocument2 {
  /** message. */
  match: string;
  /** Its id. */
  id: string;
  /** Whether it contains the whole topic; others are only offered. */
  certain: boolean;
  /** The sentences. */
  text: string;
}

/** A match. */
export type MatchDocument = MatchDocument1 | MatchDocument2;

/** Memories. */
export interface MemoriesDocument {
  /** The memories. */
  memories: Array<MemoryDocument>;
  /** The cursor of the next page, if there is one. */
  next_cursor?: string | null;
}

/** A memory. */
export interface MemoryDocument {
  /** Its id. */
  id: string;
  /** fact, preference, goal, date or outcome. */
  kind: string;
  /** The statement. */
  text: string;
  /** What it is about, such as home, work or food. */
  category: string;
  /** active, suggested, done, superseded or forgotten. */
  status: string;
  /** The confidence, from 0 to 1. */
  confidence: number;
  /** Whether it was found in what was said, or told to be remembered. */
  extracted: boolean;
  /** person or chat: where it may be seen. */
  scope: string;
  /** The chat it was learned in. */
  chat: string;
  /** The person it is about, if the scope is one. */
  person?: string | null;
  /** Who said it, if several people speak. */
  speaker?: string | null;
  /** The messages that prove it. */
  sources: Array<string>;
  /** The bytes of those messages that do. */
  spans: Array<Array<number>>;
  /** The day it is about, if it has one. */
  day?: string | null;
  /** The deadline of a goal. */
  deadline?: string | null;
  /** The time from which the statement holds. */
  valid_from: string;
  /** The time until which the statement held. */
  valid_to?: string | null;
  /** The memory that took its place. */
  superseded_by?: string | null;
  /** When it last went into a context. */
  used_at?: string | null;
  /** The words that prove it, where one memory is shown. */
  quotes?: Array<QuoteDocument> | null;
}

/** A change to a memory. */
export interface MemoryEdit {
  /** The new statement. */
  text?: string | null;
  /** The new kind: fact, preference, goal, date or outcome. */
  kind?: string | null;
  /** active (also to accept a suggestion) or done. */
  status?: string | null;
}

/** A message. */
export interface MessageDocument {
  /** Its id. */
  id: string;
  /** user, assistant, tool_use, tool_result or system. */
  role: string;
  /** The speaker's name, if it is known. */
  speaker?: string | null;
  /** When it was said. */
  at: string;
  /** The text. */
  text: string;
}

/** Messages of a lane, newest first. */
export interface MessagesPage {
  /** The chat. */
  chat: string;
  /** The lane. */
  lane: string;
  /** The messages. */
  messages: Array<MessageDocument>;
  /** The cursor of the next page, if there is one. */
  next_cursor?: string | null;
}

/** A command. */
export interface NewCommand {
  /** The line, such as `/search garden`. */
  text: string;
  /** The chat, unless the token is bound to one. */
  chat?: string | null;
  /** root, topic:N or reply:ID; root unless given. */
  lane?: string | null;
}

/** A message to record. */
export interface NewMessage {
  /** The text. */
  text: string;
  /** The chat, unless the token is bound to one. */
  chat?: string | null;
  /** root, topic:N or reply:ID; where `reply_to` points, else root, unless given. */
  lane?: string | null;
  /** user, assistant, tool_use, tool_result or system; user unless given. */
  role?: string | null;
  /** When it was said; now unless given. */
  at?: string | null;
  /** The speaker's name. */
  speaker?: string | null;
  /** The message that it answers, by our id or the channel's. */
  reply_to?: string | null;
  /** The channel's own id of the message; the same id twice is one message. */
  external_id?: string | null;
  /** An object to store with the message. */
  metadata?: Record<string, unknown>;
}

/** A message to answer. */
export interface NewTurn {
  /** The text. */
  message: string;
  /** The chat, unless the token is bound to one. */
  chat?: string | null;
  /** root, topic:N or reply:ID; where `reply_to` points, else root, unless given. */
  lane?: string | null;
  /** The agent that answers. */
  agent?: string | null;
  /** The speaker's name. */
  speaker?: string | null;
  /** The message that it answers, by our id or the channel's. */
  reply_to?: string | null;
}

/** The live conversation. */
export interface OngoingDocument {
  /** Its messages that no summary covers; 0 if it has ended. */
  messages: number;
  /** What it is about. */
  about: Array<string>;
}

/** The profile of a chat's people, and figures about the chat. */
export interface ProfileDocument {
  /** The profile as a context shows it. */
  profile: string;
  /** Its prose, if a model writes one. */
  narrative?: string | null;
  /** Facts. */
  facts: Array<string>;
  /** Preferences. */
  preferences: Array<string>;
  /** Goals. */
  goals: Array<string>;
  /** Important dates. */
  dates: Array<string>;
  /** Attempts and their outcomes. */
  outcomes: Array<string>;
  /** Messages of the lane. */
  messages: number;
  /** Summaries of the lane. */
  summaries: number;
  /** Messages that the next context shows word for word. */
  verbatim: number;
}

/** A provider, by the shape of its array of messages. */
export type Provider = "anthropic" | "openai";

/** Words that prove a memory. */
export interface QuoteDocument {
  /** The message. */
  message: string;
  /** Its chat. */
  chat: string;
  /** When it was said. */
  at: string;
  /** The speaker's name, if it is known. */
  speaker?: string | null;
  /** Who said it: user or assistant. */
  role: string;
  /** The text. */
  text: string;
}

/** A turn with its receipt. */
export interface ReceiptDocument {
  /** The turn. */
  turn: string;
  /** The chat. */
  chat: string;
  /** The lane. */
  lane: string;
  /** running, answered, failed or abandoned. */
  status: string;
  /** When it began. */
  started_at: string;
  /** When it ended. */
  ended_at?: string | null;
  /** The message of the reply. */
  reply?: string | null;
  /** pending, sent, uncertain or failed. */
  delivery?: string | null;
  /** The model that answered. */
  model?: string | null;
  /** The preset of its context. */
  preset?: string | null;
  /** The tokens of its context. */
  tokens?: number | null;
  /** The budget. */
  budget?: number | null;
  /** Milliseconds before the model was asked. */
  own_ms?: number | null;
  /** Milliseconds until the model had answered. */
  model_ms?: number | null;
  /** What went wrong without stopping the turn. */
  degraded: Array<string>;
  /** Tokens and cost. */
  usage: UsageDocument;
  receipt?: TurnReceipt | null;
}

/** One layer of a receipt. */
export interface ReceiptLayer {
  /** policy, identity, profile, summaries, memories, recent, quote or message. */
  name: string;
  /** The tokens used. */
  tokens: number;
  /** Maximum tokens of the layer. */
  budget: number;
  /** The pieces in the layer. */
  items: Array<ItemDocument>;
  /** The pieces that were left out. */
  dropped: Array<ItemDocument>;
}

/** One call of a tool by the model. What it looked for and found is not in it. */
export interface ReceiptTool {
  /** The tool's name; `unknown` if there is none by the name that the model used. */
  tool: string;
  /** Hits or messages in the answer; nothing if another program carried out the call. */
  hits?: number | null;
  /** Milliseconds until the answer. */
  ms: number;
  /** Whether the call could not be carried out. */
  is_error: boolean;
}

/** A recent message, shortened. */
export interface RecentDocument {
  /** Who said it. */
  who: string;
  /** When. */
  at: string;
  /** The text. */
  text: string;
}

/** A recorded message. */
export interface RecordDocument {
  /** Its id. */
  id: string;
  /** The chat. */
  chat: string;
  /** The lane. */
  lane: string;
  /** The first message of its conversation. */
  conversation: string;
  /** The text of a reply without its tags. */
  text?: string | null;
  /** The memories that the tags of a reply asked for. */
  memories?: Array<MemoryDocument> | null;
  /** Whether it can be found by meaning too, if that was waited for. Its words can be found at once. */
  indexed?: boolean | null;
}

/** A statement to remember. */
export interface RememberQuery {
  /** The statement, such as "I am allergic to peanuts". */
  text: string;
  /** The chat, unless the token is bound to one. */
  chat?: string | null;
  /** fact, preference, goal, date or outcome; derived from the text unless given. */
  kind?: string | null;
}

/** What was remembered. */
export interface RememberedDocument {
  /** The memory. */
  memories: Array<MemoryDocument>;
  /** Whether it was known before. */
  known: boolean;
  /** The memories that it took the place of. */
  replaced: Array<string>;
}

/** A routine of the settings. */
export interface RoutineDocument {
  /** Its name. */
  name: string;
  /** Whether it is on. */
  enabled: boolean;
  /** When it runs, in cron's notation. */
  schedule?: string | null;
  /** When it runs next, if it is on. */
  next?: string | null;
  /** prompt, command or message. */
  kind: string;
  /** Whether it decides each time if it has something to say. */
  decides: boolean;
  /** The chat it writes to. */
  chat: string;
  /** The lane. */
  lane: string;
  /** The agent that writes, if it is not the chat's. */
  agent?: string | null;
}

/** The routines. */
export interface RoutinesDocument {
  /** The routines, by name. */
  routines: Array<RoutineDocument>;
}

/** A run of a routine. */
export interface RunDocument {
  /** The routine. */
  routine: string;
  /** The chat that the routine writes to, if the settings still name the routine. */
  chat?: string | null;
  /** When it was due. */
  due: string;
  /** running, sent, declined, missed or failed. */
  state: string;
  /** When it began. */
  started: string;
  /** When it ended. */
  ended?: string | null;
  /** The message that it sent. */
  message?: string | null;
  /** Why it sent nothing. */
  problem?: string | null;
  /** The words of the message, of a run that was asked for. */
  text?: string | null;
}

/** Runs of routines. */
export interface RunsDocument {
  /** The runs, the newest first. */
  runs: Array<RunDocument>;
}

/** The result of a search. */
export interface SearchDocument {
  /** The query. */
  query: string;
  /** The quality of the best hit: strong, weak or none. */
  verdict: string;
  /** The duration, in milliseconds. */
  took_ms: number;
  /** The hits, best first. */
  hits: Array<HitDocument>;
  /** The cursor of the next page, if there is one. */
  next_cursor?: string | null;
  /** Why vectors could not be searched, if so; the hits are then by words alone. */
  degraded?: string | null;
}

/** A search. */
export interface SearchQuery {
  /** The question; any text is valid. */
  query: string;
  /** The chat, unless the token is bound to one. */
  chat?: string | null;
  /** Whether to search all chats of the caller's person instead. */
  all?: boolean;
  /** Only this lane: root, topic:N or reply:ID. */
  lane?: string | null;
  /** Only this kind: message, memory or summary. */
  kind?: string | null;
  /** Only messages at this time or later. */
  since?: string | null;
  /** Only messages before this time. */
  until?: string | null;
  /** Maximum number of hits; 10 unless given. */
  limit?: number | null;
}

/** What models cost over a number of days. */
export interface SpentDocument {
  /** The first day. */
  since: string;
  /** The total. */
  total: SpentFigures;
  /** The days on which a model was called, oldest first. */
  days: Array<SpentOnDayDocument>;
  /** The purposes and models. */
  by: Array<SpentOnDocument>;
  /** The most that a day may cost, all chats together. */
  caps: CapsDocument;
}

/** Figures of calls. */
export interface SpentFigures {
  /** Calls. */
  calls: number;
  /** Calls that failed. */
  failed: number;
  /** Tokens read. */
  input_tokens: number;
  /** Tokens written. */
  output_tokens: number;
  /** The known part of the cost, in dollars. */
  cost_usd: number;
}

/** A day. */
export interface SpentOnDayDocument {
  /** The day in the person's zone, such as 2026-02-18. */
  day: string;
  /** Calls that a person waited for. */
  replies: SpentFigures;
  /** Other calls. */
  background: SpentFigures;
}

/** A purpose and model. */
export interface SpentOnDocument {
  /** Calls. */
  calls: number;
  /** Calls that failed. */
  failed: number;
  /** Tokens read. */
  input_tokens: number;
  /** Tokens written. */
  output_tokens: number;
  /** The known part of the cost, in dollars. */
  cost_usd: number;
  /** The purpose, such as reply or extract. */
  purpose: string;
  /** The model. */
  model: string;
}

/** The summaries of a chat, and what has none yet. */
export interface SummariesDocument {
  /** The summaries of the lanes, oldest first, and that of the whole chat. */
  summaries: Array<SummaryDocument>;
  /** The live conversation. */
  ongoing: OngoingDocument;
  /** The newest messages, shortened. */
  recent: Array<RecentDocument>;
  /** Today's messages of routines. */
  routines: Array<RoutineDocument>;
}

/** A summary. */
export interface SummaryDocument {
  /** Its id. */
  id: string;
  /** conversation, chunk, lane or chat. */
  scope: string;
  /** The lane; none for the whole chat. */
  lane?: string | null;
  /** The time of its first message. */
  from: string;
  /** The time of its last message. */
  to: string;
  /** The number of messages that it represents. */
  messages: number;
  /** Its version. */
  version: number;
  /** Whether a message came late and it will be written again. */
  stale: boolean;
  /** goals, decisions, facts, outcomes and pending, each a list of lines. */
  sections: Record<string, unknown>;
  /** The text. */
  text: string;
}

/** A turn and its reply. */
export interface TurnDocument {
  /** The reply. */
  reply: string;
  /** The turn. */
  turn: string;
  /** What went into it and why. */
  receipt: TurnReceipt;
  /** Tokens and cost. */
  usage: UsageDocument;
}

/** A turn as it is listed. */
export interface TurnEntryDocument {
  /** The turn. */
  turn: string;
  /** The chat. */
  chat: string;
  /** The lane. */
  lane: string;
  /** running, answered, failed or abandoned. */
  status: string;
  /** When it began. */
  started_at: string;
  /** When it ended. */
  ended_at?: string | null;
  /** The message of the reply. */
  reply?: string | null;
  /** pending, sent, uncertain or failed. */
  delivery?: string | null;
  /** The model that answered. */
  model?: string | null;
  /** The preset of its context. */
  preset?: string | null;
  /** The tokens of its context. */
  tokens?: number | null;
  /** The budget. */
  budget?: number | null;
  /** Milliseconds before the model was asked. */
  own_ms?: number | null;
  /** Milliseconds until the model had answered. */
  model_ms?: number | null;
  /** What went wrong without stopping the turn. */
  degraded: Array<string>;
  /** Tokens and cost. */
  usage: UsageDocument;
}

/** What went into a turn and why: ids and figures, never text. */
export interface TurnReceipt {
  /** The preset of the context. */
  preset: string;
  /** The model that answered. */
  model: string;
  /** continuation or new. */
  thread: string;
  /** The budget of the context, in tokens. */
  budget: number;
  /** The tokens of the context. */
  tokens: number;
  /** Layer by layer. */
  layers: Array<ReceiptLayer>;
  /** The calls of tools while the model answered, in order. */
  tools?: Array<ReceiptTool>;
  /** What went wrong without stopping the turn. */
  degraded: Array<string>;
  /** Milliseconds before the model was asked. */
  own_ms: number;
  /** Milliseconds until the model had answered. */
  model_ms: number;
}

/** Turns, newest first. */
export interface TurnsDocument {
  /** The turns. */
  turns: Array<TurnEntryDocument>;
  /** The cursor of the next page, if there is one. */
  next_cursor?: string | null;
}

/** A forgetting that was undone. */
export interface UndoneDocument {
  /** How many memories and messages were brought back. */
  undone: number;
  /** The receipt. */
  receipt: string;
  /** Memories. */
  memories: number;
  /** Messages. */
  messages: number;
}

/** Tokens and cost. */
export interface UsageDocument {
  /** Tokens read. */
  input_tokens: number;
  /** Tokens written. */
  output_tokens: number;
  /** The cost in dollars, if it is known. */
  cost_usd?: number | null;
}

/** The evidence for a hit. */
export interface WhyDocument {
  /** The score of its words. */
  words: number;
  /** The share of the question's words that it has. */
  coverage: number;
  /** The number of the question's words that it has. */
  terms: number;
  /** Its similarity to the question. */
  meaning: number;
  /** The share of the question that it covers, in the same or other words. */
  soft_overlap: number;
  /** 1 if it is of the time that is asked about. */
  time: number;
  /** 1 if it is by a speaker who is asked about. */
  speaker: number;
}
