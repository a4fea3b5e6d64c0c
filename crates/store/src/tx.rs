//! One transaction: small reads and writes of rows, the same for every database.
//!
//! The list below is the complete contract of a database: a new one implements each of these methods as a statement
//! with its row mapping. A transaction reads one snapshot, and a write sees and changes only that snapshot.

use std::collections::{HashMap, HashSet};
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use throughline_domain::chat::ChatId;
use throughline_domain::context::StoredMessage;
use throughline_domain::forget::Suppression;
use throughline_domain::lane::Lane;
use throughline_domain::memory::{Memory, MemoryId, Proof, Status};
use throughline_domain::message::{Message, MessageId, Role};
use throughline_domain::pending::PendingSlot;
use throughline_domain::summary::{End, Position, Scope, Summary};
use throughline_domain::turn::{Delivery, Receipt, TurnId, TurnStatus};
use uuid::Uuid;

use crate::arrivals::{Account, InboundAction, Mark, PairingRequest};
use crate::attachments::{AttachmentState, KeptFile, NewAttachment, StoredAttachment};
use crate::chats::{ChatCount, LaneCount};
use crate::credentials::{Credential, CredentialKind, Hash};
use crate::forget::{Forgetting, Forgotten, Suppressed};
use crate::health::{Check, Figures};
use crate::holder::Holder;
use crate::jobs::{Job, JobKind};
use crate::ledger::{Call, CallProblem, Spent, SpentOn, SpentOnDay};
use crate::live::LiveReply;
use crate::memories::{Learning, StoredMemory};
use crate::outbox::{Button, NewOutboxItem, OutboxFigures, OutboxItem};
use crate::pairing::PairedPerson;
use crate::relayed::RelayedReply;
use crate::requests::DoneRequest;
use crate::routines::Run;
use crate::search::Speaker;
use crate::turns::TurnEntry;
use crate::uncertain::UncertainMessage;
use crate::{Result, sqlite};

/// One transaction of one arm.
pub(crate) enum Tx<'a> {
    Sqlite(sqlite::Tx<'a>),
}

/// A lane's row.
pub(crate) struct LaneRow {
    pub id: i64,
    pub messages: u64,
    pub last_at: Option<Timestamp>,
    /// The first message of the newest conversation.
    pub conversation: Option<MessageId>,
}

/// A message to insert, with its derived columns.
pub(crate) struct NewMessage<'a> {
    pub chat: i64,
    pub lane: i64,
    pub message: &'a Message,
    pub opens: bool,
    pub tokens: u32,
}

/// The place of a message.
pub(crate) struct Place {
    pub position: Position,
    pub chat: i64,
    pub lane: i64,
}

/// The first message of a conversation.
pub(crate) struct Opening {
    pub id: MessageId,
    pub lane_key: String,
    pub lane: i64,
    pub position: Position,
}

/// The parts of a message that conversations are computed from.
pub(crate) struct Moment {
    pub seq: i64,
    pub id: MessageId,
    pub lane: i64,
    pub at: Timestamp,
    pub opens: bool,
    /// True if the message itself begins a new conversation.
    pub starts_new: bool,
}

/// The columns of a job that change when a worker releases it.
pub(crate) struct JobRow {
    pub due_at: Timestamp,
    pub attempts: u32,
    /// True if it was requested again while it ran.
    pub rerun: bool,
    pub problem: Option<String>,
}

/// A turn's row.
pub(crate) struct TurnRow {
    pub status: TurnStatus,
    pub lane: i64,
    pub chat: i64,
    pub holder: Holder,
}

/// A turn with its reply.
pub(crate) struct ReplyRow {
    pub status: TurnStatus,
    pub started_at: Timestamp,
    pub receipt: Option<Receipt>,
    pub message: Option<i64>,
    pub delivery: Option<Delivery>,
}

/// The state of an outbox item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutboxState {
    Pending,
    Sending,
    Sent,
    Uncertain,
    Failed,
}

impl OutboxState {
    const ALL: [Self; 5] = [Self::Pending, Self::Sending, Self::Sent, Self::Uncertain, Self::Failed];

    /// The name in SQL.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Sending => "sending",
            Self::Sent => "sent",
            Self::Uncertain => "uncertain",
            Self::Failed => "failed",
        }
    }
}

impl FromStr for OutboxState {
    type Err = String;

    fn from_str(name: &str) -> std::result::Result<Self, String> {
        let found = Self::ALL.into_iter().find(|state| state.as_str() == name);
        found.ok_or_else(|| format!("{name:?} is not a state of an outbox item"))
    }
}

/// The message and turn of an outbox item.
#[derive(Default)]
pub(crate) struct OutboxOrigin {
    /// The row and the chat of the message that it is a piece of.
    pub message: Option<(i64, i64)>,
    pub turn: Option<TurnId>,
}

/// The content of a memory, which forgetting removes and undo restores.
#[derive(Serialize, Deserialize)]
pub(crate) struct MemoryBefore {
    pub text: String,
    pub category: String,
    pub status: String,
    pub speaker: Option<String>,
    pub day: Option<String>,
    pub proofs: Vec<Proof>,
}

/// The state of a chat's index, which tells whether an in-memory index is up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IndexRow {
    pub chat: i64,
    /// The number of rebuilds.
    pub generation: u64,
    /// The number of messages and terms in the index.
    pub messages: u64,
    pub terms: u64,
    /// The number of vector writes.
    pub vector_writes: u64,
}

/// A message as the index reads it.
#[derive(Clone, Copy)]
pub(crate) struct MessageSource<'a> {
    pub chat: i64,
    pub seq: i64,
    /// Its time in microseconds.
    pub at: i64,
    pub lane: i64,
    pub role: Role,
    pub speaker: Option<&'a str>,
    pub text: &'a str,
}

/// A message whose index entry is checked.
pub(crate) struct Sample {
    pub seq: i64,
    pub chat: i64,
    pub text: String,
    pub is_unindexed: bool,
}

/// Reads messages one by one until it breaks.
pub(crate) type EachMessage<'a> = dyn FnMut(StoredMessage) -> Result<ControlFlow<()>> + 'a;
/// Reads the texts of messages one by one.
pub(crate) type EachSource<'a> = dyn FnMut(MessageSource<'_>) -> Result<()> + 'a;

macro_rules! statements {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $output:ty;)*) => {
        impl Tx<'_> {
            $(
                $(#[$doc])*
                pub fn $name(&self, $($argument: $type),*) -> Result<$output> {
                    match self {
                        Self::Sqlite(tx) => tx.$name($($argument),*),
                    }
                }
            )*
        }
    };
}

// Settings.
statements! {
    fn setting(name: &str) -> Option<String>;
    fn put_setting(name: &str, value: &str) -> ();
    fn delete_setting(name: &str) -> ();
    /// 32 random bytes in hexadecimal.
    fn random_hex() -> String;
    /// The folder of the database.
    fn folder() -> PathBuf;
}

// Chats and lanes.
statements! {
    fn chat_row(chat: &ChatId) -> Option<i64>;
    fn insert_chat(chat: &ChatId) -> i64;
    fn chat_key(chat: i64) -> ChatId;
    fn rename_chat(chat: i64, to: &ChatId) -> ();
    /// The model chosen for a chat.
    fn chat_model(chat: i64) -> Option<String>;
    fn put_chat_model(chat: i64, model: Option<&str>) -> ();
    fn chat_of_message(message: MessageId) -> Option<ChatId>;
    /// All chats, the most recent first.
    fn chat_counts() -> Vec<ChatCount>;
    fn chats_of_channel(channel: &str) -> Vec<i64>;
    /// Returns true if a chat has no messages, turns or memories.
    fn is_bare_chat(chat: i64) -> bool;
    fn delete_bare_chat(chat: i64) -> ();
    /// The claimed chats.
    fn claims() -> Vec<(ChatId, String)>;
    fn claim(chat: &ChatId) -> Option<String>;
    fn insert_claim(chat: &ChatId, person: &str) -> ();
    /// The number of forgettings of a chat.
    fn forgettings(chat: i64) -> u64;
    fn count_forgetting(chat: i64) -> ();
    fn count_forgetting_everywhere() -> ();
    fn lane_row(chat: &ChatId, key: &str) -> Option<LaneRow>;
    fn insert_lane(chat: i64, key: &str) -> i64;
    fn update_lane(lane: &LaneRow) -> ();
    fn lanes_of(chat: i64) -> Vec<(i64, String)>;
    /// The lanes of a chat, the most recent first.
    fn lane_counts(name: &ChatId, chat: i64) -> Vec<LaneCount>;
    fn rename_lane(lane: i64, key: &str) -> ();
    fn lane_by_row(lane: i64) -> Option<(ChatId, Lane)>;
    /// The lanes of a channel with waiting messages or actions.
    fn lanes_with_work(channel: &str) -> Vec<(ChatId, Lane)>;
    fn close_lane(lane: i64) -> ();
    fn is_lane_closed(lane: i64) -> bool;
    fn pending_slot(lane: i64) -> Option<PendingSlot>;
    fn put_pending_slot(lane: i64, pending: Option<&PendingSlot>) -> ();
    fn delete_pending_slots(chat: i64) -> ();
    /// Raises the position up to which a lane is not compacted; it never decreases.
    fn raise_floor(lane: i64, floor: Position) -> ();
}

// Messages and conversations.
statements! {
    /// Inserts a message and returns its sequence number; `None` if its id is taken.
    fn insert_message(new: &NewMessage<'_>) -> Option<i64>;
    fn rewrite_message(seq: i64, text: &str, metadata: &Map<String, Value>, tokens: u32) -> ();
    fn message_seq(chat: i64, id: MessageId) -> Option<i64>;
    /// The ids of a chat's messages between two ids, inclusive.
    fn message_ids_between(chat: i64, ends: (Uuid, Uuid), limit: usize) -> Vec<MessageId>;
    /// The neighboring message ids of an id in a chat.
    fn message_ids_beside(chat: i64, id: Uuid) -> Vec<MessageId>;
    fn message_text(seq: i64) -> Option<String>;
    /// The ids and texts of messages, by sequence number; without commands.
    fn message_texts(seqs: &[i64]) -> HashMap<i64, (MessageId, String)>;
    /// Messages by sequence number, each with the first message of its conversation.
    fn messages_by_seq(chat: &ChatId, seqs: &[i64]) -> HashMap<i64, (StoredMessage, MessageId)>;
    fn message_place(id: MessageId) -> Option<Place>;
    /// A message and the row of its lane.
    fn message_by_seq(chat: &ChatId, seq: i64) -> Option<(StoredMessage, i64)>;
    fn chat_and_message(seq: i64) -> Option<(ChatId, MessageId)>;
    /// Returns true if this message is at this position of the lane.
    fn is_message_at(lane: i64, end: End) -> bool;
    /// The newest message time of a lane up to this time.
    fn moment_before(lane: i64, at: Timestamp) -> Option<Timestamp>;
    fn set_opens(seq: i64, opens: bool) -> ();
    fn external_message(chat: i64, external: &str) -> Option<i64>;
    /// Adds a channel's id of a message. Returns false if the id exists.
    fn add_external_id(chat: i64, external: &str, message: i64) -> bool;
    /// Moves a channel's id to another message.
    fn move_external_id(chat: i64, external: &str, message: i64) -> ();
    fn external_ids(seq: i64) -> Vec<String>;
    fn put_external_ids(seq: i64, external_ids: &[String]) -> ();
    /// Puts `prefix/` before the channel's ids of a chat that have no prefix.
    fn prefix_external_ids(chat: i64, prefix: &str) -> ();
    fn unprefix_external_ids(chat: i64, prefix: &str) -> ();
    fn fingerprinted_message(chat: i64, fingerprint: &[u8; 16]) -> Option<i64>;
    fn add_fingerprint(chat: i64, fingerprint: &[u8; 16], message: i64) -> ();
    fn message_before(chat: &ChatId, lane: i64, position: Position) -> Option<StoredMessage>;
    /// Messages of a lane before a position, the newest first.
    fn messages_before(chat: &ChatId, lane: i64, before: Position, limit: usize) -> Vec<StoredMessage>;
    /// Reads a lane from its end.
    fn walk_back(chat: &ChatId, lane: i64, each: &mut EachMessage<'_>) -> ();
    /// Reads a span of a lane from its start.
    fn walk_span(chat: &ChatId, lane: i64, span: Range<Position>, each: &mut EachMessage<'_>) -> ();
    fn messages_after(chat: &ChatId, lane: i64, after: Position, limit: usize) -> Vec<StoredMessage>;
    /// The messages of a chat by sequence number.
    fn recorded_after(name: &ChatId, chat: i64, seq: i64, limit: usize) -> Vec<StoredMessage>;
    /// The newest message of a chat up to a sequence number.
    fn newest_message_up_to(chat: i64, seq: i64) -> Option<MessageId>;
    /// The number of messages in a span, and the time of the last one.
    fn count_span(lane: i64, span: Range<Position>) -> (u64, Option<Timestamp>);
    /// The newest opening message at or before a position.
    fn opening_up_to(lane: i64, position: Position) -> Option<(MessageId, Position)>;
    fn opening_after(lane: i64, position: Position) -> Option<Position>;
    /// The openings of a chat or of one lane before a position, newest first.
    fn openings(
        name: &ChatId, chat: i64, lane: Option<&Lane>, before: Position, limit: usize,
    ) -> Vec<Opening>;
    /// Reads all messages as moments, lane by lane in order.
    fn for_each_moment(each: &mut dyn FnMut(Moment)) -> ();
    fn put_newest_conversation(lane: i64, opening: MessageId) -> ();
}

// Turns and replies.
statements! {
    fn add_waiting(message: i64, lane: i64) -> ();
    fn waiting_in(lane: i64) -> HashSet<i64>;
    fn delete_waiting(message: i64) -> ();
    fn first_waiting(lane: i64) -> Option<i64>;
    /// Takes waiting messages up to a sequence number off the queue.
    fn take_waiting(chat: &ChatId, lane: i64, up_to: i64) -> Vec<StoredMessage>;
    fn insert_turn(turn: TurnId, lane: i64, holder: &Holder, at: Timestamp) -> ();
    fn add_turn_message(turn: TurnId, message: i64) -> ();
    /// Puts the messages of a turn back into the queue.
    fn return_to_waiting(turn: TurnId) -> ();
    fn hold_lane(lane: i64, turn: TurnId, owner: &str) -> ();
    fn free_lane(turn: TurnId) -> ();
    fn lane_holder(lane: i64) -> Option<(TurnId, Holder)>;
    /// Turns that are running, or whose reply is pending without an outbox item.
    fn unfinished_turns() -> Vec<(TurnId, Holder)>;
    fn turn_row(turn: TurnId) -> Option<TurnRow>;
    fn renew_turn(turn: TurnId, leased_to: Timestamp) -> ();
    fn end_turn(
        turn: TurnId, status: TurnStatus, at: Timestamp, receipt: Option<&Receipt>, problem: Option<&str>,
    ) -> ();
    /// The newest turn of a lane that answered messages without a complete reply.
    fn newest_turn_that_fell_short(lane: i64) -> Option<TurnId>;
    /// The notice about a failed turn.
    fn notice_of_turn(turn: TurnId) -> Option<i64>;
    fn messages_of_turn(chat: &ChatId, turn: TurnId) -> Vec<StoredMessage>;
    fn turn_of_message(chat: i64, message: MessageId) -> Option<TurnId>;
    /// The turn of a reply.
    fn turn_of_reply(chat: i64, message: i64) -> Option<TurnId>;
    fn newest_turn_with_receipt(lane: i64) -> Option<TurnId>;
    /// Turns of a chat or of all, newest first, before an id.
    fn turns_before(chat: Option<i64>, before: Option<TurnId>, limit: usize) -> Vec<TurnEntry>;
    fn turn_entry(turn: TurnId) -> Option<TurnEntry>;
    fn reply_row(turn: TurnId) -> Option<ReplyRow>;
    fn add_pending_reply(turn: TurnId, lane: i64) -> ();
    fn put_reply(turn: TurnId, lane: i64, message: i64) -> ();
    fn set_delivery(turn: TurnId, delivery: Delivery) -> ();
    /// Marks a pending reply without outbox items as uncertain. Returns false if there is none.
    fn mark_shown_reply_uncertain(turn: TurnId) -> bool;
    /// The number of uncertain deliveries of a lane that no turn has mentioned.
    fn unreported(lane: i64) -> u64;
    /// The number of refused replies of a lane that no turn has mentioned.
    fn unreported_refusals(lane: i64) -> u64;
    fn mark_reported(lane: i64) -> ();
    fn text_of_reply_to(message: i64) -> Option<String>;
    fn role_and_text_after(message: i64) -> Option<(String, String)>;
}

// Jobs.
statements! {
    /// Requests a job now, in one statement, so that concurrent requests are one job. A waiting job becomes due
    /// unless it failed before; a running job is marked to run again.
    fn request_job(kind: JobKind, subject: &str) -> ();
    fn add_job_for_every_chat(kind: JobKind) -> ();
    /// Makes the jobs due that no worker holds.
    fn make_jobs_due(kind: JobKind) -> ();
    fn make_jobs_due_that_are_due_at(due: Timestamp) -> u64;
    /// Makes the jobs due whose lanes have been silent since a time; their subjects are rows of lanes.
    fn make_silent_lanes_due(kind: JobKind, silent_since: Timestamp) -> ();
    /// Claims the job that has been due longest, most urgent kinds first.
    fn claim_job(kinds: &[JobKind], holder: &Holder, now: Timestamp) -> Option<Job>;
    fn held_job(id: i64, owner: &str) -> Option<JobRow>;
    fn free_job(id: i64, job: &JobRow) -> ();
    fn delete_job(id: i64) -> ();
    fn job_owners() -> Vec<Holder>;
    fn free_jobs_of(holder: &Holder) -> ();
    fn move_jobs(from: &str, to: &str) -> ();
}

// Memories.
statements! {
    fn insert_memory(chat: i64, memory: &Memory, at: Timestamp) -> ();
    /// Every memory, oldest first, with whether the person was asked to confirm it.
    fn all_memories() -> Vec<(StoredMemory, bool)>;
    /// Sets the history of an imported memory: its status change, the newest message when it was stored, whether it
    /// was offered.
    fn put_memory_history(memory: MemoryId, changed_at: Timestamp, learned_after: i64, offered: bool) -> ();
    /// The memories of a chat and of a person, oldest first.
    fn memories_of(chat: Option<i64>, person: Option<&str>) -> Vec<StoredMemory>;
    fn memories_to_offer(chat: i64) -> Vec<Memory>;
    fn chats_to_ask(channel: &str) -> Vec<ChatId>;
    fn mark_offered(memory: MemoryId) -> ();
    fn mark_used(memory: MemoryId, at: Timestamp) -> ();
    fn memory_status(memory: MemoryId) -> Option<Status>;
    /// The chat in which a memory was learned.
    fn chat_of_memory(memory: MemoryId) -> Option<ChatId>;
    fn close_memory(
        memory: MemoryId, status: Status, valid_to: Option<Timestamp>, superseded_by: Option<MemoryId>, now: Timestamp,
    ) -> ();
    fn activate_memory(memory: MemoryId, now: Timestamp) -> ();
    fn proofs(memory: MemoryId) -> Option<Vec<Proof>>;
    fn put_proofs(memory: MemoryId, proofs: &[Proof]) -> ();
    fn memory_before(memory: MemoryId) -> Option<MemoryBefore>;
    fn rewrite_memory(memory: MemoryId, content: &MemoryBefore, now: Timestamp) -> ();
    fn learning() -> Learning;
    fn add_unextracted(chat: i64, message: i64) -> ();
    fn delete_unextracted(chat: i64, message: i64) -> ();
    /// The oldest messages that wait for extraction, and neither wait for a turn nor are being answered.
    fn unextracted(name: &ChatId, chat: i64, limit: usize) -> Vec<StoredMessage>;
}

// Summaries and profiles.
statements! {
    fn insert_summary(chat: i64, lane: i64, summary: &Summary) -> ();
    /// Sets the newest message at the time when an imported summary was made.
    fn put_made_after(summary: Uuid, seq: i64) -> ();
    /// Replaces the text of a summary as its next version.
    fn rewrite_summary(chat: i64, summary: &Summary) -> ();
    /// Replaces the text of a summary without a new version.
    fn clean_summary(summary: &Summary) -> ();
    /// A summary and the row of its lane.
    fn summary(id: Uuid) -> Option<(i64, Summary)>;
    /// The end of the newest span of a scope, or the lane's floor if that is later.
    fn newest_span_end(lane: i64, scope: Scope) -> Option<Position>;
    /// The versions of a lane's summary, each with the newest message when it was made.
    fn lane_summary_versions(lane: i64) -> Vec<(i64, i64)>;
    fn delete_lane_summary(lane: i64, version: i64) -> ();
    /// The summary of all lanes, and the lane of its last message.
    fn chat_summary(chat: &ChatId) -> Option<(Lane, Summary)>;
    fn delete_chat_summary(chat: i64) -> ();
    fn summaries_of_lane(lane: i64) -> Vec<Summary>;
    /// The newest summaries with text of conversations and chunks, and those of the lane.
    fn newest_summaries(lane: i64, limit: usize) -> Vec<Summary>;
    fn summaries_elsewhere(chat: &ChatId, key: &str, limit: usize) -> Vec<(Lane, Summary)>;
    fn mark_summaries_stale(lane: i64, at: Position) -> ();
    fn profile_before(owner: &str, at: Timestamp) -> Option<String>;
    fn put_profile(owner: &str, at: Timestamp, text: &str) -> ();
    fn delete_old_profiles(owner: &str, keep: u32) -> ();
    fn delete_profiles(owner: &str) -> ();
    fn move_profiles(from: &str, to: &str) -> ();
}

// The outbox.
statements! {
    fn insert_outbox_item(item: &NewOutboxItem, message: Option<i64>, turn: Option<TurnId>) -> i64;
    /// The oldest unsent item of a chat, with its due time.
    fn first_unsent(chat: &ChatId) -> Option<(OutboxState, Timestamp, OutboxItem)>;
    fn mark_sending(item: i64, holder: &Holder) -> ();
    /// Ends an item and deletes its body, unless it is an uncertain piece of a message.
    fn end_outbox_item(
        item: i64, state: OutboxState, problem: Option<&str>, uncertain_at: Option<Timestamp>,
    ) -> ();
    fn clear_outbox_body(item: i64) -> ();
    fn requeue_outbox_item(item: i64, body: Option<&str>, due: Timestamp, problem: &str) -> ();
    fn requeue_repeatable_items_of(holder: &Holder) -> ();
    fn items_sent_by(holder: &Holder) -> Vec<(i64, ChatId)>;
    /// The unsent later pieces of the same message.
    fn pieces_after(item: i64) -> Vec<i64>;
    fn outbox_origin(item: i64) -> OutboxOrigin;
    fn put_item_external_id(item: i64, external: &str) -> ();
    /// The distinct states of a turn's items.
    fn states_of_turn(turn: TurnId) -> Vec<OutboxState>;
    fn states_of_message(message: i64) -> Vec<OutboxState>;
    fn external_ids_of_items(message: i64) -> Vec<String>;
    /// The items of a message that are unsent, or may be sent again.
    fn kept_items_of_message(message: i64) -> Vec<(i64, OutboxState)>;
    fn kept_bodies(chat: &ChatId) -> Vec<(i64, OutboxState, String)>;
    /// The chats of a channel with unsent items, each with the due time of its oldest.
    fn unsent(channel: &str) -> Vec<(ChatId, Timestamp)>;
    fn send_owners() -> Vec<Holder>;
    fn outbox_figures() -> OutboxFigures;
    /// Moves items and buttons to another chat.
    fn move_outbox(from: &ChatId, to: &ChatId) -> ();
    fn insert_button(button: &Button) -> ();
    fn button(chat: &ChatId, id: &str, now: Timestamp) -> Option<Button>;
    fn delete_buttons(bundle: Uuid) -> ();
}

// Live replies, and what is uncertain.
statements! {
    /// Stores the words of a live reply, and keeps its external id.
    fn put_live_reply(turn: TurnId, words: &str) -> ();
    fn name_live_reply(turn: TurnId, external: &str) -> ();
    fn delete_live_reply(turn: TurnId) -> ();
    /// Deletes a reply that has no message yet.
    fn delete_begun_reply(turn: TurnId) -> ();
    fn live_reply(turn: TurnId) -> Option<LiveReply>;
    /// Live replies whose turn has ended, oldest first.
    fn ended_live_replies(channel: &str) -> Vec<(TurnId, LiveReply)>;
    fn put_relayed_reply(id: Uuid, chat: i64, words: &str) -> ();
    fn delete_relayed_reply(id: Uuid) -> ();
    /// Relayed replies, oldest first.
    fn relayed_replies() -> Vec<RelayedReply>;
    /// Unreported uncertain items of messages without unsent pieces, oldest first.
    fn unreported_messages(channel: &str) -> Vec<UncertainMessage>;
    /// Marks an item as reported. Returns false if it was before.
    fn mark_told(item: i64) -> bool;
    fn count_uncertain_pieces(message: i64) -> u64;
    fn requeue_uncertain_pieces(message: i64) -> ();
    fn turn_of_pieces(message: i64) -> Option<TurnId>;
}

// Arrivals, pairing, routines, the ledger.
statements! {
    /// Adds an update. Returns false if it exists.
    fn add_update(mark: &Mark) -> bool;
    fn advance_account(mark: &Mark) -> ();
    fn delete_updates_before(at: Timestamp) -> ();
    fn add_account(id: &str) -> ();
    fn put_account(account: &Account) -> ();
    fn accounts(id: Option<&str>) -> Vec<Account>;
    fn insert_inbound_action(lane: i64, action: &str) -> ();
    /// The oldest action of a lane, and the newest message when it arrived.
    fn first_inbound_action(lane: i64) -> Option<(InboundAction, i64)>;
    fn delete_inbound_action(id: i64) -> ();
    fn pairing_requests(now: Timestamp) -> Vec<PairingRequest>;
    fn pairing_request(code: &str, now: Timestamp) -> Option<PairingRequest>;
    fn insert_pairing_request(request: &PairingRequest, at: Timestamp) -> ();
    fn delete_pairing_requests(person: &str) -> ();
    /// Keeps a person from asking again until a time.
    fn put_pairing_rejection(person: &str, until: Timestamp) -> ();
    fn is_pairing_rejected(person: &str, now: Timestamp) -> bool;
    /// Records until when the owner is not notified of a person again.
    fn put_pairing_notice(person: &str, until: Timestamp) -> ();
    /// The people of whom the owner was notified recently.
    fn pairing_notices(now: Timestamp) -> Vec<String>;
    /// Returns true if a code or a button has expired.
    fn has_expired(now: Timestamp) -> bool;
    fn delete_expired_pairing_requests(now: Timestamp) -> ();
    fn delete_expired_buttons(now: Timestamp) -> ();
    /// Stores a paired person, and returns since when they are paired.
    fn put_paired_person(paired: &PairedPerson) -> Timestamp;
    fn paired_people() -> Vec<PairedPerson>;
    fn is_paired(person: &str) -> bool;
    fn delete_paired_person(person: &str) -> bool;
    /// Begins a run. Returns false if it exists.
    fn begin_run(routine: &str, due: Timestamp, holder: &Holder, now: Timestamp) -> bool;
    fn renew_run(routine: &str, due: Timestamp, holder: &Holder) -> ();
    fn put_run(run: &Run) -> ();
    fn delete_run(routine: &str, due: Timestamp, owner: &str) -> ();
    fn delete_runs_of(holder: &Holder) -> ();
    fn run_owners() -> Vec<Holder>;
    fn runs(routine: Option<&str>, limit: usize) -> Vec<Run>;
    /// The schedule of a routine, and since when it applies.
    fn schedule(routine: &str) -> Option<(String, Timestamp)>;
    fn put_schedule(routine: &str, schedule: &str, since: Timestamp) -> ();
    fn insert_call(chat: Option<i64>, call: &Call) -> i64;
    fn update_call(id: i64, call: &Call) -> ();
    fn spent_since(is_background: bool, since: Timestamp) -> Spent;
    /// The newest problem of an ended reply call.
    fn newest_problem(since: Timestamp) -> Option<CallProblem>;
    fn spent(chat: i64, since: Timestamp) -> Vec<SpentOn>;
    /// The calls since a time by day, chat, purpose and model. Days are shifted by `offset` seconds from UTC.
    fn spent_by_day(since: Timestamp, offset: i32) -> Vec<SpentOnDay>;
}

// Forgetting.
statements! {
    fn insert_forgetting(chat: i64, forgotten: &Forgotten) -> ();
    /// Erases the problems of turns and calls: a provider's error may repeat a message.
    fn erase_problems(chat: i64) -> ();
    fn undoable_forgetting(chat: i64, id: Uuid, now: Timestamp) -> Option<Forgotten>;
    fn undoable_forgettings(chat: i64) -> Vec<Uuid>;
    fn expired_forgettings(now: Timestamp) -> Vec<Uuid>;
    /// Deletes the words of a forgetting, which makes it permanent.
    fn make_permanent(forgetting: Uuid) -> ();
    /// Deletes a forgetting with its words and suppressions.
    fn delete_forgetting(forgetting: Uuid) -> ();
    fn put_forgotten_words(forgetting: Uuid, kind: &str, id: Uuid, before: &str) -> ();
    fn forgotten_words(forgetting: Uuid) -> Vec<(String, Uuid, String)>;
    /// The copies that other forgettings keep of a message.
    fn words_kept_by_others(own: Uuid, message: Uuid) -> Vec<(Uuid, String)>;
    fn insert_suppression(chat: i64, forgetting: &Forgetting, suppression: &Suppression) -> ();
    /// The suppressions of a chat and of a person, each with its start.
    fn suppressions(chat: i64, person: Option<&str>) -> Vec<(Suppression, Timestamp)>;
    /// The suppressions of all chats, each with its forgetting and, if another home made it, the fingerprint of its
    /// key.
    fn every_suppression() -> Vec<(Uuid, Option<String>, Suppressed)>;
    fn put_suppression(chat: i64, forgetting: Uuid, suppressed: &Suppressed, key: Option<&str>) -> ();
    fn person_of_forgetting(forgetting: Uuid) -> Option<String>;
    fn wants_scrub() -> bool;
    fn request_scrub() -> ();
}

// Files that came with messages.
statements! {
    fn insert_attachment(message: i64, file: &NewAttachment) -> ();
    /// An attachment, unless its message was forgotten.
    fn attachment(id: i64) -> Option<StoredAttachment>;
    fn attachments_of(message: i64) -> Vec<StoredAttachment>;
    fn attachments_due(channel: &str, now: Timestamp) -> Vec<StoredAttachment>;
    fn postpone_attachment(id: i64, due: Timestamp, problem: &str) -> ();
    fn end_attachment(id: i64, state: AttachmentState, problem: Option<&str>) -> ();
    fn put_kept_attachment(id: i64, file: &KeptFile) -> ();
    /// Resets a failed or untranscribed attachment to waiting.
    fn reset_attachment(id: i64) -> ();
    fn set_attachments_aside(message: i64, forgetting: Uuid) -> ();
    fn restore_attachments(forgetting: Uuid) -> ();
    fn move_attachments(from: i64, to: i64) -> ();
    /// Unlinks the attachments of a message; a sweep deletes them.
    fn unlink_attachments(message: i64) -> ();
    fn unlink_attachments_set_aside(forgetting: Uuid) -> ();
    fn unlinked_attachments() -> Vec<(i64, Option<String>)>;
    fn delete_attachment(id: i64) -> ();
    fn is_file_named(hash: &str) -> bool;
    fn kept_files() -> Vec<String>;
}

// The index.
statements! {
    fn index_row(chat: &ChatId) -> Option<IndexRow>;
    fn count_indexed(chat: i64, messages: u64, terms: u64) -> ();
    /// Deletes the index of a chat except its vectors, and begins a new generation.
    fn clear_index(chat: i64) -> ();
    fn clear_all_indexes() -> ();
    fn add_unindexed(chat: i64, seq: i64, bytes: usize) -> ();
    fn is_unindexed(chat: i64, seq: i64) -> bool;
    fn delete_unindexed(chat: i64) -> ();
    /// The number of a chat's unindexed messages, and their bytes.
    fn unindexed_size(chat: i64) -> (u64, u64);
    /// Reads the unindexed messages, by sequence number.
    fn for_each_unindexed(chat: i64, each: &mut EachSource<'_>) -> ();
    /// Reads all messages of a chat or of all chats, by sequence number.
    fn for_each_source(chat: Option<i64>, each: &mut EachSource<'_>) -> ();
    fn for_each_posting_block(chat: i64, term: &str, each: &mut dyn FnMut(i64, &[u8])) -> ();
    /// Reads the blocks of a term that begin at or before a message, newest first.
    fn for_each_posting_block_back(
        chat: i64, term: &str, up_to: i64, each: &mut dyn FnMut(i64, &[u8]) -> ControlFlow<()>,
    ) -> ();
    fn last_posting_block(chat: i64, term: &str) -> Option<(i64, Vec<u8>)>;
    fn put_posting_block(chat: i64, term: &str, first: i64, block: &[u8]) -> ();
    fn speakers(chat: i64) -> Vec<Speaker>;
    fn insert_speaker(chat: i64, number: usize, speaker: &Speaker) -> ();
    fn insert_meta_block(chat: i64, first: i64, entries: &[u8]) -> ();
    /// Reads the selected blocks of metadata, by their first message.
    fn for_each_meta_block(chat: i64, wanted: &dyn Fn(i64) -> bool, each: &mut dyn FnMut(&[u8])) -> ();
    fn meta_block(chat: i64, first: i64) -> Option<Vec<u8>>;
}

// Vectors.
statements! {
    /// Returns true if a message has no vector of an embedder.
    fn lacks_vectors(chat: i64, embedder: &str) -> bool;
    /// The newest blocks without vectors of an embedder.
    fn blocks_without_vectors(chat: i64, embedder: &str, limit: usize) -> Vec<i64>;
    fn unindexed_without_vectors(chat: i64, embedder: &str) -> Vec<(i64, String)>;
    fn vector_blocks(chat: i64) -> Vec<(String, i64)>;
    /// Reads the signs of the selected blocks.
    fn for_each_vector_block(
        chat: i64, embedder: &str, wanted: &dyn Fn(i64) -> bool, each: &mut dyn FnMut(i64, &[u8]),
    ) -> ();
    fn put_vector_signs(chat: i64, embedder: &str, first: i64, signs: &[u8]) -> ();
    fn vector_part(chat: i64, embedder: &str, first: i64, part: usize) -> Option<Vec<u8>>;
    fn put_vector_part(chat: i64, embedder: &str, first: i64, part: usize, components: &[u8]) -> ();
    fn delete_vector_blocks(chat: i64) -> ();
    fn for_each_unmerged_vector(chat: i64, embedder: &str, each: &mut dyn FnMut(i64, Vec<u8>)) -> ();
    fn unmerged_vector(chat: i64, embedder: &str, message: i64) -> Option<Vec<u8>>;
    fn unmerged_embedders(chat: i64) -> Vec<String>;
    fn put_unmerged_vector(chat: i64, embedder: &str, message: i64, components: &[u8]) -> ();
    fn delete_unmerged_vector(chat: i64, embedder: &str, message: i64) -> ();
    fn delete_other_vectors(chat: i64, embedder: &str) -> ();
    fn count_vector_write(chat: i64) -> ();
    fn piece_vector(piece: Uuid, embedder: &str) -> Option<Vec<u8>>;
    fn pieces_without_vectors(chat: i64, embedder: &str, limit: usize) -> Vec<(Uuid, String)>;
    /// Stores the vector of a memory or summary, unless its text was forgotten meanwhile.
    fn put_piece_vector(chat: i64, piece: Uuid, embedder: &str, components: &[u8]) -> ();
    fn delete_piece_vectors(piece: Uuid) -> ();
}

// Credentials of callers, and requests that were carried out.
statements! {
    fn insert_credential(kind: CredentialKind, hash: &Hash, credential: &Credential) -> ();
    /// The credential with this hash, unless it has expired.
    fn credential(kind: CredentialKind, hash: &Hash, now: Timestamp) -> Option<Credential>;
    /// The tokens, oldest first.
    fn tokens() -> Vec<Credential>;
    /// The hash of each credential, with the name of a token.
    fn credential_hashes() -> Vec<(Hash, Option<String>)>;
    /// Returns true if a token is bound to a chat.
    fn has_token_of(chat: &ChatId) -> bool;
    /// Deletes a token. Returns false if there was none.
    fn delete_token(name: &str) -> bool;
    fn delete_credential(hash: &Hash) -> ();
    fn delete_expired_credentials(now: Timestamp) -> ();
    fn request(key: &Hash) -> Option<DoneRequest>;
    fn insert_request(key: &Hash, done: &DoneRequest, at: Timestamp) -> ();
    fn delete_requests_before(at: Timestamp) -> ();
}

// Health.
statements! {
    /// Figures of the whole store; `entry_bytes` is the size of a message in a block of metadata.
    fn figures(entry_bytes: usize) -> Figures;
    /// The checks of the database itself: its file, references and durability.
    fn check_database() -> Vec<Check>;
    /// The number of lanes with a wrong message count.
    fn count_wrong_lanes() -> u64;
    /// The numbers of indexed, unindexed and recorded messages.
    fn index_counts() -> (u64, u64, u64);
    fn newest_seq() -> i64;
    /// The first message from a sequence number on.
    fn sample_from(seq: i64) -> Option<Sample>;
    fn count_bare_commit() -> ();
}
